/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_PATH_DST_H
#define _CONGA_PATH_DST_H

/*
 * The route of a path, for every packet: is what path.c resolved still good?
 */
#include <net/dst.h>
#include <net/ip6_fib.h>
#include <net/ip_fib.h>

#include "leaf.h"
#include "path.h"
#include "port.h"

#define CONGA_PATH_RESOLVED	BIT_ULL(32)	/* so that no generation is 0 */

/* The sum moves whenever one of its terms does: each only counts up. */
static inline u64 conga_path_genid(const struct conga_leaf *leaf)
{
	const struct conga_fabric *fabric = leaf->fabric;
	u32 sum = atomic_read(&fabric->path_epoch);

	sum += conga_leaf_is_v4(leaf) ? rt_genid_ipv4(fabric->net) :
					rt_genid_ipv6(fabric->net);
	return CONGA_PATH_RESOLVED | sum;
}

/*
 * conga_path_by_key - does the kernel look at more than the destination here?
 *
 * RCU. It does for good once the network namespace had a routing rule.
 */
static inline bool conga_path_by_key(const struct conga_leaf *leaf)
{
	const struct net *net = leaf->fabric->net;

	if (conga_leaf_is_v4(leaf))
		return fib4_has_custom_rules(net);
	return fib6_has_custom_rules(net) || fib6_routes_require_src(net);
}

static inline bool conga_path_current(const struct conga_leaf *leaf)
{
	/* Paired with the release in conga_path_resolve(). */
	return smp_load_acquire(&leaf->paths.genid) == conga_path_genid(leaf);
}

/* Has the kernel not given up the route that the verdict rests on? Those of IPv4 it
 * gives up by generation, or by a mark.
 */
static inline bool conga_path_holds(const struct conga_leaf *leaf,
				    const struct conga_path *path)
{
	struct dst_entry *dst = rcu_dereference(path->dst) ?:
				rcu_dereference(path->other);

	if (!dst)
		return true;
	if (conga_leaf_is_v4(leaf))
		return READ_ONCE(dst->obsolete) == DST_OBSOLETE_FORCE_CHK;
	return dst_check(dst, READ_ONCE(path->cookie));
}

/*
 * conga_path_dst - the route to @leaf by the uplink @port, NULL if unusable
 *
 * Softirq or BH disabled, RCU; the route is good for that RCU section, no
 * reference is taken.
 */
static inline struct dst_entry *conga_path_dst(struct conga_leaf *leaf,
					       struct conga_port *port)
{
	struct conga_path *path = &leaf->paths.path[port->tag];

	if (!conga_path_current(leaf) || !conga_path_holds(leaf, path))
		conga_path_resolve(leaf);
	return conga_port_up(port) ? rcu_dereference(path->dst) : NULL;
}

#endif /* _CONGA_PATH_DST_H */
