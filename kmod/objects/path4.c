// SPDX-License-Identifier: GPL-2.0
/*
 * IPv4 paths: the nexthops of the kernel's route to a leaf that are on a port, and the
 * kernel's own route by each of them.
 *
 * The first look-up has no device, and the nexthops of its route are the decision. A
 * look-up with a device alone would be wrong: IPv4 then assumes the destination on link, or
 * takes a less specific route. The second look-up is for the route by the port, which is
 * used only if its device and gateway are those of the nexthop. A look-up with a device
 * returns the first gateway behind it; further gateways are found by look-ups without a
 * device, with one hash after the other, until the kernel picks that nexthop.
 */
#include <linux/hash.h>
#include <linux/netdevice.h>
#include <net/arp.h>
#include <net/ip_fib.h>
#include <net/ndisc.h>
#include <net/neighbour.h>
#include <net/nexthop.h>
#include <net/route.h>

#include "objects/leaf.h"
#include "objects/neighbour.h"
#include "objects/path_gather.h"
#include "objects/port.h"

#define CONGA_PATH4_HASHES	128	/* tried for a further gateway behind a device */

/*
 * conga_path_type4 - RTN_* of an address; any context
 *
 * inet_addr_type() calls all addresses broadcast in a network namespace that
 * never had one of its own.
 */
u8 conga_path_type4(struct net *net, __be32 addr)
{
	struct flowi4 flow = { .daddr = addr };
	struct fib_result res;
	u8 type = RTN_UNICAST;

	rcu_read_lock();
	if (!fib_lookup(net, &flow, &res, 0))
		type = res.type;
	rcu_read_unlock();
	return type;
}

/* A look-up in a VRF's table has the VRF device in place of the output device. */
static void conga_path_flow4(const struct conga_path_search *search, int oif,
			     struct flowi4 *flow)
{
	const struct conga_path_key *key = search->key;

	*flow = (struct flowi4) {
		.flowi4_oif	= oif,
		.flowi4_iif	= key->iif ?: LOOPBACK_IFINDEX,
		.flowi4_mark	= key->mark,
		.flowi4_proto	= IPPROTO_UDP,
		.flowi4_flags	= FLOWI_FLAG_ANYSRC,
		.saddr		= key->source.s6_addr32[3],
		.daddr		= search->leaf->addr.s6_addr32[3],
		.fl4_dport	= key->dstport,
		.fl4_sport	= htons(key->sport),
	};
	conga_route_set_dscp(flow, key->tos);
}

/* The kernel judges likewise: a gateway that was never resolved may be reachable. */
static bool conga_path_answers4(struct conga_port *port, const struct fib_nh_common *nhc)
{
	const struct neighbour *neighbour;
	struct in6_addr gateway;

	if (nhc->nhc_scope != RT_SCOPE_LINK || !nhc->nhc_gw_family)
		return true;
	if (nhc->nhc_gw_family == AF_INET6)
		gateway = nhc->nhc_gw.ipv6;
	else
		ipv6_addr_set_v4mapped(nhc->nhc_gw.ipv4, &gateway);
	conga_neighbour_watch(port, &gateway);
	if (nhc->nhc_gw_family == AF_INET6)
		neighbour = __ipv6_neigh_lookup_noref(nhc->nhc_dev, &gateway);
	else
		neighbour = __ipv4_neigh_lookup_noref(nhc->nhc_dev,
						      (__force u32)nhc->nhc_gw.ipv4);
	return !neighbour || READ_ONCE(neighbour->nud_state) & NUD_VALID;
}

/* Nexthop groups that are not resilient always consider neighbours. */
static bool conga_path_asks_neighbours4(const struct fib_info *fi, const struct net *net)
{
	const struct nh_group *group;

	if (!fi->nh)
		return READ_ONCE(net->ipv4.sysctl_fib_multipath_use_neigh);
	if (!fi->nh->is_group)
		return false;
	group = rcu_dereference(fi->nh->nh_grp);
	return !group->resilient;
}

static unsigned int conga_path_weight4(const struct fib_info *fi, int i,
				       const struct fib_nh_common *nhc)
{
	const struct nh_group *group;

	if (!fi->nh || !fi->nh->is_group)
		return nhc->nhc_weight;
	group = rcu_dereference(fi->nh->nh_grp);
	return i < group->num_nh ? group->nh_entries[i].weight : 1;
}

static bool conga_path_is4(const struct rtable *rt, const struct fib_nh_common *nhc)
{
	u8 family = nhc->nhc_scope == RT_SCOPE_LINK ? nhc->nhc_gw_family : 0;

	if (rt->dst.dev != nhc->nhc_dev || rt->rt_gw_family != family)
		return false;
	if (family == AF_INET)
		return rt->rt_gw4 == nhc->nhc_gw.ipv4;
	return family != AF_INET6 || ipv6_addr_equal(&rt->rt_gw6, &nhc->nhc_gw.ipv6);
}

