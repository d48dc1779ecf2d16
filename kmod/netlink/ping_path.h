/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_PING_PATH_H
#define _CONGA_PING_PATH_H

struct genl_info;
struct sk_buff;

int conga_netlink_path_ping(struct sk_buff *skb, struct genl_info *info);

#endif /* _CONGA_PING_PATH_H */
