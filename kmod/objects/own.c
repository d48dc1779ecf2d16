// SPDX-License-Identifier: GPL-2.0
/*
 * The address of this node: which one do leaves know it by?
 *
 * A leaf accepts control packets only from an address that it knows as a leaf: the source
 * of the tunnel's packets to it. The sources of knowledge are, the best first: the
 * operator; packets of a tunnel that were seen to leave for the leaf; an address to which
 * the leaf answered a hello; the address to which the leaf's hellos came; the local address
 * of a vxlan device of the fabric's UDP ports; and last the route, which fills in the
 * source of a tunnel without a local address.
 *
 * While a leaf answers to the address of the tunnel's packets, that address stays, even if
 * a second tunnel endpoint of this node sends to the same leaf. While the leaf does not
 * answer, the address follows the traffic.
 *
 * Probes are sent far too often to look for an address each time. A work finds the
 * addresses after a change, and packets read them.
 */
#include <linux/inetdevice.h>
#include <linux/workqueue.h>
#include <net/addrconf.h>
#include <net/ip6_route.h>
#include <net/l3mdev.h>
#include <net/route.h>
#include <net/vxlan.h>

#include "objects/leaf_table.h"
#include "objects/own.h"
#include "objects/port.h"

/* Changes come in bursts, e.g. of devices: one refresh covers a burst. */
#define CONGA_OWN_DELAY_MS	20

/* --- the address by which a leaf knows this node --- */

/* conga_own_changed - the address may have changed; RCU or the locks */
void conga_own_changed(struct conga_fabric *fabric)
{
	if (!READ_ONCE(fabric->leaving))
		queue_delayed_work(system_wq, &fabric->own_work,
				   msecs_to_jiffies(CONGA_OWN_DELAY_MS));
}

/* conga_own_gone - an address of this node went away; likewise */
void conga_own_gone(struct conga_fabric *fabric)
{
	WRITE_ONCE(fabric->own_gone, true);
	conga_own_changed(fabric);
}

static void conga_own_set(struct conga_leaf *leaf, const struct in6_addr *addr,
			  u8 rank)
{
	struct conga_fabric *fabric = leaf->fabric;

	lockdep_assert_held(&leaf->hello_lock);
	if (leaf->own_rank == rank && ipv6_addr_equal(&leaf->own, addr))
		return;
	leaf->own = *addr;
	leaf->own_rank = rank;
	if (rank == CONGA_OWN_CALLED)
		return;
	WRITE_ONCE(fabric->own_teacher[conga_leaf_is_v4(leaf)], leaf->index);
	conga_own_changed(fabric);
}

/* While the leaf answers to the address of the tunnel's packets, that address stays. */
static bool conga_own_settled(const struct conga_leaf *leaf)
{
	return leaf->own_rank == CONGA_OWN_ANSWERED && leaf->hello->agreed;
}

/* Is @source the address to which the leaf has answered by now? */
static u8 conga_own_seen_rank(const struct conga_leaf *leaf,
			      const struct in6_addr *source)
{
	if (leaf->own_rank == CONGA_OWN_CONFIRMED && leaf->hello->agreed &&
	    ipv6_addr_equal(&leaf->own, source))
		return CONGA_OWN_ANSWERED;
	return CONGA_OWN_SEEN;
}

/* conga_own_learn - a packet of a tunnel leaves for @leaf from @source */
void conga_own_learn(struct conga_leaf *leaf, const struct in6_addr *source)
{
	/* This reads without the lock, so that packets of a second endpoint do not take it. */
	if (data_race(conga_own_settled(leaf)))
		return;
	spin_lock_bh(&leaf->hello_lock);
	if (!conga_own_settled(leaf))
		conga_own_set(leaf, source, conga_own_seen_rank(leaf, source));
	spin_unlock_bh(&leaf->hello_lock);
}

/*
 * conga_own_called - a hello of @leaf came to @addr, :: if to a group
 *
 * Any sender can forge a hello of the leaf, so that the address is used only while no
 * better one is known.
 */
