/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_LEAF_H
#define _CONGA_LEAF_H

#include <linux/in6.h>
#include <linux/rhashtable.h>
#include <linux/spinlock.h>
#include <net/ipv6.h>

#include "fabric.h"
#include "feedback.h"
#include "hello.h"
#include "path.h"
#include "toleaf.h"

/* What events said last. */
struct conga_leaf_told {
	u8	state;
	u8	reason;
	u8	path[CONGA_TAGS_MAX];	/* enum conga_path_reason, by LBTag */
};

struct conga_leaf {
	struct in6_addr		addr;	/* IPv4 as ::ffff:a.b.c.d */
	struct rhash_head	node;
	u16			index;	/* in flowlets and fabric->leaf_index */
	u8			state;	/* plain or conga; READ_ONCE by packets */
	u16			silent;	/* paths that are out, READ_ONCE by packets */
	unsigned long		busy;	/* paths that carried packets since the
					 * last tick; set_bit by packets
					 */
	struct conga_fabric	*fabric;
	struct conga_toleaf	to;
	struct conga_paths	paths;
	spinlock_t		hello_lock;	/* hello, state, silent; BH */
	struct conga_hello	hello;
	u8			mode;	/* enum conga_mode, as ordered */
	u8			origin;	/* enum conga_origin */
	struct conga_leaf_told	told;	/* the last event's, by netlink_event.c */
	atomic64_t		explicit_sent;	/* ns, last explicit feedback */
	/* Written by every packet received, read by every packet sent. */
	struct conga_fromleaf	from ____cacheline_aligned_in_smp;
};

static inline bool conga_leaf_is_v4(const struct conga_leaf *leaf)
{
	return ipv6_addr_v4mapped(&leaf->addr);
}

/* Are packets to it stamped, and its stamps learnt from? Any context. */
static inline bool conga_leaf_is_conga(const struct conga_leaf *leaf)
{
	return READ_ONCE(leaf->state) == CONGA_MODE_CONGA;
}

/* Is the path by @tag out, because the leaf does not answer by it? */
static inline bool conga_leaf_is_silent(const struct conga_leaf *leaf, u8 tag)
{
	return READ_ONCE(leaf->silent) & BIT(tag);
}

/* Paths that are not for new flowlets, whether they lead to the leaf or not. */
static inline u16 conga_leaf_shut(const struct conga_leaf *leaf)
{
	return READ_ONCE(leaf->silent) | READ_ONCE(leaf->fabric->draining);
}

/* A packet goes by @tag. The word is written once per tick and LBTag. */
static inline void conga_leaf_mark_busy(struct conga_leaf *leaf, u8 tag)
{
	if (!test_bit(tag, &leaf->busy))
		set_bit(tag, &leaf->busy);
}

int conga_leaf_table_setup(struct conga_fabric *fabric);
void conga_leaf_table_clean(struct conga_fabric *fabric);

struct conga_leaf *conga_leaf_find(struct conga_fabric *fabric,
				   const struct in6_addr *addr);
struct conga_leaf *conga_leaf_find_locked(struct conga_fabric *fabric,
					  const struct in6_addr *addr);
struct conga_leaf *conga_leaf_by_index(struct conga_fabric *fabric, u16 index);
struct conga_leaf *conga_leaf_next(struct conga_fabric *fabric,
				   unsigned long *index);
struct conga_leaf *conga_leaf_add(struct conga_fabric *fabric,
				  const struct in6_addr *addr, u8 mode,
				  u8 origin);
void conga_leaf_set_mode(struct conga_leaf *leaf, u8 mode);
void conga_leaf_settle(struct conga_leaf *leaf);
u8 conga_leaf_reason(const struct conga_leaf *leaf,
		     const struct conga_params *params);
u16 conga_leaf_open(struct conga_leaf *leaf);
u8 conga_leaf_path_reason(struct conga_leaf *leaf, struct conga_port *port);
void conga_leaf_flush(struct conga_leaf *leaf);
void conga_leaf_make_dead(struct conga_leaf *leaf);
void conga_leaf_free(struct conga_leaf *leaf);

#endif /* _CONGA_LEAF_H */
