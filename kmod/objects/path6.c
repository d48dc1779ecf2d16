// SPDX-License-Identifier: GPL-2.0
/*
 * IPv6 paths: the nexthops of the kernel's route to a leaf that are on a port, and the
 * kernel's own route by each of them.
 *
 * The first look-up has no device. Its route belongs to an entry of the table whose
 * siblings, or whose nexthop object's group, are the decision. The second look-up has the
 * port's device; its route is used only if it is by that entry or a sibling and by that
 * gateway. A look-up with a device returns the first gateway behind it; a further gateway
 * is found by a look-up without a device, with a hash that falls into its share.
 */
#include <linux/netdevice.h>
#include <net/ip6_fib.h>
#include <net/ip6_route.h>
#include <net/ndisc.h>
#include <net/nexthop.h>

#include "objects/leaf.h"
#include "objects/neighbour.h"
#include "objects/path_gather.h"
#include "objects/port.h"

#define CONGA_PATH6_SIBLINGS	64	/* siblings to look at, at most: the list may change
					 * meanwhile
					 */

static struct flowi6 conga_path_flow6(const struct conga_path_search *search, int oif)
{
	const struct conga_path_key *key = search->key;

	return (struct flowi6) {
		.flowi6_oif	= oif,
		.flowi6_mark	= key->mark,
		.flowi6_proto	= IPPROTO_UDP,
		.flowlabel	= ip6_make_flowinfo(key->tos, 0),
		.saddr		= key->source,
		.daddr		= search->leaf->addr,
		.fl6_dport	= key->dstport,
		.fl6_sport	= htons(key->sport),
	};
}

/* Does the kernel have a route, even if it cannot give it to us? */
static bool conga_path_exists6(struct net *net, struct flowi6 *flow, int flags)
{
	struct fib6_result res = {};

	return !fib6_lookup(net, flow->flowi6_oif, flow, &res, flags) &&
	       res.f6i && res.f6i != net->ipv6.fib6_null_entry;
}

/* NULL without memory; IPv6 itself would report that there is no route. */
static struct dst_entry *conga_path_lookup6(struct conga_path_search *search,
					    struct flowi6 *flow, int flags)
{
	struct net *net = search->leaf->fabric->net;
	struct dst_entry *dst = ip6_route_output_flags(net, NULL, flow, flags);

	if (dst != &net->ipv6.ip6_null_entry->dst ||
	    !conga_path_exists6(net, flow, flags))
		return dst;
	dst_release(dst);
	search->nomem = true;
	return NULL;
}

static const struct fib6_info *conga_path_entry6(const struct dst_entry *dst)
{
	return rcu_dereference(container_of(dst, struct rt6_info, dst)->from);
}

/* Are two entries nexthops of one route, i.e. of equal prefix and metric? */
static bool conga_path_siblings6(const struct fib6_info *a, const struct fib6_info *b)
{
	if (!a || !b)
		return false;
	return a == b ||
	       (a->fib6_table == b->fib6_table &&
		a->fib6_metric == b->fib6_metric &&
		a->fib6_dst.plen == b->fib6_dst.plen &&
		ipv6_addr_equal(&a->fib6_dst.addr, &b->fib6_dst.addr));
}

/* A nexthop of the decision. */
struct conga_path_nexthop6 {
	const struct fib6_nh	*nh;
	unsigned int		weight;
	u32			hash;	/* a hash for which the kernel picks it, 0: unknown */
	bool			asks;	/* the gateway's neighbour entry matters */
	bool			valid;	/* it must be valid; else any state but failed will do */
};

static bool conga_path_is6(const struct dst_entry *dst, const struct fib6_nh *nh)
{
	const struct rt6_info *rt = container_of(dst, struct rt6_info, dst);

	return dst->dev == nh->fib_nh_dev &&
	       (!nh->fib_nh_gw_family ||
		ipv6_addr_equal(&rt->rt6i_gateway, &nh->fib_nh_gw6));
}

