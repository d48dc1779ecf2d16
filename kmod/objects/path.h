/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_PATH_H
#define _CONGA_PATH_H

#include <linux/in6.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <net/dst.h>
#include <uapi/linux/conga.h>

#include "objects/path_rules.h"

struct conga_fabric;
struct conga_leaf;
struct conga_port;
struct net;
struct net_device;

#define CONGA_PATH_KEYS		8	/* sets of paths that a leaf keeps */
#define CONGA_PATH_NEXTHOPS	32	/* of one set, at most */
#define CONGA_PATH_MEMBERS	32	/* unused nexthops of one set, at most */

#define CONGA_PATH_OWN_DOMAIN	(-1)	/* each port is looked up in its own L3 domain */

/* The properties of a packet on which the kernel's decision depends, beside the
 * destination. A property that no rule matches is 0. Keys are compared as bytes, so that
 * the structure must have no holes.
 */
struct conga_path_key {
	struct in6_addr	source;		/* outer, IPv4 mapped */
	u32		mark;
	s32		domain;		/* ifindex of the L3 master device, or 0 */
	s32		iif;		/* of packets that pass this node, or 0 */
	__be16		dstport;	/* outer */
	u16		sport;		/* the smallest one of its class, outer */
	u8		tos;		/* DSCP, at its bits of the TOS byte */
	u8		zero[3];
};

/* A nexthop of the kernel's decision that is on one of our ports. */
struct conga_nexthop {
	struct dst_entry	*dst;	/* held */
	union {
		u32		cookie;	/* of IPv6, for dst_check() */
		u32		mtu;	/* of IPv4, as dst_mtu() returns it; 0: call it each time */
	};
	u16			weight;	/* the route's weight, at least 1 */
	u8			tag;	/* LBTag of the port */
};

/* A nexthop of the kernel's decision that is not used, because its device is no port, or
 * because it is down. A packet whose own route is by this nexthop belongs to the decision,
 * too.
 */
struct conga_path_member {
	const struct net_device	*dev;	/* compared, never dereferenced */
	u32			gateway; /* IPv4, or the hash of IPv6; 0: none */
};

/* All nexthops on one port. */
struct conga_path {
	u32	weight;	/* the sum of their weights */
	u8	first;	/* in paths->nexthop */
	u8	count;	/* 0: unusable */
	u8	reason;	/* enum conga_path_reason, 0: unknown */
};

/*
 * The paths to a leaf for packets with one key, resolved together. Once published, only
 * four words change: genid, which is set to 0 when a route is found given up, and seen, own
 * and owned. A packet finds one set and uses only that set, so that its key and its path
 * always match.
 */
struct conga_paths {
	u64			genid;	/* generation of routes and ports when resolved; 0: stale */
	u16			routed;	/* paths with a nexthop, a bit per LBTag */
	bool			uneven;	/* weights per port differ */
	bool			lone;	/* packets differ only in key.tos: no rules, no IPsec */
	bool			xfrm;	/* there are IPsec policies */
	u8			nexthops;
	u8			members;
	const struct dst_entry	*own;	/* the nexthop's route that most packets have as
					 * their own; NULL until a packet has one. Compared
					 * only; READ_ONCE, WRITE_ONCE
					 */
	struct conga_path	path[CONGA_TAGS_MAX];	/* by LBTag */
	struct conga_path_key	key;
	struct conga_path_rules	rules;	/* the rules when resolved */
	struct dst_entry	*witness; /* held; IPv6: the route that verdicts rest on */
	u32			witness_cookie;
	unsigned long		seen;	/* jiffies, of the last use, except in the first set */
	unsigned long		owned;	/* jiffies, when own was written; likewise */
	struct conga_paths __rcu *next;
	struct rcu_head		rcu;
	struct conga_path_member *member;	/* behind the nexthops */
	struct conga_nexthop	nexthop[];
};

/* path4.c; any context */
u8 conga_path_type4(struct net *net, __be32 addr);

const struct conga_paths *conga_path_find(struct conga_leaf *leaf,
					  const struct conga_path_key *key);
const struct conga_paths *conga_path_renew(struct conga_leaf *leaf,
					   const struct conga_paths *paths);
const struct conga_paths *conga_path_main(struct conga_leaf *leaf);
const struct conga_paths *conga_path_by(struct conga_leaf *leaf, u8 tag);
struct dst_entry *conga_path_dst(struct conga_leaf *leaf, const struct conga_port *port);
bool conga_path_leads(struct conga_leaf *leaf, struct conga_port *port);
u16 conga_path_usable(struct conga_leaf *leaf);
u8 conga_path_reason(struct conga_leaf *leaf, struct conga_port *port);
void conga_path_forget_all(struct conga_leaf *leaf);
void conga_path_forget(struct conga_leaf *leaf, u8 tag);

#endif /* _CONGA_PATH_H */
