/* SPDX-License-Identifier: GPL-2.0 */
/* The state is all objects at once: the fabric, its ports, its leaves and their paths. */
#ifndef CONGA_TOOL_STATE_H
#define CONGA_TOOL_STATE_H

#include <stdbool.h>
#include "tool/nl.h"

/* A state starts all zero. */
struct conga_state {
	struct conga_replies fabric;
	struct conga_replies ports;
	struct conga_replies leaves;
	struct conga_replies paths;
};

/*
 * All these functions return a status. Without a fabric *@error is ENOENT, and no error
 * is printed; if @error is NULL it is printed. The caller cleans in any case.
 */

/* conga_state_read_object - read what "conga OBJECT show" reads without arguments */
int conga_state_read_object(const struct conga_object *object, int flags,
			    struct conga_replies *replies, int *error);

/* conga_state_read_objects - read all objects but paths, of which there may be many */
int conga_state_read_objects(struct conga_state *state, int *error);

int conga_state_read(struct conga_state *state, int *error);
void conga_state_clean(struct conga_state *state);

/* conga_state_same_addr - are the addresses equal? An address is one of a pair of attributes;
 * @a_addr4 and @b_addr4 are the IPv4 ones.
 */
bool conga_state_same_addr(struct nlattr **a, int a_addr4, struct nlattr **b, int b_addr4);

#endif /* CONGA_TOOL_STATE_H */
