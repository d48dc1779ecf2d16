/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_LIFETIME_H
#define _CONGA_LIFETIME_H

#include <linux/types.h>
#include <linux/workqueue.h>

struct conga_fabric;
struct conga_leaf;
struct conga_params;
struct conga_port;
struct in6_addr;
struct net;
struct net_device;
struct netlink_ext_ack;

/* The properties of a new port */
struct conga_lifetime_port {
	struct net_device	*dev;
	u64			rate;		/* bit/s */
	u8			rate_source;	/* enum conga_rate_source */
	u8			role;		/* enum conga_role */
	u8			tag;		/* LBTag, or CONGA_TAG_NONE */
	u8			tier;
	u8			origin;		/* enum conga_origin */
	bool			drain;
};

/* The locks are held; all functions sleep. Those that create return an ERR_PTR and a
 * sentence on an error.
 */
struct conga_fabric *conga_lifetime_create_fabric(struct net *net,
						  const struct conga_params *params,
						  work_func_t news,
						  struct netlink_ext_ack *extack);
struct conga_port *conga_lifetime_create_port(struct conga_fabric *fabric,
					      const struct conga_lifetime_port *desired,
					      struct conga_port *replaced,
					      struct netlink_ext_ack *extack);
struct conga_leaf *conga_lifetime_create_leaf(struct conga_fabric *fabric,
					      const struct in6_addr *addr, u8 mode,
					      u8 origin,
					      struct netlink_ext_ack *extack);
void conga_lifetime_destroy_fabric(struct conga_fabric *fabric);
void conga_lifetime_destroy_port(struct conga_port *port);
void conga_lifetime_destroy_leaf(struct conga_leaf *leaf);

#endif /* _CONGA_LIFETIME_H */
