/* SPDX-License-Identifier: GPL-2.0 */
/* All objects at once: the fabric, its ports, its leaves and their paths. */
#ifndef CONGA_TOOL_STATE_H
#define CONGA_TOOL_STATE_H

#include <stdbool.h>
#include "tool/nl.h"

/* Starts all zero. */
struct conga_state {
	struct conga_replies fabric;
	struct conga_replies ports;
	struct conga_replies leaves;
	struct conga_replies paths;
};

/*
 * All of these return a status. Without a fabric *@error is ENOENT, and that is not printed; it
 * is printed if @error is NULL. The caller cleans whatever the outcome.
 */

/* conga_state_read_object - what "conga OBJECT show" sends, without arguments */
int conga_state_read_object(const struct conga_object *object, int flags,
			    struct conga_replies *replies, int *error);

/* conga_state_read_objects - without paths, of which there may be many */
int conga_state_read_objects(struct conga_state *state, int *error);

int conga_state_read(struct conga_state *state, int *error);
void conga_state_clean(struct conga_state *state);

/* conga_state_same_addr - addresses are a pair of attributes, of which one is there; @a_addr4
 * and @b_addr4 are the IPv4 ones
 */
bool conga_state_same_addr(struct nlattr **a, int a_addr4, struct nlattr **b, int b_addr4);

#endif /* CONGA_TOOL_STATE_H */
