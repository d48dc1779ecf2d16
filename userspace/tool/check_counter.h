/* SPDX-License-Identifier: GPL-2.0 */
/* These checks look at counters that grew while the node was watched. */
#ifndef CONGA_TOOL_CHECK_COUNTER_H
#define CONGA_TOOL_CHECK_COUNTER_H

#include "tool/check_node.h"
#include "tool/check_report.h"

void conga_check_counters(const struct conga_check *check, const struct conga_node *node);
void conga_check_collisions(const struct conga_check *check, const struct conga_node *node);

/* Packets with ECN came, and none was marked since the fabric exists. */
void conga_check_ecn_unmarked(const struct conga_check *check, const struct conga_node *node);

#endif /* CONGA_TOOL_CHECK_COUNTER_H */