void conga_own_called(struct conga_leaf *leaf, const struct in6_addr *addr)
{
	if (ipv6_addr_any(addr))
		return;
	spin_lock_bh(&leaf->hello_lock);
	if (leaf->own_rank <= CONGA_OWN_CALLED)
		conga_own_set(leaf, addr, CONGA_OWN_CALLED);
	spin_unlock_bh(&leaf->hello_lock);
}

/*
 * conga_own_answered - an answer with a right nonce came to @addr; holds hello_lock
 *
 * It does not confirm another address that the tunnel's packets have.
 */
void conga_own_answered(struct conga_leaf *leaf, const struct in6_addr *addr)
{
	if (ipv6_addr_any(addr))
		return;
	if (leaf->own_rank <= CONGA_OWN_CONFIRMED)
		conga_own_set(leaf, addr, CONGA_OWN_CONFIRMED);
	else if (ipv6_addr_equal(&leaf->own, addr))
		conga_own_set(leaf, addr, CONGA_OWN_ANSWERED);
}

/* Keeps the address for the leaf, and the reason for it. */
static u8 conga_own_recall(struct conga_leaf *leaf, struct in6_addr *addr)
{
	u8 rank;

	spin_lock_bh(&leaf->hello_lock);
	*addr = leaf->own;
	rank = leaf->own_rank;
	spin_unlock_bh(&leaf->hello_lock);
	return rank;
}

/* --- the address of the route --- */

static bool conga_own_route4(const struct conga_leaf *leaf, int oif,
			     const struct conga_params *params,
			     struct in6_addr *addr)
{
	struct flowi4 flow = {
		.flowi4_oif	= oif,
		.flowi4_proto	= IPPROTO_UDP,
		.daddr		= leaf->addr.s6_addr32[3],
		.fl4_dport	= params->dstports.port[0],
	};
	struct rtable *rt = ip_route_output_key_hash(leaf->fabric->net, &flow,
						     NULL);

	if (IS_ERR(rt))
		return false;
	ip_rt_put(rt);
	ipv6_addr_set_v4mapped(flow.saddr, addr);
	return flow.saddr;
}

static bool conga_own_route6(const struct conga_leaf *leaf, int oif,
			     const struct conga_params *params,
			     struct in6_addr *addr)
{
	struct flowi6 flow = {
		.flowi6_oif	= oif,
		.flowi6_proto	= IPPROTO_UDP,
		.daddr		= leaf->addr,
		.fl6_dport	= params->dstports.port[0],
	};
	struct dst_entry *dst;

	if (ip6_dst_lookup(leaf->fabric->net, NULL, &dst, &flow))
		return false;
	dst_release(dst);
	*addr = flow.saddr;
	return !ipv6_addr_any(addr);
}

/* The source that the kernel gives a packet without one, in the L3 domain of the port */
static bool conga_own_route(const struct conga_leaf *leaf,
			    const struct conga_port *port,
			    const struct conga_params *params,
			    struct in6_addr *addr)
{
	int oif = l3mdev_master_ifindex_rcu(port->dev);

	return conga_leaf_is_v4(leaf) ?
	       conga_own_route4(leaf, oif, params, addr) :
	       conga_own_route6(leaf, oif, params, addr);
}

/* --- the address for packets --- */

static void conga_own_read(const struct conga_port *port, struct conga_own *own)
{
	seqlock_t *lock = &port->fabric->own_lock;
	unsigned int begin;

	do {
		begin = read_seqbegin(lock);
		*own = port->own;
	} while (read_seqretry(lock, begin));
}

static bool conga_own_take(struct in6_addr *addr, const struct in6_addr *from)
{
	*addr = *from;
	return !ipv6_addr_any(from);
}

/* conga_own_source - the source of control packets to @leaf by @port; false if none */
bool conga_own_source(struct conga_leaf *leaf, const struct conga_port *port,
		      const struct conga_params *params,
		      struct in6_addr *source)
{
	bool v4 = conga_leaf_is_v4(leaf);
	struct conga_own own;

