/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_HELLO_H
#define _CONGA_HELLO_H

#include <uapi/linux/conga.h>
#include <linux/types.h>

#define CONGA_HELLO_MIN		20000000ULL	/* ns */
#define CONGA_HELLO_MAX		10000000000ULL
#define CONGA_HELLO_DEFAULT	300000000ULL

#define CONGA_HELLO_TICKS	4	/* a round is a hello interval */
#define CONGA_HELLO_MISSES	3	/* hellos in a row, without an answer */
#define CONGA_HELLO_ANSWERS	64	/* hellos of one leaf answered per round */
#define CONGA_HELLO_CALM	10	/* rounds, until alternation is forgotten */

/* A nonce is 28 random bits of its round, and the LBTag it left by. */
#define CONGA_HELLO_TAG_MASK	0xfu

/* What the boxes of a fabric must agree on. */
struct conga_hello_terms {
	u8	q;
	u8	byte3;		/* enum conga_byte3 */
	bool	sum;
};

/* What a tick sees of the world; a bit per LBTag. */
struct conga_hello_view {
	u16	usable;		/* a nexthop of the route to the leaf */
	u16	busy;		/* carried packets since the last tick */
	u16	heard;		/* fed back since the last tick */
	u32	random;		/* fresh */
};

/* What a tick did; a bit per LBTag. */
struct conga_hello_step {
	u16	ask;		/* to be sent hellos by, now */
	u16	missed;		/* sent at the last tick and not answered */
	u16	silenced;	/* taken out by this tick */
};

struct conga_hello_path {
	u8	misses;		/* in a row */
	u8	proof;		/* ticks for which its last answer still counts */
};

/* Hello with one leaf. Guarded by its user's lock, but the first three are read without
 * it, too.
 */
struct conga_hello {
	u32	echo;		/* the leaf's last nonce, 0: none */
	u32	id;		/* of the leaf, 0: unknown */
	u8	reason;		/* enum conga_leaf_reason, ANSWERS to ALTERNATES */
	u8	misses;		/* ticks in a row whose hellos nobody answered */
	u8	tick;		/* of the round */
	u8	turn;		/* LBTag of the last hello that went round */
	u8	answers[2];	/* hellos answered in this round, by proven */
	u8	calm;		/* rounds left of CONGA_HELLO_CALM */
	bool	heard;		/* answered within the last misses */
	bool	left;		/* said bye in this round */
	bool	version;	/* another version was heard in this round */
	u16	asked;		/* hellos of the last tick, a bit per LBTag */
	u16	waiting;	/* of these, not answered */
	u16	out;		/* silent paths, a bit per LBTag */
	u32	nonce[2];	/* of this round and the one before; 0: none */
	u32	other;		/* the id before the last one */
	struct conga_hello_path path[CONGA_TAGS_MAX];	/* by our LBTag */
};

void conga_hello_setup(struct conga_hello *hello, u8 tick);
void conga_hello_tick(struct conga_hello *hello,
		      const struct conga_hello_view *view,
		      struct conga_hello_step *step);
u32 conga_hello_nonce(const struct conga_hello *hello, u8 tag);
bool conga_hello_echoed(const struct conga_hello *hello, u32 echo);
bool conga_hello_answered(struct conga_hello *hello, u32 echo, u32 id,
			  const struct conga_hello_terms *ours,
			  const struct conga_hello_terms *theirs);
bool conga_hello_bye(struct conga_hello *hello, u32 echo);
bool conga_hello_asked(struct conga_hello *hello, u32 nonce, u32 echo);
void conga_hello_version(struct conga_hello *hello);

#endif /* _CONGA_HELLO_H */
