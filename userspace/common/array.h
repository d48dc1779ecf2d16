/* SPDX-License-Identifier: GPL-2.0 */
/* Arrays that grow, most of them sorted. */
#ifndef CONGA_COMMON_ARRAY_H
#define CONGA_COMMON_ARRAY_H

#include <stddef.h>

/* @compare gives the order and says which items are the same. Without it, items stay in the
 * order in which they were added, and all of them stay.
 */
struct conga_array {
	void *items;
	size_t count;
	size_t room;		/* items */
	size_t size;		/* bytes of an item */
	int (*compare)(const void *a, const void *b);
};

#define CONGA_ARRAY(type, compare_items) \
	{ .size = sizeof(type), .compare = (compare_items) }

/**
 * conga_array_add() - append a copy of an item
 * @array: is no longer sorted, and may have fewer duplicates
 * @item: copied
 * Return: 0, or 1 without memory.
 */
int conga_array_add(struct conga_array *array, const void *item);

/* conga_array_sort - in the order of @compare, and one item of those that are the same */
void conga_array_sort(struct conga_array *array);

/* conga_array_at - the item number @index, which must be below the count */
void *conga_array_at(const struct conga_array *array, size_t index);

/* conga_array_find - the item that is the same as @key, NULL if there is none; sorted only */
void *conga_array_find(const struct conga_array *array, const void *key);

/* conga_array_first - index of the first item that is not below @key, or the count; sorted
 * only
 */
size_t conga_array_first(const struct conga_array *array, const void *key);

/* conga_array_clean - frees all items; the array can be used again */
void conga_array_clean(struct conga_array *array);

#endif /* CONGA_COMMON_ARRAY_H */