/* The kernel's route by the nexthop, or NULL. */
static struct dst_entry *conga_path_route6(struct conga_path_search *search,
					   struct flowi6 *flow, int flags,
					   const struct fib6_nh *nh)
{
	const struct fib6_info *entry = conga_path_entry6(search->witness);
	struct dst_entry *dst = conga_path_lookup6(search, flow, flags);

	if (!dst)
		return NULL;
	if (!dst->error && conga_path_siblings6(entry, conga_path_entry6(dst)) &&
	    conga_path_is6(dst, nh))
		return dst;
	dst_release(dst);
	return NULL;
}

/* These flags make a look-up fail without router preferences and answering neighbours. */
static u8 conga_path_missing6(struct conga_path_search *search, const struct fib6_nh *nh)
{
	const struct neighbour *neighbour;

	if (!nh->fib_nh_gw_family)
		return CONGA_PATH_NOT_NEXTHOP;
	neighbour = __ipv6_neigh_lookup_noref(nh->fib_nh_dev, &nh->fib_nh_gw6);
	if (neighbour && !(READ_ONCE(neighbour->nud_state) & NUD_VALID))
		return CONGA_PATH_NEIGHBOUR;
	return CONGA_PATH_NOT_NEXTHOP;
}

/* The kernel judges likewise without a device; with one, it takes any gateway. */
static bool conga_path_answers6(const struct conga_path_nexthop6 *nexthop)
{
	const struct fib6_nh *nh = nexthop->nh;
	const struct neighbour *neighbour;
	u8 state;

	if (!nexthop->asks || !nh->fib_nh_gw_family)
		return true;
	neighbour = __ipv6_neigh_lookup_noref(nh->fib_nh_dev, &nh->fib_nh_gw6);
	if (!neighbour)
		return true;
	state = READ_ONCE(neighbour->nud_state);
	return nexthop->valid ? state & NUD_VALID : !(state & NUD_FAILED);
}

static u8 conga_path_nexthop6(struct conga_path_search *search, struct conga_port *port,
			      const struct conga_path_nexthop6 *nexthop)
{
	struct flowi6 flow = conga_path_flow6(search, port->ifindex);
	const struct fib6_nh *nh = nexthop->nh;
	struct dst_entry *dst;

	if (nh->fib_nh_flags & (RTNH_F_DEAD | RTNH_F_LINKDOWN))
		return CONGA_PATH_NEXTHOP_DOWN;
	if (nh->fib_nh_gw_family)
		conga_neighbour_watch(port, &nh->fib_nh_gw6);
	if (!conga_path_answers6(nexthop) && !search->any_neighbour) {
		search->skipped = true;
		return CONGA_PATH_NEIGHBOUR;
	}
	dst = conga_path_route6(search, &flow, RT6_LOOKUP_F_IFACE, nh);
	if (!dst && nexthop->hash) {
		flow = conga_path_flow6(search, conga_path_domain(search, port->dev));
		flow.mp_hash = nexthop->hash;
		dst = conga_path_route6(search, &flow, 0, nh);
	}
	if (!dst)
		return conga_path_missing6(search, nh);
	conga_path_gather(search, port, dst,
			  rt6_get_cookie(container_of(dst, struct rt6_info, dst)),
			  nexthop->weight);
	return CONGA_PATH_USABLE;
}

/* The act for each nexthop of the decision */
struct conga_path_walk6 {
	struct conga_path_search *search;
	struct conga_port	*port;	/* NULL: nexthops are noted */
	u8			verdict;
};

/* Acts if the nexthop is on the port; a verdict that is already usable stays. */
static void conga_path_try6(struct conga_path_walk6 *walk,
			    const struct conga_path_nexthop6 *nexthop)
{
	u8 reason;

	if (!walk->port) {
		conga_path_note(walk->search, &nexthop->nh->nh_common);
		return;
	}
	if (nexthop->nh->fib_nh_dev != walk->port->dev)
		return;
	reason = conga_path_nexthop6(walk->search, walk->port, nexthop);
	if (walk->verdict != CONGA_PATH_USABLE)
		walk->verdict = reason;
}

