/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_AHEAD_H
#define _CONGA_AHEAD_H

#include <uapi/linux/conga.h>
#include <linux/types.h>

#include "paper/toleaf.h"

#define CONGA_AHEAD_WINDOW	8	/* measurements per window; a minimum is over one or two */

/* What is ahead of our uplinks on the way to one leaf, by LBTag. Packets read and write the
 * queues, and read the minima, without a lock; the user's lock guards the rest.
 */
struct conga_ahead {
	struct conga_toleaf	queue;		/* codes, see queue.h */
	u32			least[2][CONGA_TAGS_MAX]; /* ns, minima of this window and of the
							   * previous one; 0: none
							   */
	u64			sent[CONGA_TAGS_MAX];	/* ns, when the hello to be timed was sent;
							 * 0: none
							 */
	u64			round;		/* nonce of these hellos, without the bits that
						 * name the path
						 */
	u16			asked;		/* LBTags by which one was sent in the round */
	u8			measured[CONGA_TAGS_MAX]; /* in this window */
};

bool conga_ahead_learn(struct conga_ahead *ahead, u8 tag, u32 word, u64 now);
u32 conga_ahead_queue(const struct conga_ahead *ahead, u8 tag, u64 now, u64 tage);
void conga_ahead_asked(struct conga_ahead *ahead, u64 nonce, u64 now, bool quiet);
void conga_ahead_answered(struct conga_ahead *ahead, u64 echo, u64 now, bool quiet);
u32 conga_ahead_delay(const struct conga_ahead *ahead, u8 tag);
void conga_ahead_forget(struct conga_ahead *ahead, u8 tag);

#endif /* _CONGA_AHEAD_H */
