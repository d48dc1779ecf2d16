/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_LINUX_LLIST_H
#define _UNIT_LINUX_LLIST_H

#include <stddef.h>

#include <linux/compiler.h>

struct llist_node {
	struct llist_node *next;
};

struct llist_head {
	struct llist_node *first;
};

static inline void init_llist_head(struct llist_head *list)
{
	list->first = NULL;
}

static inline void llist_add(struct llist_node *node, struct llist_head *list)
{
	node->next = READ_ONCE(list->first);
	while (!__atomic_compare_exchange_n(&list->first, &node->next, node, false,
					    __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
		;
}

#define llist_entry(ptr, type, member)	\
	((type *)((char *)(ptr) - offsetof(type, member)))

static inline struct llist_node *llist_next(struct llist_node *node)
{
	return node->next;
}

#endif /* _UNIT_LINUX_LLIST_H */