/* Nexthop groups that are not resilient always consider neighbours. */
static void conga_path_group6(struct conga_path_walk6 *walk, const struct nh_group *group)
{
	int i;

	for (i = 0; i < group->num_nh; i++) {
		const struct nh_grp_entry *entry = &group->nh_entries[i];
		const struct conga_path_nexthop6 nexthop = {
			.nh	= &rcu_dereference(entry->nh->nh_info)->fib6_nh,
			.weight	= entry->weight,
			.hash	= group->hash_threshold ?
				  atomic_read(&entry->hthr.upper_bound) : 0,
			.asks	= group->hash_threshold,
			.valid	= true,
		};

		conga_path_try6(walk, &nexthop);
	}
}

static void conga_path_object6(struct conga_path_walk6 *walk, const struct nexthop *object)
{
	struct conga_path_nexthop6 nexthop = { .weight = 1 };

	if (object->is_group) {
		conga_path_group6(walk, rcu_dereference(object->nh_grp));
		return;
	}
	nexthop.nh = &rcu_dereference(object->nh_info)->fib6_nh;
	conga_path_try6(walk, &nexthop);
}

/* Routes consider neighbours where the node is no router. */
static void conga_path_sibling6(struct conga_path_walk6 *walk,
				const struct fib6_info *entry)
{
	int bound = atomic_read(&entry->fib6_nh->fib_nh_upper_bound);
	const struct net *net = walk->search->leaf->fabric->net;
	const struct conga_path_nexthop6 nexthop = {
		.nh	= entry->fib6_nh,
		.weight	= entry->fib6_nh->fib_nh_weight,
		.hash	= bound > 0 ? bound : 0,
		.asks	= !READ_ONCE(net->ipv6.devconf_all->forwarding),
		.valid	= !IS_ENABLED(CONFIG_IPV6_ROUTER_PREF),
	};

	conga_path_try6(walk, &nexthop);
}

/* The siblings are a ring; one that is removed meanwhile points at itself. */
static void conga_path_entries6(struct conga_path_walk6 *walk,
				const struct fib6_info *entry)
{
	const struct list_head *next = &entry->fib6_siblings;
	int i;

	conga_path_sibling6(walk, entry);
	for (i = 0; i < CONGA_PATH6_SIBLINGS; i++) {
		next = READ_ONCE(next->next);
		if (next == &entry->fib6_siblings)
			return;
		conga_path_sibling6(walk, list_entry(next, struct fib6_info,
						     fib6_siblings));
	}
}

static void conga_path_walk6(struct conga_path_walk6 *walk)
{
	const struct fib6_info *entry = conga_path_entry6(walk->search->witness);

	if (!entry)
		walk->verdict = CONGA_PATH_NO_ROUTE;
	else if (entry->nh)
		conga_path_object6(walk, entry->nh);
	else
		conga_path_entries6(walk, entry);
}

static void conga_path_begin6(struct conga_path_search *search, s32 domain)
{
	struct flowi6 flow = conga_path_flow6(search, domain);

	search->witness = conga_path_lookup6(search, &flow, 0);
	if (search->witness)
		search->witness_cookie =
			rt6_get_cookie(container_of(search->witness, struct rt6_info, dst));
}

u8 conga_path_search6(struct conga_path_search *search, struct conga_port *port)
{
	struct conga_path_walk6 walk = {
		.search		= search,
		.port		= port,
		.verdict	= CONGA_PATH_NOT_NEXTHOP,
	};

	if (!search->witness)
		conga_path_begin6(search, conga_path_domain(search, port->dev));
	if (!search->witness)
		return 0;
	if (search->witness->error)
		return CONGA_PATH_NO_ROUTE;
	conga_path_walk6(&walk);
	return walk.verdict;
}

void conga_path_members6(struct conga_path_search *search)
{
	struct conga_path_walk6 walk = { .search = search };

	if (!search->witness)
		conga_path_begin6(search, search->key->domain);
	if (search->witness && !search->witness->error)
		conga_path_walk6(&walk);
}
