/* SPDX-License-Identifier: GPL-2.0 */
/* These fields of the fabric are more than one attribute, or repeated. */
#ifndef CONGA_TOOL_FABRIC_PRINT_H
#define CONGA_TOOL_FABRIC_PRINT_H

#include <netlink/attr.h>
#include <netlink/msg.h>

void conga_fabric_print_policy(struct nlattr **attrs, struct nl_msg *reply);
void conga_fabric_print_dstports(struct nlattr **attrs, struct nl_msg *reply);
void conga_fabric_print_opt_out(struct nlattr **attrs, struct nl_msg *reply);
void conga_fabric_print_local(struct nlattr **attrs, struct nl_msg *reply);

#endif /* CONGA_TOOL_FABRIC_PRINT_H */
