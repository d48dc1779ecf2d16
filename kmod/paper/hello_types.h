/* SPDX-License-Identifier: GPL-2.0 */
/* The hello protocol with one leaf: its constants, its state, and what its tick takes and gives. */
#ifndef _CONGA_HELLO_TYPES_H
#define _CONGA_HELLO_TYPES_H

#include <uapi/linux/conga.h>
#include <linux/bits.h>
#include <linux/types.h>

#include "paper/hello_loss.h"

#define CONGA_HELLO_TICKS	4	/* a round is a hello interval */
#define CONGA_HELLO_MISSES	3	/* hellos in a row, without an answer */
#define CONGA_HELLO_CALM	10	/* rounds, until alternating ids are forgotten */
#define CONGA_HELLO_WRONG	64	/* wrong echoes of one leaf, per round */
#define CONGA_HELLO_PORTS	CONGA_DSTPORTS_MAX

/* Hellos of one leaf that are answered per round: at each tick a small and a full-size one
 * for each path, and one for each port
 */
#define CONGA_HELLO_ANSWERS	(CONGA_HELLO_TICKS * (2 * CONGA_TAGS_MAX + CONGA_HELLO_PORTS))

/* Full-size hellos by one path: the least rounds, and the least time, between them */
#define CONGA_HELLO_LARGE_ROUNDS	4
#define CONGA_HELLO_LARGE_NS		1000000000ULL

/* The parameters on which all nodes of a fabric must agree */
struct conga_hello_terms {
	u8	q;
	u8	byte3;		/* enum conga_byte3 */
	bool	sum;
};

/* The input of a tick; sets have a bit per LBTag */
struct conga_hello_view {
	u16	usable;		/* a nexthop of the route to the leaf */
	u16	large;		/* takes more than a small hello */
	u16	busy;		/* carried packets since the last tick */
	u16	heard;		/* fed back since the last tick */
	u8	every;		/* rounds between full-size hellos by one path */
	u64	random;		/* fresh */
};

/* The result of a tick; sets have a bit per LBTag */
struct conga_hello_step {
	u16	ask[CONGA_HELLO_PORTS];	/* uplinks by which to send hellos about the port now */
	u16	large;			/* uplinks by which to send full-size hellos about @main */
	u16	pinged;			/* uplinks whose small hello about @main is a ping */
	u8	main;			/* index of a port */
	u16	missed[CONGA_HELLO_PORTS]; /* sent at the previous tick and not answered */
	u16	missed_large;		/* likewise, of full-size ones */
	u16	silenced;		/* taken out by this tick */
	u16	narrowed;		/* found to be narrow by this tick */
};

struct conga_hello_path {
	u8	misses;		/* in a row */
	u8	proof;		/* ticks for which its last answer still counts */
	u8	lost;		/* full-size hellos in a row, see conga_hello_large_judge() */
	u8	due;		/* rounds until the next one */
	struct conga_hello_loss loss;	/* of small hellos about the main port */
};

/* The hello protocol with one leaf. The user's lock guards it, but id, reason, out,
 * narrow and proven are also read without the lock.
 */
struct conga_hello {
	u64	echo;		/* the leaf's last nonce, 0: none */
	u32	id;		/* of the leaf, 0: unknown */
	u8	reason;		/* enum conga_leaf_reason, ANSWERS to ALTERNATES */
	u8	agreed;		/* ports about which the leaf answered lately, a bit each */
	u8	tick;		/* of the round */
	u8	turn;		/* LBTag of the last hello that went round */
	u8	answers[2];	/* hellos answered in this round, by whether they were proven */
	u8	wrong;		/* wrong echoes in this round */
	u8	calm;		/* rounds left of CONGA_HELLO_CALM */
	u8	main;		/* port about which the last tick asked for paths */
	u8	came;		/* port about which the leaf's last nonce came */
	u8	kept;		/* ports that an ongoing change of the list leaves alone */
	bool	left;		/* sent a goodbye message in this round */
	bool	version;	/* another version was heard in this round */
	u8	misses[CONGA_HELLO_PORTS]; /* ticks in a row whose hellos nobody answered */
	u8	unanswered;	/* likewise, about no port, counted up to CONGA_HELLO_MISSES */
	struct conga_hello_terms theirs; /* of the last answer */
	bool	ecn;		/* the leaf has ecn on, by its last answer; by the user */
	__be16	port[CONGA_HELLO_PORTS]; /* the list of UDP ports; 0: none */
	u16	asked[CONGA_HELLO_PORTS]; /* hellos of the previous tick, a bit per LBTag */
	u16	waiting[CONGA_HELLO_PORTS]; /* of these, those not answered yet */
	u16	large;		/* full-size hellos of the previous tick, not answered yet */
	u16	usable;		/* at the previous tick */
	u16	out;		/* silent paths, a bit per LBTag */
	u16	narrow;		/* paths that lose only full-size hellos */
	u16	proven;		/* paths by which an answer came since they have a route */
	u16	pinged;		/* paths that the next tick must ping */
	u32	other;		/* the id before the last one */
	u64	nonce[2];	/* of this round and of the previous one; 0: none */
	u64	heard;		/* ns, of the last answer, by the user; 0: none yet */
	struct conga_hello_path path[CONGA_TAGS_MAX];	/* by our LBTag */
};

#endif /* _CONGA_HELLO_TYPES_H */
