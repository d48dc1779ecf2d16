/* SPDX-License-Identifier: GPL-2.0 */
/* These checks look at devices: tunnels without a local address, MTUs, stacked ports, rates. */
#ifndef CONGA_TOOL_CHECK_LINK_H
#define CONGA_TOOL_CHECK_LINK_H

#include "tool/check_node.h"
#include "tool/check_report.h"

void conga_check_vxlan_local(const struct conga_check *check, const struct conga_node *node);
void conga_check_vxlan_locals(const struct conga_check *check, const struct conga_node *node);
void conga_check_vxlan_gbp(const struct conga_check *check, const struct conga_node *node);
void conga_check_mtu(const struct conga_check *check, const struct conga_node *node);
void conga_check_mtu_differs(const struct conga_check *check, const struct conga_node *node);
void conga_check_stacked(const struct conga_check *check, const struct conga_node *node);
void conga_check_rate(const struct conga_check *check, const struct conga_node *node);

#endif /* CONGA_TOOL_CHECK_LINK_H */
