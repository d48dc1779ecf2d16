/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_LEAF_H
#define _CONGA_LEAF_H

#include <linux/in6.h>
#include <linux/rhashtable.h>
#include <net/ipv6.h>

#include "fabric.h"
#include "feedback.h"
#include "path.h"
#include "toleaf.h"

struct conga_leaf {
	struct in6_addr		addr;	/* IPv4 as ::ffff:a.b.c.d */
	struct rhash_head	node;
	u16			index;	/* in flowlets and fabric->leaf_index */
	u8			mode;	/* enum conga_mode; READ_ONCE by packets */
	struct conga_fabric	*fabric;
	struct conga_toleaf	to;
	struct conga_path	path[CONGA_TAGS_MAX];	/* by LBTag */
	struct conga_path_key	key;	/* that they were resolved for */
	spinlock_t		path_lock;	/* refresh of path[] and key, BH */
	/* Written by every packet received, read by every packet sent. */
	struct conga_fromleaf	from ____cacheline_aligned_in_smp;
};

static inline bool conga_leaf_is_v4(const struct conga_leaf *leaf)
{
	return ipv6_addr_v4mapped(&leaf->addr);
}

int conga_leaf_table_setup(struct conga_fabric *fabric);
void conga_leaf_table_clean(struct conga_fabric *fabric);

struct conga_leaf *conga_leaf_find(struct conga_fabric *fabric,
				   const struct in6_addr *addr);
struct conga_leaf *conga_leaf_by_index(struct conga_fabric *fabric, u16 index);
struct conga_leaf *conga_leaf_next(struct conga_fabric *fabric,
				   unsigned long *index);
int conga_leaf_add(struct conga_fabric *fabric, const struct in6_addr *addr,
		   u8 mode);
void conga_leaf_set_mode(struct conga_leaf *leaf, u8 mode);
void conga_leaf_flush(struct conga_leaf *leaf);
void conga_leaf_make_dead(struct conga_leaf *leaf);
void conga_leaf_free(struct conga_leaf *leaf);

#endif /* _CONGA_LEAF_H */