/* A change of the device's MTU resolves paths anew, and for a new exception the kernel
 * gives the route up. A route that is an exception changes, and expires, in place.
 */
static u32 conga_path_mtu4(const struct rtable *rt)
{
	return rt->rt_pmtu || rt->dst.expires ? 0 : dst_mtu(&rt->dst);
}

/* The kernel's route for @flow, if it is by the nexthop. */
static struct rtable *conga_path_route4(struct conga_path_search *search,
					struct flowi4 *flow,
					const struct fib_nh_common *nhc)
{
	struct rtable *rt;

	rt = ip_route_output_key_hash(search->leaf->fabric->net, flow, NULL);
	if (IS_ERR(rt)) {
		search->nomem |= PTR_ERR(rt) == -ENOBUFS;
		return NULL;
	}
	if (conga_path_is4(rt, nhc))
		return rt;
	ip_rt_put(rt);
	return NULL;
}

/* The kernel's route by a further gateway behind the device. */
static struct rtable *conga_path_route4_further(struct conga_path_search *search,
						const struct fib_nh_common *nhc)
{
	struct rtable *rt = NULL;
	struct flowi4 flow;
	u32 i;

	for (i = 1; i <= CONGA_PATH4_HASHES && !rt; i++) {
		conga_path_flow4(search, conga_path_domain(search, nhc->nhc_dev), &flow);
		flow.flowi4_multipath_hash = i * GOLDEN_RATIO_32;
		rt = conga_path_route4(search, &flow, nhc);
	}
	return rt;
}

/* Adds one nexthop on the port; @further: the port has another nexthop already. */
static u8 conga_path_nexthop4(struct conga_path_search *search,
			      struct conga_port *port, const struct fib_info *fi,
			      int i, bool further)
{
	const struct fib_nh_common *nhc = fib_info_nhc((struct fib_info *)fi, i);
	struct rtable *rt = NULL;
	struct flowi4 flow;

	if (nhc->nhc_flags & (RTNH_F_DEAD | RTNH_F_LINKDOWN))
		return CONGA_PATH_NEXTHOP_DOWN;
	if (conga_path_asks_neighbours4(fi, search->leaf->fabric->net) &&
	    !conga_path_answers4(port, nhc) && !search->any_neighbour) {
		search->skipped = true;
		return CONGA_PATH_NEIGHBOUR;
	}
	conga_path_flow4(search, port->ifindex, &flow);
	rt = conga_path_route4(search, &flow, nhc);
	if (!rt && further)
		rt = conga_path_route4_further(search, nhc);
	if (!rt)
		return CONGA_PATH_OTHER_DEVICE;
	conga_path_gather(search, port, &rt->dst, conga_path_mtu4(rt),
			  conga_path_weight4(fi, i, nhc));
	return CONGA_PATH_USABLE;
}

static bool conga_path_on4(const struct fib_info *fi, int i, const struct net_device *dev)
{
	const struct fib_nh_common *nhc = fib_info_nhc((struct fib_info *)fi, i);

	return nhc && nhc->nhc_dev == dev;
}

u8 conga_path_search4(struct conga_path_search *search, struct conga_port *port)
{
	u8 verdict = CONGA_PATH_NOT_NEXTHOP, reason;
	struct fib_result res;
	struct flowi4 flow;
	bool further = false;
	int i;

	conga_path_flow4(search, conga_path_domain(search, port->dev), &flow);
	if (fib_lookup(search->leaf->fabric->net, &flow, &res, 0) ||
	    res.type != RTN_UNICAST)
		return CONGA_PATH_NO_ROUTE;
	for (i = 0; i < fib_info_num_path(res.fi); i++) {
		if (!conga_path_on4(res.fi, i, port->dev))
			continue;
		reason = conga_path_nexthop4(search, port, res.fi, i, further);
		if (verdict != CONGA_PATH_USABLE)
			verdict = reason;
		further = true;
	}
	return verdict;
}

void conga_path_members4(struct conga_path_search *search)
{
	const struct fib_nh_common *nhc;
	struct fib_result res;
	struct flowi4 flow;
	int i;

	conga_path_flow4(search, search->key->domain, &flow);
	if (fib_lookup(search->leaf->fabric->net, &flow, &res, 0) ||
	    res.type != RTN_UNICAST)
		return;
	for (i = 0; i < fib_info_num_path(res.fi); i++) {
		nhc = fib_info_nhc(res.fi, i);
		if (nhc)
			conga_path_note(search, nhc);
	}
}
