/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_DUMP_H
#define _CONGA_DUMP_H

struct conga_leaf;
struct conga_port;
struct netlink_callback;
struct sk_buff;

/* The mutex, or RCU */
int conga_netlink_put_path(struct sk_buff *skb, struct conga_leaf *leaf,
			   struct conga_port *port, u8 tag);

int conga_netlink_path_dump(struct sk_buff *skb, struct netlink_callback *cb);
int conga_netlink_table_dump(struct sk_buff *skb, struct netlink_callback *cb);
int conga_netlink_flowlet_dump(struct sk_buff *skb, struct netlink_callback *cb);

#endif /* _CONGA_DUMP_H */
