/* SPDX-License-Identifier: GPL-2.0 */
/* These checks look at the nodes at the other ends of ports' links: spines, for a leaf. */
#ifndef CONGA_TOOL_CHECK_NEIGHBOUR_H
#define CONGA_TOOL_CHECK_NEIGHBOUR_H

#include "tool/check_node.h"
#include "tool/check_report.h"

void conga_check_neighbour_differs(const struct conga_check *check, const struct conga_node *node);
void conga_check_neighbour_none(const struct conga_check *check, const struct conga_node *node);

#endif /* CONGA_TOOL_CHECK_NEIGHBOUR_H */
