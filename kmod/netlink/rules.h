/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_RULES_H
#define _CONGA_RULES_H

#include <net/netlink.h>

struct conga_netlink_rule;

/* This is for operations without attributes: an operation without a policy would ignore
 * attributes instead of rejecting them.
 */
#define CONGA_NETLINK_NO_ATTRS	1

extern const struct nla_policy conga_netlink_empty_policy[CONGA_NETLINK_NO_ATTRS + 1];

void conga_netlink_refuse(struct netlink_ext_ack *extack, const struct nlattr *attr,
			  const char *sentence);
int conga_netlink_check(const struct nlmsghdr *message,
			const struct conga_netlink_rule *rules,
			struct netlink_ext_ack *extack);

#endif /* _CONGA_RULES_H */
