// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel finds a packet's own route before the module sees the packet. That route is
 * compared with the nexthops of the decision from which the paths were made.
 */
#include <linux/jiffies.h>
#include <net/ip6_route.h>
#include <net/ipv6.h>
#include <net/route.h>

#include "objects/path_dst.h"

/* Do two routes have the same nexthop? */
static bool conga_path_same(const struct dst_entry *a, const struct dst_entry *b)
{
	const struct rtable *a4 = (const struct rtable *)a, *b4 = (const struct rtable *)b;

	if (a == b)
		return true;
	if (a->dev != b->dev || a->ops->family != b->ops->family)
		return false;
	if (a->ops->family == AF_INET6)
		return ipv6_addr_equal(&((const struct rt6_info *)a)->rt6i_gateway,
				       &((const struct rt6_info *)b)->rt6i_gateway);
	if (a4->rt_gw_family != b4->rt_gw_family)
		return false;
	if (a4->rt_gw_family == AF_INET6)
		return ipv6_addr_equal(&a4->rt_gw6, &b4->rt_gw6);
	return !a4->rt_gw_family || a4->rt_gw4 == b4->rt_gw4;
}

/* The gateway of a packet's route, as an IPv4 address or a hash. */
static u32 conga_path_gateway(const struct dst_entry *dst)
{
	const struct rtable *rt = (const struct rtable *)dst;

	if (dst->ops->family == AF_INET6)
		return ipv6_addr_hash(&((const struct rt6_info *)dst)->rt6i_gateway);
	if (rt->rt_gw_family == AF_INET6)
		return ipv6_addr_hash(&rt->rt_gw6);
	return rt->rt_gw_family ? (__force u32)rt->rt_gw4 : 0;
}

/* conga_path_gateway_addr - false if the route is on link */
bool conga_path_gateway_addr(const struct dst_entry *dst, struct in6_addr *gateway)
{
	const struct rt6_info *rt6 = (const struct rt6_info *)dst;
	const struct rtable *rt = (const struct rtable *)dst;

	if (dst->ops->family == AF_INET6) {
		*gateway = rt6->rt6i_gateway;
		return rt6->rt6i_flags & RTF_GATEWAY;
	}
	if (rt->rt_gw_family == AF_INET6)
		*gateway = rt->rt_gw6;
	else if (rt->rt_gw_family)
		ipv6_addr_set_v4mapped(rt->rt_gw4, gateway);
	return rt->rt_gw_family;
}

static bool conga_path_is_by(const struct dst_entry *dst,
			     const struct conga_path_member *member)
{
	return member->dev == dst->dev && member->gateway == conga_path_gateway(dst);
}

/* conga_path_member_is - does the route have this nexthop? */
bool conga_path_member_is(const struct conga_path_member *member,
			  const struct dst_entry *dst)
{
	return conga_path_is_by(dst, member);
}

/* Packets with the same own route need no search after this one. All processors read this
 * word, so that it is written at most once a jiffy, even if packets' own routes differ.
 */
static void conga_path_note_own(const struct conga_paths *paths, const struct dst_entry *own)
{
	struct conga_paths *noted = (struct conga_paths *)paths;

	if (!time_after(jiffies, READ_ONCE(paths->owned)))
		return;
	WRITE_ONCE(noted->owned, jiffies);
	WRITE_ONCE(noted->own, own);
}

/* conga_path_owns_any - is a packet's own route one of the decision's nexthops, used or
 * unused? If not, the kernel decided by a property that is not in the key.
 */
bool conga_path_owns_any(const struct conga_paths *paths, const struct dst_entry *own)
{
	u8 i;

	for (i = 0; i < paths->nexthops; i++) {
		if (!conga_path_same(paths->nexthop[i].dst, own))
			continue;
		if (paths->nexthop[i].dst == own)
			conga_path_note_own(paths, own);
		return true;
	}
	for (i = 0; i < paths->members; i++)
		if (conga_path_is_by(own, &paths->member[i]))
			return true;
	return false;
}
