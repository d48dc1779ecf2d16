/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_NETLINK_H
#define _CONGA_NETLINK_H

/* Shared by family.c (family and rules), set_fabric.c, policy_params.c and
 * set.c (changes), get.c (what is configured) and dump.c
 * (what packets made of it): the only files that know attributes.
 */
#include <net/genetlink.h>

#include "objects/fabric.h"

extern struct genl_family conga_netlink_family;

extern const struct nla_policy conga_netlink_leaf_policy[];
extern const struct nla_policy conga_netlink_path_policy[];
extern const struct nla_policy conga_netlink_flow_policy[];
extern const struct nla_policy conga_netlink_param_policy[];
extern const struct nla_policy conga_netlink_table_policy[];
extern const struct nla_policy conga_netlink_flowlet_policy[];

struct conga_leaf;
struct conga_port;

struct conga_fabric *conga_netlink_fabric(struct net *net,
					  struct netlink_ext_ack *extack);
struct conga_port *conga_netlink_port(struct conga_fabric *fabric,
				      const struct nlattr *attr,
				      struct netlink_ext_ack *extack);
struct conga_port *conga_netlink_port_named(struct conga_fabric *fabric,
					    struct genl_info *info);
int conga_netlink_addr(struct nlattr **attrs, int v4, int v6,
		       struct in6_addr *addr);
bool conga_netlink_addr_usable(struct net *net, const struct in6_addr *addr);
struct conga_leaf *conga_netlink_leaf(struct conga_fabric *fabric,
				      struct nlattr **attrs, int v4, int v6,
				      struct netlink_ext_ack *extack);

int conga_netlink_check_fabric(const struct genl_info *info);
int conga_netlink_check_port(const struct genl_info *info);
int conga_netlink_check_leaf(const struct genl_info *info);
int conga_netlink_check_kind(const struct netlink_callback *cb);

typedef int (*conga_netlink_change_t)(struct conga_fabric *fabric,
				      struct genl_info *info);

void conga_netlink_policy_init(void);
int conga_netlink_read_policy(struct conga_params *params,
			      struct genl_info *info);
int conga_netlink_put_params(struct sk_buff *skb,
			     const struct conga_params *params);

int conga_netlink_locked(struct genl_info *info, conga_netlink_change_t change);
int conga_netlink_out_of_memory(struct genl_info *info);

int conga_netlink_init(void);
void conga_netlink_exit(void);

/* Multicast groups. */
enum conga_netlink_group {
	CONGA_NETLINK_CONFIG,
	CONGA_NETLINK_STATE,
};

int conga_netlink_put_fabric(struct sk_buff *skb, struct conga_fabric *fabric,
			     struct genl_info *info);
int conga_netlink_put_port(struct sk_buff *skb, struct conga_port *port);
int conga_netlink_put_leaf(struct sk_buff *skb, struct conga_leaf *leaf);
int conga_netlink_put_path(struct sk_buff *skb, struct conga_leaf *leaf,
			   struct conga_port *port);

/* event.c: the locks are held, except where said */
void conga_netlink_news(struct work_struct *work);
void conga_netlink_tell_fabric(struct conga_fabric *fabric);
void conga_netlink_tell_fabric_gone(struct net *net);
void conga_netlink_tell_port(struct conga_port *port);
void conga_netlink_tell_port_gone(struct conga_port *port);
void conga_netlink_tell_leaf(struct conga_leaf *leaf);
void conga_netlink_tell_leaf_gone(struct conga_leaf *leaf);

int conga_netlink_path_get(struct sk_buff *skb, struct genl_info *info);
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
