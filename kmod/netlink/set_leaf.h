/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_SET_LEAF_H
#define _CONGA_SET_LEAF_H

struct genl_info;
struct sk_buff;

int conga_netlink_leaf_new(struct sk_buff *skb, struct genl_info *info);
int conga_netlink_leaf_set(struct sk_buff *skb, struct genl_info *info);
int conga_netlink_leaf_del(struct sk_buff *skb, struct genl_info *info);

#endif /* _CONGA_SET_LEAF_H */
