// SPDX-License-Identifier: GPL-2.0
/*
 * Paths: (leaf, uplink) -> route, usable or why not. The only file that knows
 * routes.
 *
 * An uplink is a path to a leaf if and only if it is a live nexthop of the
 * route that the kernel finds without being told a device. Asking with a
 * device alone would be wrong: IPv4 then assumes the destination on link, or
 * takes a less specific route, and IPv6 may answer with another device. So:
 * first the route as it is, then its route through the uplink, which is used
 * only if it does leave by the uplink.
 *
 * The paths to a leaf are resolved together, and stay good as long as the
 * generation of routes and ports does. Every change of a route, address, nexthop
 * or carrier moves it, so a withdrawal takes effect at the next packet, and a
 * route that returns is found at the next packet too. With one exception: IPv6
 * deletes a route without a new generation. So a path also keeps the route that
 * its verdict rests on, be it that the uplink is used or that it is not, and the
 * paths are resolved anew when the kernel gives that route up.
 */
#include <linux/rtnetlink.h>
#include <net/ip6_fib.h>
#include <net/ip6_route.h>
#include <net/ip_fib.h>
#include <net/l3mdev.h>
#include <net/nexthop.h>
#include <net/route.h>

#include "leaf.h"
#include "path_dst.h"
#include "port.h"

/* conga_path_invalidate - a port's state changed; any context */
void conga_path_invalidate(struct conga_fabric *fabric)
{
	atomic_inc(&fabric->path_epoch);
}

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

/* Does the IPv4 route, found without a device, have this one as nexthop? */
static u8 conga_path_nexthop4(const struct fib_result *res,
			      const struct net_device *dev)
{
	u8 reason = CONGA_PATH_NOT_NEXTHOP;
	int i;

	if (res->type != RTN_UNICAST)
		return CONGA_PATH_NO_ROUTE;
	for (i = 0; i < fib_info_num_path(res->fi); i++) {
		struct fib_nh_common *nhc = fib_info_nhc(res->fi, i);

		if (nhc->nhc_dev != dev)
			continue;
		if (!(nhc->nhc_flags & (RTNH_F_DEAD | RTNH_F_LINKDOWN)))
			return CONGA_PATH_USABLE;
		reason = CONGA_PATH_NEXTHOP_DOWN;
	}
	return reason;
}

static bool conga_path_keys_equal(const struct conga_path_key *a,
				  const struct conga_path_key *b)
{
	return a->dstport == b->dstport &&
	       ipv6_addr_equal(&a->source, &b->source);
}

/*
 * conga_path_use_key - resolve the paths for packets with @key
 *
 * Softirq or BH disabled, RCU; where conga_path_by_key(). Paths are kept for one
 * key at a time: all packets to a leaf are alike, unless tunnels of several UDP
 * ports or sources lead to it, which then resolve them in turn.
 */
void conga_path_use_key(struct conga_leaf *leaf,
			const struct conga_path_key *key)
{
	struct conga_paths *paths = &leaf->paths;

	/* Read without the lock: a torn one is another, and only costs that. */
	if (data_race(conga_path_keys_equal(&paths->key, key)))
		return;
	spin_lock_bh(&paths->lock);
	paths->key = *key;
	WRITE_ONCE(paths->genid, 0);
	spin_unlock_bh(&paths->lock);
}

/* Under the lock. */
static const struct conga_path_key *
conga_path_key(const struct conga_leaf *leaf)
{
	static const struct conga_path_key any;

	return conga_path_by_key(leaf) ? &leaf->paths.key : &any;
}

/* A VRF's table is asked for by the VRF device in place of the output device. */
static struct flowi4 conga_path_flow4(const struct conga_leaf *leaf, int oif)
{
	const struct conga_path_key *key = conga_path_key(leaf);

	return (struct flowi4) {
		.flowi4_oif	= oif,
		.flowi4_proto	= IPPROTO_UDP,
		.saddr		= key->source.s6_addr32[3],
		.daddr		= leaf->addr.s6_addr32[3],
		.fl4_dport	= key->dstport,
	};
}

