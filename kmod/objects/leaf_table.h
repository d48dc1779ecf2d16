/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_LEAF_TABLE_H
#define _CONGA_LEAF_TABLE_H

/* Inline, because conga_tx(), conga_rx() and conga_forward() look up a leaf for every packet. */
#include <linux/hash.h>

#include "objects/leaf.h"

/* Of packets' own index of IPv4 leaves, 32 KB a fabric; with 1,000 leaves a tenth of them has a
 * slot that another one took first.
 */
#define CONGA_LEAF_SLOT_BITS	12
#define CONGA_LEAF_SLOTS	BIT(CONGA_LEAF_SLOT_BITS)

/* RCU */
struct conga_leaf *conga_leaf_find(struct conga_fabric *fabric, const struct in6_addr *addr);
struct conga_leaf *conga_leaf_find_mapped(struct conga_fabric *fabric, __be32 addr);

static inline u32 conga_leaf_slot(__be32 addr)
{
	return hash_32((__force u32)addr, CONGA_LEAF_SLOT_BITS);
}

/* conga_leaf_find4 - find by an IPv4 address, NULL if none; RCU */
static inline struct conga_leaf *conga_leaf_find4(struct conga_fabric *fabric, __be32 addr)
{
	struct conga_leaf *leaf = rcu_dereference(fabric->leaf4[conga_leaf_slot(addr)]);

	if (likely(leaf && leaf->addr.s6_addr32[3] == addr))
		return leaf;
	return conga_leaf_find_mapped(fabric, addr);
}

int conga_leaf_table_setup(struct conga_fabric *fabric);
int conga_leaf_table_add(struct conga_leaf *leaf);
void conga_leaf_table_remove(struct conga_leaf *leaf);

/* The mutex */
struct conga_leaf *conga_leaf_find_locked(struct conga_fabric *fabric,
					  const struct in6_addr *addr);
struct conga_leaf *conga_leaf_next(struct conga_fabric *fabric,
				   unsigned long *index);

/* RCU or the mutex */
struct conga_leaf *conga_leaf_by_index(struct conga_fabric *fabric, u16 index);

#endif /* _CONGA_LEAF_TABLE_H */
