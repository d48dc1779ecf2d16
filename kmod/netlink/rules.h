/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_RULES_H
#define _CONGA_RULES_H

#include <net/netlink.h>
#include <uapi/linux/conga.h>

struct genl_info;
struct netlink_callback;

/* For operations that take no attribute: one without a policy would ignore
 * what it is given instead of refusing it.
 */
#define CONGA_NETLINK_NO_ATTRS	1

extern const struct nla_policy conga_netlink_empty_policy[CONGA_NETLINK_NO_ATTRS + 1];
extern const struct nla_policy conga_netlink_param_policy[CONGA_A_PARAM_MAX + 1];
extern const struct nla_policy conga_netlink_fabric_policy[CONGA_A_FABRIC_MAX + 1];
extern const struct nla_policy conga_netlink_port_new_policy[CONGA_A_PORT_MAX + 1];
extern const struct nla_policy conga_netlink_port_set_policy[CONGA_A_PORT_MAX + 1];
extern const struct nla_policy conga_netlink_port_del_policy[CONGA_A_PORT_MAX + 1];
extern const struct nla_policy conga_netlink_port_key_policy[CONGA_A_PORT_MAX + 1];
extern const struct nla_policy conga_netlink_leaf_set_policy[CONGA_A_LEAF_MAX + 1];
extern const struct nla_policy conga_netlink_leaf_del_policy[CONGA_A_LEAF_MAX + 1];
extern const struct nla_policy conga_netlink_leaf_policy[CONGA_A_LEAF_MAX + 1];
extern const struct nla_policy conga_netlink_flow_policy[CONGA_A_FLOW_MAX + 1];
extern const struct nla_policy conga_netlink_path_policy[CONGA_A_PATH_MAX + 1];
extern const struct nla_policy conga_netlink_table_policy[CONGA_A_TABLE_MAX + 1];
extern const struct nla_policy conga_netlink_flowlet_policy[CONGA_A_FLOWLET_MAX + 1];

/* Ranges of all attributes of a request; -ERANGE and a sentence */
int conga_netlink_check_fabric(const struct genl_info *info);
int conga_netlink_check_port(const struct genl_info *info);
int conga_netlink_check_leaf(const struct genl_info *info);
int conga_netlink_check_kind(const struct netlink_callback *cb);

#endif /* _CONGA_RULES_H */
