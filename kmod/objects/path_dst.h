/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_PATH_DST_H
#define _CONGA_PATH_DST_H

/*
 * Is the route of a path, which path_search.c found, still valid? Inline, because
 * conga_tx() and conga_forward() call these for every packet.
 */
#include <net/dst.h>
#include <net/ip6_fib.h>
#include <net/ip_fib.h>
#include <net/route.h>

#include "objects/leaf.h"
#include "objects/path.h"
#include "objects/port.h"

/* path_dst.c; RCU */
bool conga_path_owns_any(const struct conga_paths *paths, const struct dst_entry *own);
bool conga_path_member_is(const struct conga_path_member *member,
			  const struct dst_entry *dst);
bool conga_path_gateway_addr(const struct dst_entry *dst, struct in6_addr *gateway);

#define CONGA_PATH_RESOLVED	BIT_ULL(32)	/* added, so that every generation differs from 0 */

/* The sum changes whenever one of its terms does, since each term only counts up. */
static inline u64 conga_path_genid(const struct conga_leaf *leaf)
{
	const struct conga_fabric *fabric = leaf->fabric;
	u32 sum = atomic_read(&fabric->path_epoch);

	sum += likely(conga_leaf_is_v4(leaf)) ? rt_genid_ipv4(fabric->net) :
					rt_genid_ipv6(fabric->net);
	return CONGA_PATH_RESOLVED | sum;
}

static inline bool conga_path_current(const struct conga_leaf *leaf,
				      const struct conga_paths *paths)
{
	return READ_ONCE(paths->genid) == conga_path_genid(leaf);
}

/* Is the route still valid for the kernel? The kernel gives IPv4 routes up by generation,
 * or by a mark.
 */
static inline bool conga_path_holds(const struct conga_leaf *leaf, struct dst_entry *dst,
				    u32 cookie)
{
	if (likely(conga_leaf_is_v4(leaf)))
		return READ_ONCE(dst->obsolete) == DST_OBSOLETE_FORCE_CHK;
	return dst_check(dst, cookie);
}

/* conga_path_holds_routes - are all routes of these paths still valid for the kernel? */
static inline bool conga_path_holds_routes(const struct conga_leaf *leaf,
					   const struct conga_paths *paths)
{
	u8 i;

	for (i = 0; i < paths->nexthops; i++)
		if (!conga_path_holds(leaf, paths->nexthop[i].dst, paths->nexthop[i].cookie))
			return false;
	return true;
}

/* Are all verdicts valid? An IPv4 route that was given up is detected when it is used. */
static inline bool conga_path_holds_all(const struct conga_leaf *leaf,
					const struct conga_paths *paths)
{
	if (!conga_path_current(leaf, paths))
		return false;
	if (conga_leaf_is_v4(leaf))
		return true;
	if (paths->witness && !dst_check(paths->witness, paths->witness_cookie))
		return false;
	return conga_path_holds_routes(leaf, paths);
}

/* conga_path_owns - is a packet's own route one of the decision's nexthops? Usually it is
 * the same object as the previous packet's.
 */
static inline bool conga_path_owns(const struct conga_paths *paths,
				   const struct dst_entry *own)
{
	return likely(READ_ONCE(paths->own) == own) || conga_path_owns_any(paths, own);
}

/* Among several gateways behind the uplink, the one into whose share the hash falls. */
static inline const struct conga_nexthop *
conga_path_share(const struct conga_paths *paths, const struct conga_path *path, u32 hash)
{
	const struct conga_nexthop *nexthop = &paths->nexthop[path->first];
	u32 place = ((u64)hash * path->weight) >> 32;

	while (place >= nexthop->weight)
		place -= nexthop++->weight;
	return nexthop;
}

/* conga_path_nexthop - the nexthop by the uplink @tag for a flow, NULL if unusable */
static inline const struct conga_nexthop *
conga_path_nexthop(const struct conga_paths *paths, u8 tag, u32 hash)
{
	const struct conga_path *path = &paths->path[tag];

	if (likely(path->count == 1))
		return &paths->nexthop[path->first];
	return path->count ? conga_path_share(paths, path, hash) : NULL;
}

#endif /* _CONGA_PATH_DST_H */
