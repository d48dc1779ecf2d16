/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_LEAF_H
#define _CONGA_LEAF_H

/* Inline, because conga_tx(), conga_rx() and conga_forward() read a leaf's state for every packet.
 */
#include <linux/in6.h>
#include <linux/spinlock.h>
#include <net/ipv6.h>

#include "objects/extension.h"
#include "objects/fabric.h"
#include "objects/path.h"
#include "paper/ecn.h"
#include "paper/feedback.h"
#include "paper/hello.h"
#include "paper/hello_ping.h"
#include "paper/toleaf.h"

/* The state in the last events. */
struct conga_leaf_told {
	u8	state;
	u8	reason;
	u8	path[CONGA_TAGS_MAX];	/* enum conga_path_reason, by LBTag */
};

/*
 * A leaf takes an object of 1024 bytes, one of 256 for hello, one of 512 once it was pinged,
 * and for each set of its paths one of 512 bytes or less with four uplinks. Its cache lines,
 * of 64 bytes, are divided by their writers:
 *
 *   0	what every packet to or from the leaf reads. Packets write busy alone, once a tick
 *	and LBTag.
 *   1	written by configuration, by the tick, when paths are resolved, and by a packet
 *	once in Tage / 2 (explicit_sent) or a jiffy (own_looked). to.loaded is read once a
 *	flowlet, and written when a path gets load, or has none any more.
 *   2-3	to.heard: a word is written once a grain at most, by packets received, and
 *	read once a flowlet, if the path has load.
 *   4-8	from: a word is written by packets received when CE differs or 16 grains later,
 *	and by packets sent when they feed back something new.
 *   9-11	ecn, after pointers and ports, which the tick writes: with ecn on, a word is written
 *	once a grain at most by packets received.
 *   11	extension: of probes, some per Tp, if there are any; read once a flowlet then, but
 *	never with ecn on.
 *
 * So only the lines of a leaf's two tables bounce between CPUs. The tables need that: one
 * CPU receives, another sends.
 */
struct conga_leaf {
	struct in6_addr		addr;	/* IPv4 as ::ffff:a.b.c.d */
	struct rhash_head	node;
	u16			index;	/* in flowlets and fabric->leaf_index */
	u8			state;	/* CONGA_LEAF_CONGA, CONGA_LEAF_ECN,
					 * CONGA_LEAF_INFORMS, and a bit for each UDP port
					 * that gets stamps; READ_ONCE by packets
					 */
	u8			mode;	/* enum conga_mode, as ordered */
	u16			silent;	/* paths that are out; READ_ONCE by packets */
	u8			origin;	/* enum conga_origin */
	bool			v4;	/* addr is an IPv4 address */
	struct conga_fabric	*fabric;
	unsigned long		busy;	/* paths that carried packets since the
					 * last tick; set_bit by packets
					 */
	struct conga_paths __rcu *paths; /* the newest key's first, by path.c */
	spinlock_t		paths_lock;	/* paths and what follows; BH */
	u16			path_up;	/* uplinks that led there, as in the counters */
	u8			path_keys;	/* sets of paths */
	struct {
		u32		path_evicted;	/* jiffies, the last time that a set replaced
						 * another
						 */
		u32		own_looked;	/* jiffies, when tx.c last looked at a packet's
						 * address
						 */
	} __aligned(8);
	struct conga_leaf_told	told;	/* the last event's, by event.c */
	u8			own_rank;	/* enum conga_own_rank, the reason for own */
	spinlock_t		hello_lock;	/* *hello, state, silent, own; BH */
	atomic64_t		explicit_sent;	/* ns, last explicit feedback */
	struct in6_addr		own;		/* the address by which it knows this node */
	struct conga_toleaf	to;
	struct conga_fromleaf	from ____cacheline_aligned_in_smp;
	struct conga_hello	*hello;	/* used by the tick and by answers */
	struct conga_entropy	entropy; /* ports are read for every packet, if entropy is on; by
					  * hello_lock
					  */
	struct conga_ecn	ecn;	/* marks on its packets, as written as from */
	struct conga_hello_pings *pings; /* NULL: it was never pinged; by hello_lock, see ping.c */
	struct conga_leaf_extension extension; /* of the policy */
};

static inline bool conga_leaf_is_v4(const struct conga_leaf *leaf)
{
	return leaf->v4;
}

/* Bits in struct conga_leaf::state, beside the ports */
#define CONGA_LEAF_CONGA	BIT(7)
#define CONGA_LEAF_ECN		BIT(6)
#define CONGA_LEAF_INFORMS	BIT(5)
#define CONGA_LEAF_PORTS	(BIT(CONGA_DSTPORTS_MAX) - 1)

