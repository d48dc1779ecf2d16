// SPDX-License-Identifier: GPL-2.0
/*
 * This file sends the hellos that ask, CONGA_HELLO_TICKS times per hello interval. hello.c
 * decides about their leaves, uplinks, UDP ports and sizes, and judges silence.
 */
#include <linux/if_ether.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/udp.h>
#include <net/vxlan.h>

#include "control/announce.h"
#include "control/control_send.h"
#include "control/control_tick.h"
#include "control/delay.h"
#include "objects/leaf.h"
#include "objects/pace.h"
#include "objects/path_dst.h"
#include "objects/ping.h"
#include "objects/port.h"
#include "objects/source_port.h"
#include "packet/packet.h"
#include "paper/hello_large.h"

#define CONGA_CONTROL_PIECE		1000000	/* ns, of a tick with many leaves */

/* Bytes that a tunnel adds between its device's packets and the outer IP header */
#define CONGA_CONTROL_TUNNEL	(sizeof(struct udphdr) + CONGA_VXLAN_HLEN + ETH_HLEN)

static void conga_control_count_times(const struct conga_leaf *leaf,
				      enum conga_attr_stats counter, u16 times)
{
	unsigned int n;

	for (n = hweight16(times); n; n--)
		conga_stats_inc(leaf->fabric->stats, counter);
}

/* conga_control_emit - send by the uplink of @way, and count @counter if it was sent */
bool conga_control_emit(const struct conga_control_way *way,
			struct conga_control_payload *payload,
			enum conga_attr_stats counter)
{
	int err = conga_control_send(way, payload);

	conga_stats_inc(way->leaf->fabric->stats, conga_control_outcome(err, counter));
	return !err;
}

/* --- paths --- */

/* conga_control_uplinks - hellos leave only by uplinks, even if the policy may choose other
 * ports, and only by the paths that the leaf has
 */
u16 conga_control_uplinks(struct conga_leaf *leaf)
{
	u16 usable = conga_path_usable(leaf) & ~READ_ONCE(leaf->fabric->transit);

	return conga_leaf_is_conga(leaf) ? usable : usable & ~READ_ONCE(leaf->fabric->extra);
}

static u16 conga_control_heard(const struct conga_leaf *leaf, u64 now, u64 since)
{
	u16 heard = 0;
	u8 tag;

	for (tag = 0; tag < CONGA_TAGS_MAX; tag++) {
		conga_sample_t sample = READ_ONCE(leaf->to.heard[tag]);

		if (conga_sample_valid(sample) &&
		    conga_sample_age(sample, now) < since)
			heard |= BIT(tag);
	}
	return heard;
}

/* --- full size --- */

static void conga_control_see_tunnel(struct conga_fabric *fabric,
				     const struct conga_params *params,
				     const struct net_device *dev)
{
	const struct vxlan_dev *tunnel = netdev_priv(dev);
	bool both = tunnel->cfg.flags & VXLAN_F_COLLECT_METADATA;
	bool v6 = tunnel->cfg.flags & VXLAN_F_IPV6;
	u16 mtu = min_t(u32, dev->mtu, U16_MAX);

	if (!conga_dstports_bit(&params->dstports, tunnel->cfg.dst_port))
		return;
	if (both || !v6)
		fabric->tunnel_mtu[0] = max(fabric->tunnel_mtu[0], mtu);
	if (both || v6)
		fabric->tunnel_mtu[1] = max(fabric->tunnel_mtu[1], mtu);
}

/* Devices are walked only after a tunnel came, went or changed, since there may be
 * thousands. Only the work of the tick walks them; RCU.
 */
static void conga_control_see_tunnels(struct conga_fabric *fabric,
				      const struct conga_params *params)
{
	struct net_device *dev;

	if (!READ_ONCE(fabric->tunnels_stale))
		return;
	WRITE_ONCE(fabric->tunnels_stale, false);
	/* The walk sees a change that comes after this, or the change makes it stale again.
	 * Paired with conga_notify_tunnel().
	 */
	smp_mb();
	memset(fabric->tunnel_mtu, 0, sizeof(fabric->tunnel_mtu));
	conga_source_port_range(fabric, params);
	for_each_netdev_rcu(fabric->net, dev)
		if (netif_is_vxlan(dev))
			conga_control_see_tunnel(fabric, params, dev);
}

/* The largest packet by this path that a tunnel sends, in bytes of IP; 0 if it is no larger
 * than a small hello. If the tunnel is on another node, it is the MTU of the path.
 */
