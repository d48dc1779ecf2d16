// SPDX-License-Identifier: GPL-2.0
/* The leaves of a fabric, by address and by index. */
#include <linux/hash.h>
#include <linux/rhashtable.h>
#include <linux/slab.h>

#include "objects/leaf_table.h"

/* The hash multiplies: upper bits of a product depend on all lower ones, and are folded
 * onto these, so that addresses may differ in any bits. (ipv6_addr_hash() maps addresses
 * with equal halves, as fd00:0:0:7::7, to one number.) Only an operator can choose
 * addresses that collide, and an operator has better ways to slow this node down.
 */
static u32 conga_leaf_hash(const void *key, u32 len, u32 seed)
{
	__be64 half[2];
	u64 sum;

	memcpy(half, key, sizeof(half));
	sum = be64_to_cpu(half[0]) * GOLDEN_RATIO_64 ^ be64_to_cpu(half[1]);
	return hash_64(sum ^ sum >> 32 ^ seed, 32);
}

static int conga_leaf_differs(struct rhashtable_compare_arg *arg, const void *leaf)
{
	return !ipv6_addr_equal(arg->key, &((const struct conga_leaf *)leaf)->addr);
}

static const struct rhashtable_params conga_leaf_params = {
	.key_offset		= offsetof(struct conga_leaf, addr),
	.key_len		= sizeof_field(struct conga_leaf, addr),
	.head_offset		= offsetof(struct conga_leaf, node),
	.hashfn			= conga_leaf_hash,
	.obj_cmpfn		= conga_leaf_differs,
	.automatic_shrinking	= true,
};

/* conga_leaf_table_setup - may sleep. Returns 0 or -ENOMEM */
int conga_leaf_table_setup(struct conga_fabric *fabric)
{
	int err;

	fabric->leaf4 = kvcalloc(CONGA_LEAF_SLOTS, sizeof(*fabric->leaf4), GFP_KERNEL);
	if (!fabric->leaf4)
		return -ENOMEM;
	err = rhashtable_init(&fabric->leaves, &conga_leaf_params);
	if (err)
		kvfree(fabric->leaf4);
	return err;
}

/* conga_leaf_find - find by address, NULL if none; RCU */
struct conga_leaf *conga_leaf_find(struct conga_fabric *fabric, const struct in6_addr *addr)
{
	return rhashtable_lookup(&fabric->leaves, addr, conga_leaf_params);
}

/* conga_leaf_find_mapped - likewise, by an IPv4 address */
struct conga_leaf *conga_leaf_find_mapped(struct conga_fabric *fabric, __be32 addr)
{
	struct in6_addr mapped;

	ipv6_addr_set_v4mapped(addr, &mapped);
	return conga_leaf_find(fabric, &mapped);
}

/* conga_leaf_find_locked - as conga_leaf_find(), under the mutex */
struct conga_leaf *conga_leaf_find_locked(struct conga_fabric *fabric,
					  const struct in6_addr *addr)
{
	struct conga_leaf *leaf;

	rcu_read_lock();
	leaf = conga_leaf_find(fabric, addr);
	rcu_read_unlock();
	return leaf;
}

/* conga_leaf_by_index - the leaf of an index in a flowlet, NULL if gone; RCU or the mutex */
struct conga_leaf *conga_leaf_by_index(struct conga_fabric *fabric, u16 index)
{
	return xa_load(&fabric->leaf_index, index);
}

/**
 * conga_leaf_next - walk all leaves in a stable order
 * @fabric: the mutex is held
 * @index: the first index to look at, 0 to begin; set to the found leaf's index
 */
struct conga_leaf *conga_leaf_next(struct conga_fabric *fabric,
				   unsigned long *index)
{
	return xa_find(&fabric->leaf_index, index, U16_MAX, XA_PRESENT);
}

/* Packets find it by its slot, unless another leaf has that one; the mutex. */
static void conga_leaf_take_slot(struct conga_leaf *leaf)
{
	struct conga_leaf __rcu **slot;

	slot = &leaf->fabric->leaf4[conga_leaf_slot(leaf->addr.s6_addr32[3])];
	if (leaf->v4 && !rcu_access_pointer(*slot))
		rcu_assign_pointer(*slot, leaf);
}

static void conga_leaf_leave_slot(const struct conga_leaf *leaf)
{
	struct conga_leaf __rcu **slot;

	slot = &leaf->fabric->leaf4[conga_leaf_slot(leaf->addr.s6_addr32[3])];
	if (rcu_access_pointer(*slot) == leaf)
		RCU_INIT_POINTER(*slot, NULL);
}

/*
 * conga_leaf_table_add - from now on the leaf is found; the locks are held, may sleep
 *
 * Returns 0, -ENOMEM, or -EBUSY when all 65,535 indices are taken.
 */
int conga_leaf_table_add(struct conga_leaf *leaf)
{
	struct conga_fabric *fabric = leaf->fabric;
	u32 index;
	int err;

	conga_assert_locked(fabric);
	/* The index is reserved until the leaf is complete: the tick and events find leaves
	 * by index, and could still use this one when the table rejects it.
	 */
	err = xa_alloc(&fabric->leaf_index, &index, NULL,
		       XA_LIMIT(1, U16_MAX), GFP_KERNEL);
	if (err)
		return err;
	leaf->index = index;
	leaf->hello->tick = index % CONGA_HELLO_TICKS;
	err = rhashtable_insert_fast(&fabric->leaves, &leaf->node,
				     conga_leaf_params);
	if (err) {
		xa_release(&fabric->leaf_index, index);
		return err;
	}
	conga_leaf_take_slot(leaf);
	xa_store(&fabric->leaf_index, index, leaf, GFP_KERNEL);
	WRITE_ONCE(fabric->leaf_count, fabric->leaf_count + 1);
	fabric->generation++;
	return 0;
}

/* conga_leaf_table_remove - nothing finds the leaf any more, but readers may hold it until a
 * grace period; the locks are held
 */
void conga_leaf_table_remove(struct conga_leaf *leaf)
{
	struct conga_fabric *fabric = leaf->fabric;

	conga_assert_locked(fabric);
	conga_leaf_leave_slot(leaf);
	rhashtable_remove_fast(&fabric->leaves, &leaf->node, conga_leaf_params);
	xa_erase(&fabric->leaf_index, leaf->index);
	WRITE_ONCE(fabric->leaf_count, fabric->leaf_count - 1);
	fabric->generation++;
}
