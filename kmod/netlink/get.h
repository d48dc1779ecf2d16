/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_GET_H
#define _CONGA_GET_H

struct conga_fabric;
struct conga_leaf;
struct conga_port;
struct genl_info;
struct netlink_callback;
struct sk_buff;

/* The mutex, or RCU; for a fabric the mutex */
int conga_netlink_put_fabric(struct sk_buff *skb, struct conga_fabric *fabric,
			     struct genl_info *info);
int conga_netlink_put_port(struct sk_buff *skb, struct conga_port *port);
int conga_netlink_put_leaf(struct sk_buff *skb, struct conga_leaf *leaf);

int conga_netlink_fabric_get(struct sk_buff *skb, struct genl_info *info);
int conga_netlink_port_get(struct sk_buff *skb, struct genl_info *info);
int conga_netlink_leaf_get(struct sk_buff *skb, struct genl_info *info);
int conga_netlink_stats_get(struct sk_buff *skb, struct genl_info *info);
int conga_netlink_port_dump(struct sk_buff *skb, struct netlink_callback *cb);
int conga_netlink_leaf_dump(struct sk_buff *skb, struct netlink_callback *cb);

#endif /* _CONGA_GET_H */