/* What a look-up found. Both routes are held. */
struct conga_path_verdict {
	struct dst_entry	*dst;	/* by the uplink; NULL: unusable */
	struct dst_entry	*other;	/* IPv6, unusable: the route that says so */
	u8			reason;	/* enum conga_path_reason; 0: no memory, so
					 * that the next packet tries again
					 */
};

static void conga_path_route4(const struct conga_leaf *leaf,
			      struct net_device *dev,
			      struct conga_path_verdict *verdict)
{
	struct flowi4 flow = conga_path_flow4(leaf, l3mdev_master_ifindex_rcu(dev));
	struct net *net = leaf->fabric->net;
	struct fib_result res;
	struct rtable *rt;

	verdict->reason = CONGA_PATH_NO_ROUTE;
	if (fib_lookup(net, &flow, &res, 0))
		return;
	verdict->reason = conga_path_nexthop4(&res, dev);
	if (verdict->reason != CONGA_PATH_USABLE)
		return;
	flow = conga_path_flow4(leaf, dev->ifindex);
	rt = ip_route_output_key_hash(net, &flow, NULL);
	if (!IS_ERR(rt))
		verdict->dst = &rt->dst;
	else
		verdict->reason = PTR_ERR(rt) == -ENOBUFS ? 0 : CONGA_PATH_NO_ROUTE;
}

/* Does the kernel have a route, whether it can give it to us or not? */
static bool conga_path_exists6(struct net *net, struct flowi6 *flow, int flags)
{
	struct fib6_result res = {};

	return !fib6_lookup(net, flow->flowi6_oif, flow, &res, flags) &&
	       res.f6i && res.f6i != net->ipv6.fib6_null_entry;
}

/* NULL without memory, of which IPv6 itself makes that there is no route. */
static struct dst_entry *conga_path_lookup6(const struct conga_leaf *leaf,
					    int oif, int flags)
{
	const struct conga_path_key *key = conga_path_key(leaf);
	struct net *net = leaf->fabric->net;
	struct dst_entry *dst;
	struct flowi6 flow = {
		.flowi6_oif	= oif,
		.flowi6_proto	= IPPROTO_UDP,
		.saddr		= key->source,
		.daddr		= leaf->addr,
		.fl6_dport	= key->dstport,
	};

	dst = ip6_route_output_flags(net, NULL, &flow, flags);
	if (dst != &net->ipv6.ip6_null_entry->dst ||
	    !conga_path_exists6(net, &flow, flags))
		return dst;
	dst_release(dst);
	return NULL;
}

/* Are two routes nexthops of one, i.e. of equal prefix and metric? */
static bool conga_path_siblings6(const struct dst_entry *a,
				 const struct dst_entry *b)
{
	const struct fib6_info *fa, *fb;

	fa = rcu_dereference(container_of(a, struct rt6_info, dst)->from);
	fb = rcu_dereference(container_of(b, struct rt6_info, dst)->from);
	if (!fa || !fb)
		return false;
	return fa == fb ||
	       (fa->fib6_table == fb->fib6_table &&
		fa->fib6_metric == fb->fib6_metric &&
		fa->fib6_dst.plen == fb->fib6_dst.plen &&
		ipv6_addr_equal(&fa->fib6_dst.addr, &fb->fib6_dst.addr));
}

static bool conga_path_in_table6(const struct dst_entry *dst)
{
	return rcu_access_pointer(container_of(dst, struct rt6_info, dst)->from);
}

/* The uplink is not used because of the route @other, whose reference is taken
 * over. One that is in no table (there is no route at all) says nothing.
 */
static void conga_path_refuse6(struct conga_path_verdict *verdict,
			       struct dst_entry *other, u8 reason)
{
	verdict->reason = reason;
	if (conga_path_in_table6(other))
		verdict->other = other;
	else
		dst_release(other);
}

/* IPv6 shows no list of nexthops to us. But a lookup that is held to the
 * uplink finds a sibling of the free one's result, or else another route.
 */
static void conga_path_route6(const struct conga_leaf *leaf,
			      struct net_device *dev,
			      struct conga_path_verdict *verdict)
{
	struct dst_entry *any, *dst;

