/* SPDX-License-Identifier: GPL-2.0 */
/* What tunnels and routes reach: devices towards leaves, and addresses that are no leaves. */
#ifndef CONGA_TOOL_CHECK_REACH_H
#define CONGA_TOOL_CHECK_REACH_H

#include "tool/check_node.h"

/* conga_reach_read - fill in leaf_hops and strangers of a node that was read; returns a status */
int conga_reach_read(struct conga_node *node);

#endif /* CONGA_TOOL_CHECK_REACH_H */