/* Do packets to it get stamps at any port, and are its stamps learnt? Any context. */
static inline bool conga_leaf_is_conga(const struct conga_leaf *leaf)
{
	return READ_ONCE(leaf->state) & CONGA_LEAF_CONGA;
}

/* Does its feedback tell of links that this node does not see itself? It tells nothing if the leaf
 * is plain, or if no node between the two raises CE or sets marks.
 */
static inline bool conga_leaf_informs(const struct conga_leaf *leaf)
{
	return READ_ONCE(leaf->state) & CONGA_LEAF_INFORMS;
}

/* Is ecn on here and there? Then stamped packets are sent with ECT, and marks are counted. */
static inline bool conga_leaf_has_ecn(const struct conga_leaf *leaf)
{
	return READ_ONCE(leaf->state) & CONGA_LEAF_ECN;
}

/* Do packets to it get stamps at @port, a bit of conga_dstports_bit()? */
static inline bool conga_leaf_stamps(const struct conga_leaf *leaf, u8 port)
{
	return READ_ONCE(leaf->state) & port;
}

/* The results of hello that are reported to others */
struct conga_leaf_news {
	u16	silent;
	u16	narrow;
	u8	state;
	u8	reason;
};

/* What an operator is told of a leaf */
struct conga_leaf_look {
	u8	state;		/* enum conga_leaf_state */
	u8	reason;		/* enum conga_leaf_reason */
	u8	unanswered;	/* hellos in a row, up to CONGA_HELLO_MISSES */
	bool	ecn;		/* is on here and there */
	u32	term;		/* its own value of what differs, or 0 */
	u64	heard;		/* ns, of the last answer; 0: none yet */
};

/* The latest hellos by a path, at most CONGA_HELLO_LOSS_WINDOW */
struct conga_leaf_loss {
	u8	sent;
	u8	missed;
};

/* Is the path by @tag out, because the leaf does not answer by it, or because it is narrow? */
static inline bool conga_leaf_is_silent(const struct conga_leaf *leaf, u8 tag)
{
	return READ_ONCE(leaf->silent) & BIT(tag);
}

/* Paths that new flowlets must not take, whether they lead to the leaf or not */
static inline u16 conga_leaf_shut(const struct conga_leaf *leaf)
{
	return READ_ONCE(leaf->silent) | READ_ONCE(leaf->fabric->draining);
}

/* Has the leaf a path of its own by @tag? An uplink's further LBTags are for leaves that feed
 * back.
 */
static inline bool conga_leaf_has_path(const struct conga_leaf *leaf, u8 tag)
{
	return conga_leaf_is_conga(leaf) || !(READ_ONCE(leaf->fabric->extra) & BIT(tag));
}

/* Notes that a packet leaves by @tag. The word is written once per tick and LBTag. */
static inline void conga_leaf_mark_busy(struct conga_leaf *leaf, u8 tag)
{
	if (!test_bit(tag, &leaf->busy))
		set_bit(tag, &leaf->busy);
}

struct conga_leaf *conga_leaf_add(struct conga_fabric *fabric,
				  const struct in6_addr *addr, u8 mode,
				  u8 origin);
void conga_leaf_forget_tag(struct conga_leaf *leaf, u8 tag);
void conga_leaf_forget_uplink(struct conga_fabric *fabric, u8 tag);
void conga_leaf_set_mode(struct conga_leaf *leaf, u8 mode);
void conga_leaf_settle(struct conga_leaf *leaf);
struct conga_leaf_news conga_leaf_news(const struct conga_leaf *leaf);
void conga_leaf_tell(struct conga_leaf *leaf, const struct conga_leaf_news *before);
u8 conga_leaf_reason(const struct conga_leaf *leaf,
		     const struct conga_params *params);
struct conga_leaf_look conga_leaf_look(struct conga_leaf *leaf,
				       const struct conga_params *params);
u16 conga_leaf_open(struct conga_leaf *leaf);
u8 conga_leaf_path_reason(struct conga_leaf *leaf, struct conga_port *port, u8 tag);
u8 conga_leaf_path_state(const struct conga_leaf *leaf, const struct conga_port *port, u8 tag,
			 u8 reason);
struct conga_leaf_loss conga_leaf_path_loss(struct conga_leaf *leaf, u8 tag);
void conga_leaf_flush(struct conga_leaf *leaf);
void conga_leaf_make_dead(struct conga_leaf *leaf);
void conga_leaf_free(struct conga_leaf *leaf);
void conga_leaf_free_all(struct conga_fabric *fabric);

#endif /* _CONGA_LEAF_H */
