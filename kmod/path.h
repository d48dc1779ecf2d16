/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_PATH_H
#define _CONGA_PATH_H

#include <linux/in6.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <net/dst.h>
#include <uapi/linux/conga.h>

struct conga_fabric;
struct conga_leaf;
struct conga_port;
struct net;

/* What the look-up for a packet has beside its destination. Matters only where
 * routing rules or IPv6 routes ask for it.
 */
struct conga_path_key {
	struct in6_addr	source;		/* outer, IPv4 mapped */
	__be16		dstport;
};

/* A (leaf, uplink) pair. */
struct conga_path {
	struct dst_entry __rcu	*dst;	/* by the uplink; NULL: unusable */
	struct dst_entry __rcu	*other;	/* IPv6, unusable: the route that says so */
	u32			cookie;	/* of either, for dst_check() */
	u8			reason;	/* enum conga_path_reason, 0: unknown */
	u8			told;	/* the last event's, by netlink_event.c */
};	/* both routes are held */

/* All paths to a leaf, resolved together. Refreshed under the lock; packets read
 * genid first (acquire), all else after it.
 */
struct conga_paths {
	u64			genid;	/* of routes and ports, when resolved; 0: never */
	u16			routed;	/* paths with a route, a bit per LBTag */
	struct conga_path	path[CONGA_TAGS_MAX];	/* by LBTag */
	struct conga_path_key	key;	/* that they were resolved for */
	spinlock_t		lock;	/* BH */
};

u8 conga_path_type4(struct net *net, __be32 addr);
void conga_path_use_key(struct conga_leaf *leaf,
			const struct conga_path_key *key);
void conga_path_resolve(struct conga_leaf *leaf);
u16 conga_path_routed(struct conga_leaf *leaf);
bool conga_path_leads(struct conga_leaf *leaf, struct conga_port *port);
u16 conga_path_usable(struct conga_leaf *leaf);
u8 conga_path_reason(struct conga_leaf *leaf, struct conga_port *port);
void conga_path_forget_all(struct conga_leaf *leaf);
void conga_path_forget_tag(struct conga_fabric *fabric, u8 tag);
void conga_path_invalidate(struct conga_fabric *fabric);

#endif /* _CONGA_PATH_H */
