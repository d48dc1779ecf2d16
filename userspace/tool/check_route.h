/* SPDX-License-Identifier: GPL-2.0 */
/* These checks look at how the kernel itself forwards over the ports. */
#ifndef CONGA_TOOL_CHECK_ROUTE_H
#define CONGA_TOOL_CHECK_ROUTE_H

#include "tool/check_node.h"
#include "tool/check_report.h"

void conga_check_hash_policy(const struct conga_check *check, const struct conga_node *node);
void conga_check_linkdown(const struct conga_check *check, const struct conga_node *node);

#endif /* CONGA_TOOL_CHECK_ROUTE_H */
