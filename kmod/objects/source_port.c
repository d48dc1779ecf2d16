// SPDX-License-Identifier: GPL-2.0
/*
 * The UDP source ports of a leaf's paths, if uplinks have several LBTags (paper/entropy.c).
 * The tick looks at them; a change of the configuration makes them good at once.
 */
#include <linux/ktime.h>
#include <linux/random.h>
#include <net/ip.h>
#include <net/vxlan.h>

#include "objects/leaf_table.h"
#include "objects/port.h"
#include "objects/source_port.h"

/* Narrows @range to that of a tunnel; two tunnels whose ranges have nothing in common cannot
 * both be obeyed, and the first one is.
 */
static void conga_source_port_narrow(struct conga_entropy_range *range,
				     const struct net_device *dev)
{
	const struct vxlan_dev *tunnel = netdev_priv(dev);
	u16 min = max(range->min, tunnel->cfg.port_min);
	u16 max = min(range->max, tunnel->cfg.port_max);

	if (tunnel->cfg.port_min >= tunnel->cfg.port_max || min >= max)
		return;
	range->min = min;
	range->max = max;
}

static bool conga_source_port_is_tunnel(const struct conga_params *params,
					const struct net_device *dev)
{
	const struct vxlan_dev *tunnel = netdev_priv(dev);

	return netif_is_vxlan(dev) && conga_dstports_bit(&params->dstports, tunnel->cfg.dst_port);
}

/* conga_source_port_range - find the ports that all tunnels of the fabric may use: those of
 * their own ranges, or of the node's if no tunnel has one
 */
void conga_source_port_range(struct conga_fabric *fabric, const struct conga_params *params)
{
	struct conga_entropy_range range = { .min = 1, .max = U16_MAX };
	struct net_device *dev;
	int min, max;

	for_each_netdev_rcu(fabric->net, dev)
		if (conga_source_port_is_tunnel(params, dev))
			conga_source_port_narrow(&range, dev);
	if (range.min == 1 && range.max == U16_MAX) {
		inet_get_local_port_range(fabric->net, &min, &max);
		range.min = min;
		range.max = max;
	}
	fabric->source_ports = range;
}

/* A range of one port is no range to the kernel either. */
static bool conga_source_port_drawable(const struct conga_fabric *fabric)
{
	return fabric->source_ports.min < fabric->source_ports.max;
}

/* Makes the ports of an uplink's LBTags good; @bad: those that must be drawn anew. Packets to a
 * leaf that feeds nothing back keep their ports. Under hello_lock.
 */
static void conga_source_port_fill(struct conga_leaf *leaf, const struct conga_port *port, u16 bad)
{
	struct conga_fabric *fabric = leaf->fabric;
	unsigned long share = port->tags;
	u8 tag;

	lockdep_assert_held(&leaf->hello_lock);
	for_each_set_bit(tag, &share, CONGA_TAGS_MAX) {
		if (port->tags == BIT(tag) || !conga_leaf_is_conga(leaf) ||
		    !conga_source_port_drawable(fabric)) {
			conga_entropy_forget(&leaf->entropy, tag);
			continue;
		}
		if (!(bad & BIT(tag)) &&
		    conga_entropy_fits(&leaf->entropy, tag, &fabric->source_ports))
			continue;
		if (bad & BIT(tag))
			conga_stats_inc(fabric->stats, CONGA_A_STATS_ENTROPY_REDRAWN);
		conga_entropy_draw(&leaf->entropy, share, tag, &fabric->source_ports,
				   get_random_u32());
	}
}

static void conga_source_port_see(const struct conga_leaf *leaf, const struct conga_params *params,
				  struct conga_entropy_view *view)
{
	u64 now = ktime_get_ns();
	u8 tag;

	for (tag = 0; tag < CONGA_TAGS_MAX; tag++) {
		conga_sample_t heard = READ_ONCE(leaf->to.heard[tag]);

		view->metric[tag] = conga_sample_metric(heard);
		if (conga_sample_valid(heard) && conga_sample_age(heard, now) < params->tage)
			view->fresh |= BIT(tag);
	}
}

/* The uplink's own load is in the metrics of all its LBTags. What does not exceed it tells nothing
 * about the links behind.
 */
static void conga_source_port_leave_own(struct conga_entropy_view *view, struct conga_port *port)
{
	u8 local = conga_port_metric(port, ktime_get_ns());
	unsigned long share = port->tags;
	u8 tag;

	for_each_set_bit(tag, &share, CONGA_TAGS_MAX)
		if (view->metric[tag] <= local)
			view->metric[tag] = 0;
}

/* conga_source_port_look - the tick looks at the paths to a leaf */
void conga_source_port_look(struct conga_leaf *leaf, const struct conga_params *params)
{
	struct conga_entropy_view view = {};
	struct conga_port *port;
	u16 bad;

	conga_source_port_see(leaf, params, &view);
	spin_lock(&leaf->hello_lock);
	view.silent = leaf->hello->out;
	list_for_each_entry_rcu(port, &leaf->fabric->ports, list) {
		conga_source_port_leave_own(&view, port);
		bad = conga_entropy_judge(&leaf->entropy, port->tags, &view);
		conga_source_port_fill(leaf, port, bad);
	}
	spin_unlock(&leaf->hello_lock);
}

/* conga_source_port_setup - draw the ports that the leaf lacks */
void conga_source_port_setup(struct conga_leaf *leaf)
{
	struct conga_port *port;

	conga_assert_locked(leaf->fabric);
	spin_lock_bh(&leaf->hello_lock);
	list_for_each_entry(port, &leaf->fabric->ports, list)
		conga_source_port_fill(leaf, port, 0);
	conga_leaf_settle(leaf);
	spin_unlock_bh(&leaf->hello_lock);
}

/* conga_source_port_refresh - uplinks have got other LBTags */
void conga_source_port_refresh(struct conga_fabric *fabric)
{
	const struct conga_params *params = conga_fabric_params(fabric);
	struct conga_leaf *leaf;
	unsigned long index = 0;

	conga_assert_locked(fabric);
	rcu_read_lock();
	conga_source_port_range(fabric, params);
	rcu_read_unlock();
	for (; (leaf = conga_leaf_next(fabric, &index)); index++) {
		conga_source_port_setup(leaf);
		cond_resched();
	}
}
