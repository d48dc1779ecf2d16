/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_RULES_H
#define _CONGA_RULES_H

#include <net/netlink.h>

struct conga_netlink_rule;

/* For operations that take no attribute: one without a policy would ignore
 * what it is given instead of refusing it.
 */
#define CONGA_NETLINK_NO_ATTRS	1

extern const struct nla_policy conga_netlink_empty_policy[CONGA_NETLINK_NO_ATTRS + 1];

void conga_netlink_refuse(struct netlink_ext_ack *extack, const struct nlattr *attr,
			  const char *sentence);
int conga_netlink_check(const struct nlmsghdr *message,
			const struct conga_netlink_rule *rules,
			struct netlink_ext_ack *extack);

#endif /* _CONGA_RULES_H */