	any = conga_path_lookup6(leaf, l3mdev_master_ifindex_rcu(dev), 0);
	if (!any)
		return;
	if (any->error) {
		conga_path_refuse6(verdict, any, CONGA_PATH_NO_ROUTE);
		return;
	}
	dst = conga_path_lookup6(leaf, dev->ifindex, RT6_LOOKUP_F_IFACE);
	if (!dst) {
		dst_release(any);
		return;
	}
	if (dst->error || !conga_path_siblings6(any, dst)) {
		dst_release(dst);
		conga_path_refuse6(verdict, any, CONGA_PATH_NOT_NEXTHOP);
		return;
	}
	dst_release(any);
	verdict->dst = dst;
	verdict->reason = CONGA_PATH_USABLE;
}

static void conga_path_lookup(const struct conga_leaf *leaf,
			      struct conga_port *port,
			      struct conga_path_verdict *verdict)
{
	if (!conga_port_up(port)) {
		verdict->reason = CONGA_PATH_PORT_DOWN;
		return;
	}
	if (conga_leaf_is_v4(leaf))
		conga_path_route4(leaf, port->dev, verdict);
	else
		conga_path_route6(leaf, port->dev, verdict);
	if (verdict->dst && verdict->dst->dev != port->dev) {
		dst_release(verdict->dst);
		verdict->dst = NULL;
		verdict->reason = CONGA_PATH_OTHER_DEVICE;
	}
}

static u32 conga_path_cookie(const struct conga_leaf *leaf,
			     const struct dst_entry *dst)
{
	if (!dst || conga_leaf_is_v4(leaf))
		return 0;
	return rt6_get_cookie(container_of(dst, struct rt6_info, dst));
}

static void conga_path_count(const struct conga_leaf *leaf, bool was, bool is)
{
	if (was != is)
		conga_stats_inc(leaf->fabric->stats,
				is ? CONGA_A_STATS_PATH_UP :
				     CONGA_A_STATS_PATH_DOWN);
}

static struct dst_entry *conga_path_swap(struct conga_leaf *leaf,
					 struct dst_entry __rcu **slot,
					 struct dst_entry *dst)
{
	return rcu_replace_pointer(*slot, dst,
				   lockdep_is_held(&leaf->paths.lock));
}

/* Old routes are released at once: dst_release() itself waits for RCU. */
static void conga_path_store(struct conga_leaf *leaf, struct conga_path *path,
			     const struct conga_path_verdict *verdict)
{
	struct dst_entry *dst, *other;

	WRITE_ONCE(path->cookie, conga_path_cookie(leaf, verdict->dst ?:
							 verdict->other));
	dst = conga_path_swap(leaf, &path->dst, verdict->dst);
	other = conga_path_swap(leaf, &path->other, verdict->other);
	if (path->reason != verdict->reason)
		conga_fabric_changed(leaf->fabric);
	WRITE_ONCE(path->reason, verdict->reason);
	conga_path_count(leaf, dst, verdict->dst);
	dst_release(dst);
	dst_release(other);
}

static bool conga_path_all_hold(const struct conga_leaf *leaf)
{
	u8 tag;

	if (!conga_path_current(leaf))
		return false;
	for (tag = 0; tag < CONGA_TAGS_MAX; tag++)
		if (!conga_path_holds(leaf, &leaf->paths.path[tag]))
			return false;
	return true;
}

/* Each by its uplink; false without memory for one, so that the next packet tries
 * again.
 */
static bool conga_path_resolve_all(struct conga_leaf *leaf)
{
	bool complete = true;
	u16 routed = 0;
	u8 tag;

	for (tag = 0; tag < CONGA_TAGS_MAX; tag++) {
		struct conga_port *port = conga_port_hop(leaf->fabric, tag);
		struct conga_path_verdict verdict = {};

		if (!port)
			continue;
		conga_path_lookup(leaf, port, &verdict);
		conga_path_store(leaf, &leaf->paths.path[tag], &verdict);
		if (verdict.dst)
			routed |= BIT(tag);
		complete &= verdict.reason != 0;
	}
	WRITE_ONCE(leaf->paths.routed, routed);
	return complete;
}