static u32 conga_control_size(struct conga_leaf *leaf, u8 tag)
{
	struct conga_port *port = conga_port_uplink(leaf->fabric, tag);
	struct dst_entry *dst = port ? conga_path_dst(leaf, port) : NULL;
	bool v4 = conga_leaf_is_v4(leaf);
	u32 header = v4 ? sizeof(struct iphdr) : sizeof(struct ipv6hdr);
	u32 tunnel = leaf->fabric->tunnel_mtu[!v4];
	u32 size;

	if (!dst)
		return 0;
	size = min_t(u32, dst_mtu(dst), U16_MAX);
	if (tunnel)
		size = min_t(u32, size, tunnel + CONGA_CONTROL_TUNNEL + header);
	return size > header + CONGA_CONTROL_SMALL ? size : 0;
}

static u16 conga_control_large(struct conga_leaf *leaf, unsigned long usable)
{
	u16 large = 0;
	u8 tag;

	for_each_set_bit(tag, &usable, CONGA_TAGS_MAX)
		if (conga_control_size(leaf, tag))
			large |= BIT(tag);
	return large;
}

/* Rounds between full-size hellos by one path */
static u8 conga_control_every(const struct conga_params *params)
{
	u64 rounds = div64_u64(CONGA_HELLO_LARGE_NS + params->hello - 1, params->hello);

	return max_t(u64, rounds, CONGA_HELLO_LARGE_ROUNDS);
}

/* --- hellos --- */

/* The values that all hellos of a tick share */
struct conga_control_asking {
	const struct conga_params	*params;
	struct conga_leaf		*leaf;
	struct conga_hello_step		step;
	u64				nonce;	/* with LBTag 0, about the first port */
	u64				echo;
	__be16				dstport[CONGA_HELLO_PORTS];
};

static bool conga_control_is_ping(const struct conga_control_asking *asking, u8 tag,
				  u8 port)
{
	return port == asking->step.main && asking->step.pinged & BIT(tag);
}

/* Sends one hello, whose nonce has @kind. @size 0 stands for a small one. False if it could
 * not be sent.
 */
static bool conga_control_ask(const struct conga_control_asking *asking, u8 tag,
			      u8 port, u32 size, u64 kind)
{
	struct conga_control_way way = {
		.params		= asking->params,
		.leaf		= asking->leaf,
		.port		= conga_port_uplink(asking->leaf->fabric, tag),
		.tag		= tag,
		.dstport	= asking->dstport[port],
		.size		= size,
	};
	u64 nonce = asking->nonce | (u64)port << CONGA_HELLO_PORT_SHIFT | tag | kind;
	struct conga_control_payload payload;

	if (!way.port)
		return false;
	conga_control_fill(&payload, way.params, CONGA_CONTROL_HELLO);
	payload.header.flags |= CONGA_CONTROL_ASK;
	conga_control_put_nonces(&payload, nonce, asking->echo);
	if (!size)
		conga_delay_asked(way.leaf, way.params, way.port, nonce);
	return conga_control_emit(&way, &payload, CONGA_A_STATS_HELLO_SENT);
}

/* The time of a ping is taken just before it leaves, since its answer may come before this
 * function returns.
 */
static void conga_control_ping(const struct conga_control_asking *asking, u8 tag, u8 port)
{
	conga_ping_asked(asking->leaf, tag);
	if (!conga_control_ask(asking, tag, port, 0, CONGA_HELLO_PING))
		conga_ping_unsent(asking->leaf, tag);
}

static void conga_control_ask_large(const struct conga_control_asking *asking)
{
	struct conga_leaf *leaf = asking->leaf;
	unsigned long large = asking->step.large;
	u32 size;
	u8 tag;

	for_each_set_bit(tag, &large, CONGA_TAGS_MAX) {
		size = conga_control_size(leaf, tag);
		if (size && conga_control_ask(asking, tag, asking->step.main, size,
					      CONGA_HELLO_LARGE))
			continue;
		spin_lock(&leaf->hello_lock);
		conga_hello_large_unsent(leaf->hello, tag);
		spin_unlock(&leaf->hello_lock);
	}
}

static void conga_control_ask_all(const struct conga_control_asking *asking)
{
	unsigned long ask;
	u8 port, tag;

	for (port = 0; port < CONGA_HELLO_PORTS; port++) {
		ask = asking->step.ask[port];
		for_each_set_bit(tag, &ask, CONGA_TAGS_MAX) {
			if (conga_control_is_ping(asking, tag, port))
				conga_control_ping(asking, tag, port);
			else
				conga_control_ask(asking, tag, port, 0, 0);
		}
	}
	conga_control_ask_large(asking);
}

/* --- the tick --- */

