/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_NETLINK_EXTENSION_H
#define _CONGA_NETLINK_EXTENSION_H

#include <linux/types.h>

struct conga_fabric;
struct conga_leaf;
struct conga_params;
struct conga_port;
struct netlink_ext_ack;
struct sk_buff;

/* The measurements of a path; the numbers are in ns. */
struct conga_netlink_path_extension {
	bool	ahead;	/* the policy measures paths */
	u32	delay;	/* 0: not known */
	u32	queue;
};

/* The mutex, or RCU; of a fabric the mutex. Errors: -EMSGSIZE */
int conga_netlink_put_fabric_extension(struct sk_buff *skb,
				       const struct conga_fabric *fabric);
int conga_netlink_put_port_extension(struct sk_buff *skb, const struct conga_port *port);
int conga_netlink_put_leaf_extension(struct sk_buff *skb, const struct conga_leaf *leaf);
int conga_netlink_put_path_extension(struct sk_buff *skb,
				     const struct conga_netlink_path_extension *path);

/* RCU */
void conga_netlink_read_path_extension(struct conga_netlink_path_extension *path,
				       const struct conga_leaf *leaf, u8 tag,
				       u64 now, u64 tage);

/* The locks are held. -EINVAL, and a sentence, if the policy cannot have these parameters */
int conga_netlink_check_extension(const struct conga_params *params,
				  struct netlink_ext_ack *extack);

#endif /* _CONGA_NETLINK_EXTENSION_H */
