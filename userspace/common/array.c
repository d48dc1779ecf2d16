// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>
#include "common/array.h"

#define CONGA_ARRAY_ROOM_MIN	64

static int conga_array_grow(struct conga_array *array)
{
	size_t room = array->room ? 2 * array->room : CONGA_ARRAY_ROOM_MIN;
	void *items = reallocarray(array->items, room, array->size);

	if (!items)
		return 1;
	array->items = items;
	array->room = room;
	return 0;
}

/* Duplicates are removed before more memory is allocated: a table of a million addresses behind
 * ten VTEPs needs memory for ten.
 */
int conga_array_add(struct conga_array *array, const void *item)
{
	if (array->count == array->room) {
		conga_array_sort(array);
		if (array->count >= array->room / 2 && conga_array_grow(array))
			return 1;
	}
	memcpy(conga_array_at(array, array->count++), item, array->size);
	return 0;
}

void conga_array_sort(struct conga_array *array)
{
	size_t i, kept = 0;

	if (!array->count || !array->compare)
		return;
	qsort(array->items, array->count, array->size, array->compare);
	for (i = 1; i < array->count; i++) {
		if (!array->compare(conga_array_at(array, kept), conga_array_at(array, i)))
			continue;
		kept++;
		memmove(conga_array_at(array, kept), conga_array_at(array, i), array->size);
	}
	array->count = kept + 1;
}

void *conga_array_at(const struct conga_array *array, size_t index)
{
	return (char *)array->items + index * array->size;
}

void *conga_array_find(const struct conga_array *array, const void *key)
{
	if (!array->count)
		return NULL;
	return bsearch(key, array->items, array->count, array->size, array->compare);
}

size_t conga_array_first(const struct conga_array *array, const void *key)
{
	size_t low = 0, high = array->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (array->compare(conga_array_at(array, middle), key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void conga_array_clean(struct conga_array *array)
{
	free(array->items);
	array->items = NULL;
	array->count = 0;
	array->room = 0;
}
