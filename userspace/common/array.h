/* SPDX-License-Identifier: GPL-2.0 */
/* Arrays grow, and most of them are sorted. */
#ifndef CONGA_COMMON_ARRAY_H
#define CONGA_COMMON_ARRAY_H

#include <stddef.h>

/* @compare defines the order and which items are equal. Without it, all items stay, in the order
 * in which they were added.
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

/* conga_array_sort - sort by @compare, and keep one of equal items */
void conga_array_sort(struct conga_array *array);

/* conga_array_at - the item at @index, which must be below the count */
void *conga_array_at(const struct conga_array *array, size_t index);

/* conga_array_find - find an item equal to @key in a sorted array; returns NULL if there is none */
void *conga_array_find(const struct conga_array *array, const void *key);

/* conga_array_first - the index of the first item that is not below @key, or the count; the
 * array must be sorted
 */
size_t conga_array_first(const struct conga_array *array, const void *key);

/* conga_array_clean - free all items; the array can be used again */
void conga_array_clean(struct conga_array *array);

#endif /* CONGA_COMMON_ARRAY_H */
