// SPDX-License-Identifier: GPL-2.0
/* Leaves: the remote tunnel endpoints of a fabric, found by address. */
#include <linux/slab.h>

#include "leaf.h"

static const struct rhashtable_params conga_leaf_params = {
	.key_offset		= offsetof(struct conga_leaf, addr),
	.key_len		= sizeof_field(struct conga_leaf, addr),
	.head_offset		= offsetof(struct conga_leaf, node),
	.automatic_shrinking	= true,
};

int conga_leaf_table_setup(struct conga_fabric *fabric)
{
	return rhashtable_init(&fabric->leaves, &conga_leaf_params);
}

static void conga_leaf_table_free_one(void *leaf, void *unused)
{
	conga_leaf_free(leaf);
}

/* conga_leaf_table_clean - free all leaves; no reader is left; may sleep */
void conga_leaf_table_clean(struct conga_fabric *fabric)
{
	xa_destroy(&fabric->leaf_index);
	rhashtable_free_and_destroy(&fabric->leaves, conga_leaf_table_free_one,
				    NULL);
}

/* conga_leaf_find - by address, NULL if none; RCU or the mutex */
struct conga_leaf *conga_leaf_find(struct conga_fabric *fabric,
				   const struct in6_addr *addr)
{
	return rhashtable_lookup_fast(&fabric->leaves, addr, conga_leaf_params);
}

/* conga_leaf_by_index - as in a flowlet, NULL if gone; RCU or the mutex */
struct conga_leaf *conga_leaf_by_index(struct conga_fabric *fabric, u16 index)
{
	return xa_load(&fabric->leaf_index, index);
}

/**
 * conga_leaf_next - walk all leaves in a stable order
 * @fabric: the mutex is held
 * @index: where to go on, 0 to begin; the found leaf's index afterwards
 */
struct conga_leaf *conga_leaf_next(struct conga_fabric *fabric,
				   unsigned long *index)
{
	return xa_find(&fabric->leaf_index, index, U16_MAX, XA_PRESENT);
}

/*
 * conga_leaf_add - make and publish a leaf
 *
 * May sleep. -ENOMEM, or -EBUSY when all 65,535 indices are taken.
 */
int conga_leaf_add(struct conga_fabric *fabric, const struct in6_addr *addr,
		   u8 mode)
{
	struct conga_leaf *leaf = kzalloc(sizeof(*leaf), GFP_KERNEL_ACCOUNT);
	u32 index;
	int err;

	conga_assert_locked(fabric);
	if (!leaf)
		return -ENOMEM;
	leaf->addr = *addr;
	leaf->mode = mode;
	leaf->fabric = fabric;
	spin_lock_init(&leaf->path_lock);
	err = xa_alloc(&fabric->leaf_index, &index, leaf,
		       XA_LIMIT(1, U16_MAX), GFP_KERNEL);
	if (err)
		goto err_free_leaf;
	leaf->index = index;
	err = rhashtable_insert_fast(&fabric->leaves, &leaf->node,
				     conga_leaf_params);
	if (err)
		goto err_free_index;
	fabric->leaf_count++;
	fabric->generation++;
	return 0;

err_free_index:
	xa_erase(&fabric->leaf_index, index);
err_free_leaf:
	kfree(leaf);
	return err;
}

/* conga_leaf_flush - forget what was learnt, e.g. because its scale changed */
void conga_leaf_flush(struct conga_leaf *leaf)
{
	conga_toleaf_flush(&leaf->to);
	conga_fromleaf_flush(&leaf->from);
}

void conga_leaf_set_mode(struct conga_leaf *leaf, u8 mode)
{
	conga_assert_locked(leaf->fabric);
	if (leaf->mode == mode)
		return;
	WRITE_ONCE(leaf->mode, mode);
	conga_leaf_flush(leaf);
}

/* conga_leaf_make_dead - unpublish; readers may hold it until a grace period */
void conga_leaf_make_dead(struct conga_leaf *leaf)
{
	struct conga_fabric *fabric = leaf->fabric;

	conga_assert_locked(fabric);
	rhashtable_remove_fast(&fabric->leaves, &leaf->node, conga_leaf_params);
	xa_erase(&fabric->leaf_index, leaf->index);
	fabric->leaf_count--;
	fabric->generation++;
}

/* conga_leaf_free - after a grace period since it was made dead */
void conga_leaf_free(struct conga_leaf *leaf)
{
	conga_path_forget_all(leaf);
	kfree(leaf);
}