	if (conga_own_take(source, &params->local[v4]) ||
	    conga_own_recall(leaf, source))
		return true;
	conga_own_read(port, &own);
	if (conga_own_take(source, &own.tunnel[v4]) ||
	    conga_own_take(source, &own.learnt[v4]))
		return true;
	if (!conga_own_route(leaf, port, params, source))
		return false;
	if (!ipv6_addr_equal(source, &own.route[v4]))
		conga_own_changed(leaf->fabric);
	return true;
}

/* conga_own_origin - the origin of probes by @port; false if no address is known */
bool conga_own_origin(const struct conga_port *port,
		      const struct conga_params *params, bool v4,
		      struct in6_addr *origin)
{
	struct conga_own own;

	if (conga_own_take(origin, &params->local[v4]))
		return true;
	conga_own_read(port, &own);
	return conga_own_take(origin, &own.learnt[v4]) ||
	       conga_own_take(origin, &own.tunnel[v4]) ||
	       conga_own_take(origin, &own.route[v4]);
}

/* --- the refresh --- */

/* Is it an address of this node? */
static bool conga_own_is_here(struct net *net, const struct in6_addr *addr)
{
	if (ipv6_addr_v4mapped(addr))
		return __ip_dev_find(net, addr->s6_addr32[3], false);
	return ipv6_chk_addr(net, addr, NULL, 0);
}

/* Is the tunnel's underlay that of the device, i.e. the same VRF or none? */
static bool conga_own_same_domain(const struct vxlan_dev *tunnel,
				  const struct net_device *dev)
{
	return l3mdev_master_ifindex_by_index(dev_net(dev),
					      tunnel->cfg.remote_ifindex) ==
	       l3mdev_master_ifindex_rcu(dev);
}

/* Does the fabric take the packets of the tunnel at this port? */
static bool conga_own_fits(const struct vxlan_dev *tunnel,
			   const struct conga_port *port,
			   const struct conga_params *params)
{
	return net_eq(tunnel->net, port->fabric->net) &&
	       conga_dstports_bit(&params->dstports, tunnel->cfg.dst_port) &&
	       conga_own_same_domain(tunnel, port->dev);
}

static void conga_own_take_tunnel(const struct vxlan_dev *tunnel,
				  struct conga_own *own)
{
	const union vxlan_addr *local = &tunnel->cfg.saddr;

	if (local->sa.sa_family == AF_INET6) {
		if (ipv6_addr_any(&own->tunnel[0]))
			own->tunnel[0] = local->sin6.sin6_addr;
	} else if (local->sin.sin_addr.s_addr && ipv6_addr_any(&own->tunnel[1])) {
		ipv6_addr_set_v4mapped(local->sin.sin_addr.s_addr,
				       &own->tunnel[1]);
	}
}

static void conga_own_find_tunnels(const struct conga_port *port,
				   const struct conga_params *params,
				   struct conga_own *own)
{
	struct net_device *dev;

	for_each_netdev_rcu(port->fabric->net, dev) {
		const struct vxlan_dev *tunnel = netdev_priv(dev);

		if (netif_is_vxlan(dev) && conga_own_fits(tunnel, port, params))
			conga_own_take_tunnel(tunnel, own);
	}
}

/* The port takes the address by which the last such leaf knows this node, if the port leads
 * there and has no address, or one to which no leaf answered.
 */
static void conga_own_find_learnt(const struct conga_port *port, bool v4,
				  struct conga_own *own)
{
	struct conga_fabric *fabric = port->fabric;
	struct conga_leaf *leaf;
	struct in6_addr addr;
	u8 rank;

