/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_SET_FABRIC_H
#define _CONGA_SET_FABRIC_H

struct conga_params;
struct genl_info;
struct netlink_ext_ack;
struct sk_buff;

int conga_netlink_fabric_new(struct sk_buff *skb, struct genl_info *info);
int conga_netlink_fabric_set(struct sk_buff *skb, struct genl_info *info);
int conga_netlink_fabric_del(struct sk_buff *skb, struct genl_info *info);
int conga_netlink_flowlet_flush(struct sk_buff *skb, struct genl_info *info);

int conga_netlink_check_entropy(const struct conga_params *params, u16 own,
				struct netlink_ext_ack *extack);

#endif /* _CONGA_SET_FABRIC_H */