/* conga_path_resolve - what is outdated; softirq or BH disabled, RCU
 *
 * The generation is read before the routes: a change in between makes the
 * result outdated, never wrongly current. Of several CPUs that find the paths
 * outdated one resolves them.
 */
void conga_path_resolve(struct conga_leaf *leaf)
{
	u64 genid;

	spin_lock_bh(&leaf->paths.lock);
	genid = conga_path_genid(leaf);
	if (!conga_path_all_hold(leaf)) {
		genid = conga_path_resolve_all(leaf) ? genid : 0;
		/* Paired with the acquire in conga_path_current(). */
		smp_store_release(&leaf->paths.genid, genid);
	}
	spin_unlock_bh(&leaf->paths.lock);
}

/*
 * conga_path_routed - bit per LBTag that has a route to @leaf; as above
 *
 * Whether the uplink is up at this moment, and an IPv4 route not given up, is for
 * conga_path_dst() to say.
 */
u16 conga_path_routed(struct conga_leaf *leaf)
{
	if (conga_leaf_is_v4(leaf) ? !conga_path_current(leaf) :
				     !conga_path_all_hold(leaf))
		conga_path_resolve(leaf);
	return READ_ONCE(leaf->paths.routed);
}

/* conga_path_leads - is @port, of any role, a nexthop of the route to @leaf? As above */
bool conga_path_leads(struct conga_leaf *leaf, struct conga_port *port)
{
	struct conga_path_verdict verdict = {};
	u8 tag = READ_ONCE(port->tag);

	if (tag != CONGA_TAG_NONE)
		return conga_path_routed(leaf) & BIT(tag);
	spin_lock_bh(&leaf->paths.lock);
	conga_path_lookup(leaf, port, &verdict);
	spin_unlock_bh(&leaf->paths.lock);
	dst_release(verdict.dst);
	dst_release(verdict.other);
	return verdict.reason == CONGA_PATH_USABLE;
}

/* conga_path_usable - bit per LBTag whose path is usable; as above */
u16 conga_path_usable(struct conga_leaf *leaf)
{
	unsigned long routed = conga_path_routed(leaf);
	struct conga_port *port;
	u16 usable = 0;
	u8 tag;

	for_each_set_bit(tag, &routed, CONGA_TAGS_MAX) {
		port = conga_port_hop(leaf->fabric, tag);
		if (port && conga_path_dst(leaf, port))
			usable |= BIT(tag);
	}
	return usable;
}

/* conga_path_reason - enum conga_path_reason, in force now; as above */
u8 conga_path_reason(struct conga_leaf *leaf, struct conga_port *port)
{
	u8 reason;

	if (conga_path_dst(leaf, port))
		return CONGA_PATH_USABLE;
	reason = READ_ONCE(leaf->paths.path[port->tag].reason);
	return reason ? reason : CONGA_PATH_NO_ROUTE;
}

static void conga_path_forget(struct conga_leaf *leaf, u8 tag)
{
	static const struct conga_path_verdict nothing;

	spin_lock_bh(&leaf->paths.lock);
	conga_path_store(leaf, &leaf->paths.path[tag], &nothing);
	WRITE_ONCE(leaf->paths.genid, 0);
	spin_unlock_bh(&leaf->paths.lock);
}

/* conga_path_forget_all - the leaf dies */
void conga_path_forget_all(struct conga_leaf *leaf)
{
	u8 tag;

	for (tag = 0; tag < CONGA_TAGS_MAX; tag++)
		conga_path_forget(leaf, tag);
}

/* conga_path_forget_tag - the uplink died; after its grace period */
void conga_path_forget_tag(struct conga_fabric *fabric, u8 tag)
{
	struct conga_leaf *leaf;
	unsigned long index = 0;

	conga_assert_locked(fabric);
	for (; (leaf = conga_leaf_next(fabric, &index)); index++) {
		conga_path_forget(leaf, tag);
		conga_leaf_forget_tag(leaf, tag);
	}
}
