/* SPDX-License-Identifier: GPL-2.0 */
/* These checks compare the fabric with the tunnels: UDP ports, destinations, nexthops. */
#ifndef CONGA_TOOL_CHECK_TUNNEL_H
#define CONGA_TOOL_CHECK_TUNNEL_H

#include "tool/check_node.h"
#include "tool/check_report.h"

void conga_check_dstport_unused(const struct conga_check *check, const struct conga_node *node);
void conga_check_dstport_other(const struct conga_check *check, const struct conga_node *node);
void conga_check_no_leaf(const struct conga_check *check, const struct conga_node *node);
void conga_check_no_port(const struct conga_check *check, const struct conga_node *node);

#endif /* CONGA_TOOL_CHECK_TUNNEL_H */
