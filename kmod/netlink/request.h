/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_REQUEST_H
#define _CONGA_REQUEST_H

#include <net/genetlink.h>

struct conga_fabric;
struct conga_leaf;
struct conga_port;
struct in6_addr;

/* The mutex is held */
struct conga_fabric *conga_netlink_fabric(struct net *net,
					  struct netlink_ext_ack *extack);
struct conga_port *conga_netlink_port(struct conga_fabric *fabric,
				      const struct nlattr *attr,
				      struct netlink_ext_ack *extack);
struct conga_port *conga_netlink_port_named(struct conga_fabric *fabric,
					    struct genl_info *info);
struct conga_leaf *conga_netlink_leaf(struct conga_fabric *fabric,
				      struct nlattr **attrs, int v4, int v6,
				      struct netlink_ext_ack *extack);

int conga_netlink_addr(struct nlattr **attrs, int v4, int v6,
		       struct in6_addr *addr);
bool conga_netlink_addr_usable(struct net *net, const struct in6_addr *addr);

u8 conga_netlink_origin(const struct genl_info *info, int attr);
int conga_netlink_may_touch(u8 owner, u8 origin,
			    struct netlink_ext_ack *extack);
bool conga_netlink_replaces(u8 owner, u8 origin);

typedef int (*conga_netlink_change_t)(struct conga_fabric *fabric,
				      struct genl_info *info);

int conga_netlink_locked(struct genl_info *info, conga_netlink_change_t change);
int conga_netlink_out_of_memory(struct genl_info *info);

#endif /* _CONGA_REQUEST_H */