static void conga_control_count_step(const struct conga_leaf *leaf,
				     const struct conga_hello_step *step)
{
	u8 port;

	for (port = 0; port < CONGA_HELLO_PORTS; port++)
		conga_control_count_times(leaf, CONGA_A_STATS_HELLO_MISSED,
					  step->missed[port]);
	conga_control_count_times(leaf, CONGA_A_STATS_HELLO_MISSED,
				  step->missed_large);
	conga_control_count_times(leaf, CONGA_A_STATS_PATH_SILENT, step->silenced);
	conga_control_count_times(leaf, CONGA_A_STATS_PATH_NARROW, step->narrowed);
}

/* The caller holds hello_lock. */
static void conga_control_step(struct conga_control_asking *asking,
			       const struct conga_hello_view *view)
{
	struct conga_leaf *leaf = asking->leaf;
	struct conga_hello *hello = leaf->hello;
	const struct conga_leaf_news before = conga_leaf_news(leaf);

	conga_hello_tick(hello, view, &asking->step);
	conga_ping_begin(leaf, asking->step.pinged);
	asking->nonce = conga_hello_nonce(hello, 0, 0);
	asking->echo = hello->echo;
	memcpy(asking->dstport, hello->port, sizeof(asking->dstport));
	conga_leaf_settle(leaf);
	conga_leaf_tell(leaf, &before);
}

/* Reading the paths also brings them up to date where no packet does. */
static void conga_control_tick_leaf(struct conga_leaf *leaf,
				    const struct conga_params *params)
{
	struct conga_control_asking asking = { .params = params, .leaf = leaf };
	struct conga_hello_view view = {
		.usable	= conga_control_uplinks(leaf),
		.busy	= xchg(&leaf->busy, 0),
		.heard	= conga_control_heard(leaf, ktime_get_ns(),
					      div_u64(params->hello,
						      CONGA_HELLO_TICKS)),
		.every	= conga_control_every(params),
		.random	= get_random_u64(),
	};

	view.large = conga_control_large(leaf, view.usable);
	spin_lock(&leaf->hello_lock);
	conga_control_step(&asking, &view);
	spin_unlock(&leaf->hello_lock);
	conga_control_count_step(leaf, &asking.step);
	if (READ_ONCE(leaf->fabric->extra))
		conga_source_port_look(leaf, params);
	conga_control_ask_all(&asking);
}

/* Returns the hello interval. Each leaf gets its own RCU section, since there may be many
 * leaves.
 */
static u64 conga_control_tick_one(struct conga_fabric *fabric,
				  unsigned long *index, bool *more)
{
	const struct conga_params *params;
	struct conga_leaf *leaf;
	u64 interval;

	local_bh_disable();
	rcu_read_lock();
	params = rcu_dereference(fabric->params);
	interval = params->hello;
	conga_control_see_tunnels(fabric, params);
	leaf = xa_find(&fabric->leaf_index, index, U16_MAX, XA_PRESENT);
	if (leaf && interval && READ_ONCE(leaf->mode) != CONGA_MODE_PLAIN)
		conga_control_tick_leaf(leaf, params);
	*more = leaf;
	rcu_read_unlock();
	local_bh_enable();
	(*index)++;
	return interval;
}

/* In a fabric of a user without privileges a tick is cut into pieces, so that the work can
 * wait after each piece, as pace.c demands. Returns ns until the work continues, 0 if
 * hellos are off.
 */
static u64 conga_control_tick_piece(struct conga_fabric *fabric)
{
	bool bounded = conga_pace_bounds(fabric->net), more;
	u64 began = ktime_get_ns();
	u64 interval, spent;

	if (!fabric->hello_next)
		conga_announce_tick(fabric);
	spent = ktime_get_ns() - began;
	do {
		began = ktime_get_ns();
		interval = conga_control_tick_one(fabric, &fabric->hello_next, &more);
		spent += ktime_get_ns() - began;
		cond_resched();
	} while (more && !(bounded && spent > CONGA_CONTROL_PIECE));
	conga_pace_spent(&fabric->hello_pace, fabric->net, spent);
	if (more)
		return interval ? 1 : 0;
	fabric->hello_next = 0;
	return div_u64(interval, CONGA_HELLO_TICKS);
}

/* conga_control_tick - the work of a fabric's hello_work */
void conga_control_tick(struct work_struct *work)
{
	struct conga_fabric *fabric = container_of(to_delayed_work(work),
						   struct conga_fabric,
						   hello_work);
	u64 next = conga_pace_wait(&fabric->hello_pace);
	unsigned long wait;

	if (!next)
		next = conga_control_tick_piece(fabric);
	if (!next)
		return;
	wait = conga_pace_jiffies(&fabric->hello_pace, next);
	queue_delayed_work(system_wq, &fabric->hello_work, max(wait, 1UL));
}
