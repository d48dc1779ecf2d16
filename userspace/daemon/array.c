// SPDX-License-Identifier: GPL-2.0
/* Sorted arrays, and the addresses that most of them are sorted by. */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include "daemon/daemon.h"

#define CONGAD_ARRAY_ROOM_MIN	64

static int congad_array_grow(struct congad_array *array)
{
	size_t room = array->room ? 2 * array->room : CONGAD_ARRAY_ROOM_MIN;
	void *items = reallocarray(array->items, room, array->size);

	if (!items)
		return CONGAD_FAILED;
	array->items = items;
	array->room = room;
	return 0;
}

/*
 * congad_array_add - append a copy of @item
 *
 * Duplicates are squeezed out before more room is taken: a table of a million
 * addresses behind ten VTEPs needs room for ten. The array is sorted only after
 * congad_array_sort().
 */
int congad_array_add(struct congad_array *array, const void *item)
{
	if (array->count == array->room) {
		congad_array_sort(array);
		if (array->count >= array->room / 2 && congad_array_grow(array))
			return CONGAD_FAILED;
	}
	memcpy(congad_array_at(array, array->count++), item, array->size);
	return 0;
}

/* congad_array_sort - and leave one of those that are the same */
void congad_array_sort(struct congad_array *array)
{
	size_t i, kept = 0;

	if (!array->count)
		return;
	qsort(array->items, array->count, array->size, array->compare);
	for (i = 1; i < array->count; i++) {
		if (!array->compare(congad_array_at(array, kept), congad_array_at(array, i)))
			continue;
		kept++;
		memmove(congad_array_at(array, kept), congad_array_at(array, i), array->size);
	}
	array->count = kept + 1;
}

void *congad_array_at(const struct congad_array *array, size_t index)
{
	return (char *)array->items + index * array->size;
}

/* congad_array_find - in a sorted array, NULL if it is not there */
void *congad_array_find(const struct congad_array *array, const void *key)
{
	if (!array->count)
		return NULL;
	return bsearch(key, array->items, array->count, array->size, array->compare);
}

/* congad_array_first - index of the first that is not below @key */
size_t congad_array_first(const struct congad_array *array, const void *key)
{
	size_t low = 0, high = array->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (array->compare(congad_array_at(array, middle), key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void congad_array_clean(struct congad_array *array)
{
	free(array->items);
	array->items = NULL;
	array->count = 0;
	array->room = 0;
}

int congad_addr_compare(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct in6_addr));
}

/* congad_addr_read - an attribute whose length says the family */
bool congad_addr_read(const struct nlattr *attr, struct in6_addr *addr)
{
	if (!attr)
		return false;
	memset(addr, 0, sizeof(*addr));
	if (nla_len(attr) == (int)sizeof(*addr)) {
		memcpy(addr, nla_data(attr), sizeof(*addr));
		return true;
	}
	if (nla_len(attr) != (int)sizeof(struct in_addr))
		return false;
	addr->s6_addr32[2] = htonl(0xffff);
	memcpy(&addr->s6_addr32[3], nla_data(attr), sizeof(struct in_addr));
	return true;
}

bool congad_addr_is_v4(const struct in6_addr *addr)
{
	return IN6_IS_ADDR_V4MAPPED(addr);
}

static bool congad_addr_is_vtep4(uint32_t addr)
{
	return addr != INADDR_ANY && addr >> 24 != IN_LOOPBACKNET && !IN_MULTICAST(addr) &&
	       !IN_BADCLASS(addr) && addr >> 16 != 0xa9fe;	/* 169.254.0.0/16 */
}

/* congad_addr_is_vtep - can it be a leaf? Whether it is our own, routes know. */
bool congad_addr_is_vtep(const struct in6_addr *addr)
{
	if (congad_addr_is_v4(addr))
		return congad_addr_is_vtep4(ntohl(addr->s6_addr32[3]));
	return !IN6_IS_ADDR_UNSPECIFIED(addr) && !IN6_IS_ADDR_LOOPBACK(addr) &&
	       !IN6_IS_ADDR_MULTICAST(addr) && !IN6_IS_ADDR_LINKLOCAL(addr);
}

int congad_addr_put(struct nl_msg *msg, int attr4, int attr6, const struct in6_addr *addr)
{
	if (congad_addr_is_v4(addr))
		return nla_put(msg, attr4, sizeof(struct in_addr), &addr->s6_addr32[3]);
	return nla_put(msg, attr6, sizeof(*addr), addr);
}

/* @text has CONGAD_ADDR_TEXT_MAX bytes. */
const char *congad_addr_text(const struct in6_addr *addr, char *text)
{
	bool v4 = congad_addr_is_v4(addr);

	inet_ntop(v4 ? AF_INET : AF_INET6, v4 ? (const void *)&addr->s6_addr32[3] : addr,
		  text, CONGAD_ADDR_TEXT_MAX);
	return text;
}
