/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_NETLINK_H
#define _CONGA_NETLINK_H

/* Shared by netlink.c (family and policies), netlink_set.c (changes) and
 * netlink_get.c (replies): the only files that know attributes.
 */
#include <net/genetlink.h>

#include "fabric.h"

extern struct genl_family conga_netlink_family;

extern const struct nla_policy conga_netlink_leaf_policy[];
extern const struct nla_policy conga_netlink_path_policy[];
extern const struct nla_policy conga_netlink_table_policy[];
extern const struct nla_policy conga_netlink_flowlet_policy[];

struct conga_fabric *conga_netlink_fabric(struct net *net,
					  struct netlink_ext_ack *extack);
struct conga_port *conga_netlink_port(struct conga_fabric *fabric,
				      struct genl_info *info);
int conga_netlink_addr(struct nlattr **attrs, int v4, int v6,
		       struct in6_addr *addr);
struct conga_leaf *conga_netlink_leaf(struct conga_fabric *fabric,
				      struct nlattr **attrs, int v4, int v6,
				      struct netlink_ext_ack *extack);

int conga_netlink_fabric_new(struct sk_buff *skb, struct genl_info *info);
int conga_netlink_fabric_set(struct sk_buff *skb, struct genl_info *info);
int conga_netlink_fabric_del(struct sk_buff *skb, struct genl_info *info);
int conga_netlink_port_new(struct sk_buff *skb, struct genl_info *info);
int conga_netlink_port_set(struct sk_buff *skb, struct genl_info *info);
int conga_netlink_port_del(struct sk_buff *skb, struct genl_info *info);
int conga_netlink_leaf_new(struct sk_buff *skb, struct genl_info *info);
int conga_netlink_leaf_set(struct sk_buff *skb, struct genl_info *info);
int conga_netlink_leaf_del(struct sk_buff *skb, struct genl_info *info);
int conga_netlink_flowlet_flush(struct sk_buff *skb, struct genl_info *info);

int conga_netlink_fabric_get(struct sk_buff *skb, struct genl_info *info);
int conga_netlink_port_get(struct sk_buff *skb, struct genl_info *info);
int conga_netlink_leaf_get(struct sk_buff *skb, struct genl_info *info);
int conga_netlink_stats_get(struct sk_buff *skb, struct genl_info *info);
int conga_netlink_port_dump(struct sk_buff *skb, struct netlink_callback *cb);
int conga_netlink_leaf_dump(struct sk_buff *skb, struct netlink_callback *cb);
int conga_netlink_path_dump(struct sk_buff *skb, struct netlink_callback *cb);
int conga_netlink_table_dump(struct sk_buff *skb, struct netlink_callback *cb);
int conga_netlink_flowlet_dump(struct sk_buff *skb,
			       struct netlink_callback *cb);
int conga_netlink_policy_dump(struct sk_buff *skb, struct netlink_callback *cb);

#endif /* _CONGA_NETLINK_H */