	if (own->rank[v4] && !conga_own_is_here(fabric->net, &own->learnt[v4])) {
		own->learnt[v4] = in6addr_any;
		own->rank[v4] = CONGA_OWN_NONE;
	}
	leaf = conga_leaf_by_index(fabric, READ_ONCE(fabric->own_teacher[v4]));
	if (!leaf || conga_leaf_is_v4(leaf) != v4 ||
	    !conga_path_by(leaf, port->tag))
		return;
	rank = conga_own_recall(leaf, &addr);
	if (rank < CONGA_OWN_CONFIRMED || rank <= own->rank[v4])
		return;
	own->learnt[v4] = addr;
	own->rank[v4] = rank;
}

static void conga_own_find_route(const struct conga_port *port,
				 const struct conga_params *params,
				 struct conga_own *own)
{
	struct conga_fabric *fabric = port->fabric;
	unsigned long index = 0;
	struct conga_leaf *leaf;
	bool v4;

	leaf = conga_leaf_next(fabric, &index);
	if (!leaf)
		return;
	v4 = conga_leaf_is_v4(leaf);
	if (!conga_own_route(leaf, port, params, &own->route[v4]))
		own->route[v4] = in6addr_any;
}

static void conga_own_refresh_port(struct conga_port *port,
				   const struct conga_params *params)
{
	seqlock_t *lock = &port->fabric->own_lock;
	struct conga_own own;

	conga_own_read(port, &own);
	memset(own.tunnel, 0, sizeof(own.tunnel));
	memset(own.route, 0, sizeof(own.route));
	conga_own_find_tunnels(port, params, &own);
	conga_own_find_learnt(port, false, &own);
	conga_own_find_learnt(port, true, &own);
	conga_own_find_route(port, params, &own);
	write_seqlock(lock);
	port->own = own;
	write_sequnlock(lock);
}

/* A leaf must not get packets from an address that this node no longer has. */
static void conga_own_forget(struct conga_leaf *leaf)
{
	spin_lock(&leaf->hello_lock);
	if (leaf->own_rank && !conga_own_is_here(leaf->fabric->net, &leaf->own)) {
		leaf->own = in6addr_any;
		leaf->own_rank = CONGA_OWN_NONE;
	}
	spin_unlock(&leaf->hello_lock);
}

/* Each leaf gets its own RCU section, since there may be many leaves. */
static void conga_own_forget_all(struct conga_fabric *fabric)
{
	struct conga_leaf *leaf;
	unsigned long index = 0;

	do {
		local_bh_disable();
		rcu_read_lock();
		leaf = conga_leaf_next(fabric, &index);
		if (leaf)
			conga_own_forget(leaf);
		rcu_read_unlock();
		local_bh_enable();
		index++;
		cond_resched();
	} while (leaf);
}

static void conga_own_work(struct work_struct *work)
{
	struct conga_fabric *fabric = container_of(to_delayed_work(work),
						   struct conga_fabric,
						   own_work);
	struct conga_port *port;
	u8 tag;

	if (xchg(&fabric->own_gone, false))
		conga_own_forget_all(fabric);
	for (tag = 0; tag < CONGA_TAGS_MAX; tag++) {
		local_bh_disable();
		rcu_read_lock();
		port = conga_port_uplink(fabric, tag);
		if (port)
			conga_own_refresh_port(port,
					       rcu_dereference(fabric->params));
		rcu_read_unlock();
		local_bh_enable();
		cond_resched();
	}
}

/* --- beginning and end --- */

/* conga_own_setup - of a fabric that is not published yet */
void conga_own_setup(struct conga_fabric *fabric)
{
	seqlock_init(&fabric->own_lock);
	INIT_DELAYED_WORK(&fabric->own_work, conga_own_work);
}

/* conga_own_refresh - the configuration changed; the addresses are current on return */
void conga_own_refresh(struct conga_fabric *fabric)
{
	conga_assert_locked(fabric);
	mod_delayed_work(system_wq, &fabric->own_work, 0);
	flush_delayed_work(&fabric->own_work);
}

/* conga_own_stop - after a grace period since the fabric was made dead; sleeps */
void conga_own_stop(struct conga_fabric *fabric)
{
	cancel_delayed_work_sync(&fabric->own_work);
}
