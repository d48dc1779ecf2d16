/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_ADJACENCY_H
#define _CONGA_ADJACENCY_H

#include <linux/types.h>

#include "paper/hello_types.h"

/* Least time between two announcements. They leave at ticks of hellos, which are at most 2.5 s
 * apart, so that two announcements are less than 4.5 s apart.
 */
#define CONGA_ADJACENCY_EVERY_NS	2000000000ULL

/* After so long without an announcement no node is taken to be there: two may be lost. */
#define CONGA_ADJACENCY_LOST_NS		14000000000ULL

/* What a node said of itself */
struct conga_adjacency_news {
	u32	id;			/* its leaf id */
	u8	reason;			/* CONGA_LEAF_ANSWERS if it agrees, or what differs */
	struct conga_hello_terms theirs;
};

/* What a port knows of the node at the other end of its link; the user's lock guards it. */
struct conga_adjacency {
	u64	since;			/* ns, of the first announcement since the port can send;
					 * 0: none
					 */
	u64	heard;			/* ns, of the announcement in news; 0: none */
	struct conga_adjacency_news news;
};

void conga_adjacency_reset(struct conga_adjacency *adjacency);
void conga_adjacency_sent(struct conga_adjacency *adjacency, u64 now);
void conga_adjacency_hear(struct conga_adjacency *adjacency,
			  const struct conga_adjacency_news *news, u64 now);
u8 conga_adjacency_state(const struct conga_adjacency *adjacency, u64 now);

#endif /* _CONGA_ADJACENCY_H */
