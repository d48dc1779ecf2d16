// SPDX-License-Identifier: GPL-2.0
/* Ports: the links of the fabric, each with its DRE and its counters. */
#include <linux/ethtool.h>
#include <linux/math64.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>

#include "objects/backlog.h"
#include "objects/extension.h"
#include "objects/port.h"
#include "paper/tags.h"

#define CONGA_BITS_PER_MBIT	1000000ULL

/* conga_port_find - by ifindex; RCU or the mutex */
struct conga_port *conga_port_find(const struct conga_fabric *fabric,
				   int ifindex)
{
	struct conga_port *port;

	list_for_each_entry_rcu(port, &fabric->ports, list,
				lockdep_is_held(&conga_net(fabric->net)->lock))
		if (port->ifindex == ifindex)
			return port;
	return NULL;
}

/* conga_port_free_tag - an LBTag for another uplink, CONGA_TAGS_MAX if there is none: the
 * lowest one that is free, or else the lowest one that is no uplink's own
 */
u8 conga_port_free_tag(const struct conga_fabric *fabric)
{
	u16 taken = conga_port_own_tags(fabric);
	u16 free = ~(taken | fabric->extra);

	if (!free)
		free = ~taken;
	return free ? __ffs(free) : CONGA_TAGS_MAX;
}

/* conga_port_link_rate - bit/s as the device reports it; 0 if the device reports none, or
 * one that a port cannot have: a TUN device reports any number that a user sets
 */
u64 conga_port_link_rate(struct net_device *dev)
{
	struct ethtool_link_ksettings settings;
	u64 rate;

	ASSERT_RTNL();
	if (__ethtool_get_link_ksettings(dev, &settings) ||
	    settings.base.speed == (u32)SPEED_UNKNOWN)
		return 0;
	rate = settings.base.speed * CONGA_BITS_PER_MBIT;
	return rate >= CONGA_PORT_RATE_MIN && rate <= CONGA_PORT_RATE_MAX ? rate : 0;
}

static u64 conga_port_tdre(const struct conga_port *port,
			   const struct conga_params *params, u64 rate)
{
	u64 tdre = conga_dre_tdre(params->tdre, params->alpha, rate,
				  READ_ONCE(port->dev->gso_max_size));

	return conga_extension_tdre(params, tdre);
}

/*
 * conga_port_dre_create - an idle DRE for @port
 *
 * May sleep. NULL without memory.
 */
struct conga_port_dre *conga_port_dre_create(const struct conga_port *port,
					     const struct conga_params *params,
					     u64 rate)
{
	struct conga_port_dre *dre = kzalloc(sizeof(*dre), GFP_KERNEL);
	u64 tdre;

	if (!dre)
		return NULL;
	if (conga_dre_shared_setup(&dre->shared)) {
		kfree(dre);
		return NULL;
	}
	tdre = conga_port_tdre(port, params, rate);
	conga_dre_setup(&dre->params, rate, tdre, params->alpha, params->q);
	dre->marks = conga_extension_marks(port, params);
	return dre;
}

/* conga_port_dre_differs - do ports need new DREs for the new parameters? */
bool conga_port_dre_differs(const struct conga_params *old, const struct conga_params *new)
{
	return old->q != new->q || old->tdre != new->tdre ||
	       old->alpha != new->alpha ||
	       conga_extension_dre_differs(old, new);
}

/* conga_port_dre_free - free a DRE that was never published, or after RCU */
void conga_port_dre_free(struct conga_port_dre *dre)
{
	if (!dre)
		return;
	conga_dre_shared_clean(&dre->shared);
	kfree(dre);
}

static void conga_port_dre_free_rcu(struct rcu_head *rcu)
{
	conga_port_dre_free(container_of(rcu, struct conga_port_dre, rcu));
}

/* conga_port_dre_publish - takes @dre over, frees the old one after RCU */
void conga_port_dre_publish(struct conga_port *port, struct conga_port_dre *dre)
{
	conga_assert_locked(port->fabric);
	dre = rcu_replace_pointer(port->dre, dre, true);
	call_rcu(&dre->rcu, conga_port_dre_free_rcu);
}

/*
 * conga_port_create - create a port that is not published yet; it holds @dev
 *
 * RTNL. The caller has checked that device and tag are free. NULL without
 * memory.
 */
struct conga_port *conga_port_create(struct conga_fabric *fabric,
				     struct net_device *dev, u8 role, u8 tag,
				     u64 rate, u8 rate_source)
{
	struct conga_port *port = kzalloc(sizeof(*port), GFP_KERNEL);
	struct conga_port_dre *dre;
	int cpu;

	if (!port)
		return NULL;
	port->fabric = fabric;
	port->dev = dev;
	port->ifindex = dev->ifindex;
	port->role = role;
	port->tag = tag;
	port->tags = tag == CONGA_TAG_NONE ? 0 : BIT(tag);
	port->rate = rate;
	port->rate_source = rate_source;
	/* An event notifies of the port once it is complete. */
	port->told_up = conga_port_up(port);
	port->told_rate = rate;
	spin_lock_init(&port->adjacency_lock);
	dre = conga_port_dre_create(port, conga_fabric_params(fabric), rate);
	port->counters = alloc_percpu(struct conga_port_counters);
	port->backlog = conga_backlog_create(dev);
	if (!dre || !port->counters || !port->backlog)
		goto err_free_port;
	for_each_possible_cpu(cpu)
		u64_stats_init(&per_cpu_ptr(port->counters, cpu)->sync);
	RCU_INIT_POINTER(port->dre, dre);
	netdev_hold(dev, &port->dev_tracker, GFP_KERNEL);
	return port;

err_free_port:
	conga_port_dre_free(dre);
	conga_backlog_free(port->backlog);
	free_percpu(port->counters);
	kfree(port);
	return NULL;
}

/* conga_port_set_drain - set whether an uplink drains; its flowlets leave at their next gap */
void conga_port_set_drain(struct conga_port *port, bool drain)
{
	struct conga_fabric *fabric = port->fabric;
	u16 draining = fabric->draining & ~port->tags;

	conga_assert_locked(fabric);
	WRITE_ONCE(port->drain, drain);
	WRITE_ONCE(fabric->draining, draining | (drain ? port->tags : 0));
}

/* conga_port_take_tag - from now on the port is found by @tag; the locks are held, may sleep
 *
 * An uplink's LBTag may have been a transit port's number. Readers that found that port by
 * its number use the number as an index until the end of the grace period.
 */
void conga_port_take_tag(struct conga_port *port, u8 tag)
{
	struct conga_fabric *fabric = port->fabric;
	struct conga_port *before = conga_port_hop(fabric, tag);
	u16 transit = fabric->transit & ~BIT(tag);

	WRITE_ONCE(port->tag, tag);
	rcu_assign_pointer(fabric->hop[tag], port);
	WRITE_ONCE(fabric->transit, port->role == CONGA_ROLE_TRANSIT ?
				    transit | BIT(tag) : transit);
	if (before && before->role == CONGA_ROLE_TRANSIT) {
		synchronize_net();
		WRITE_ONCE(before->tag, CONGA_TAG_NONE);
	}
}

/* No packet finds the port by these LBTags any more. */
static void conga_port_leave_tags(const struct conga_port *port, unsigned long tags)
{
	struct conga_fabric *fabric = port->fabric;
	u8 tag;

	for_each_set_bit(tag, &tags, CONGA_TAGS_MAX)
		if (conga_port_hop(fabric, tag) == port)
			RCU_INIT_POINTER(fabric->hop[tag], NULL);
}

static void conga_port_drop_tags(struct conga_port *port)
{
	struct conga_fabric *fabric = port->fabric;

	if (port->tag == CONGA_TAG_NONE)
		return;
	WRITE_ONCE(fabric->transit, fabric->transit & ~BIT(port->tag));
	WRITE_ONCE(fabric->extra, fabric->extra & ~port->tags);
	conga_port_leave_tags(port, port->tags | BIT(port->tag));
}

/* --- the LBTags of uplinks --- */

/* conga_port_own_tags - the own LBTags of all uplinks, a bit each; the locks are held */
u16 conga_port_own_tags(const struct conga_fabric *fabric)
{
	const struct conga_port *port;
	u16 own = 0;

	list_for_each_entry(port, &fabric->ports, list)
		if (port->role == CONGA_ROLE_UPLINK)
			own |= BIT(port->tag);
	return own;
}

static void conga_port_set_tags(struct conga_port *port, unsigned long tags)
{
	struct conga_fabric *fabric = port->fabric;
	u16 draining = fabric->draining & ~port->tags;
	u8 tag;

	conga_port_leave_tags(port, port->tags & ~tags);
	WRITE_ONCE(port->tags, tags);
	WRITE_ONCE(fabric->draining, draining | (port->drain ? tags : 0));
	for_each_set_bit(tag, &tags, CONGA_TAGS_MAX)
		rcu_assign_pointer(fabric->hop[tag], port);
}

/* conga_port_share_tags - give each uplink the LBTags that it has now; the locks are held
 *
 * The caller forgets what was known of the paths of LBTags that have another uplink, and
 * invalidates paths.
 */
void conga_port_share_tags(struct conga_fabric *fabric)
{
	u8 entropy = conga_fabric_params(fabric)->entropy;
	u16 own = conga_port_own_tags(fabric);
	struct conga_port *port;
	u16 all = 0;

	conga_assert_locked(fabric);
	list_for_each_entry(port, &fabric->ports, list) {
		if (port->role != CONGA_ROLE_UPLINK)
			continue;
		conga_port_set_tags(port, conga_tags_share(own, port->tag, entropy));
		all |= port->tags;
	}
	WRITE_ONCE(fabric->extra, all & ~own);
}

/* conga_port_publish - from now on packets may use the port; may sleep */
void conga_port_publish(struct conga_port *port)
{
	struct conga_fabric *fabric = port->fabric;

	conga_assert_locked(fabric);
	list_add_tail_rcu(&port->list, &fabric->ports);
	fabric->port_count++;
	fabric->generation++;
	if (port->role == CONGA_ROLE_UPLINK)
		conga_port_take_tag(port, port->tag);
}

/* conga_port_make_dead - unpublish; readers may hold it until a grace period */
void conga_port_make_dead(struct conga_port *port)
{
	struct conga_fabric *fabric = port->fabric;

	conga_assert_locked(fabric);
	list_del_rcu(&port->list);
	fabric->port_count--;
	fabric->generation++;
	if (port->role == CONGA_ROLE_UPLINK)
		conga_port_set_drain(port, false);
	conga_port_drop_tags(port);
}

/* conga_port_free - free the port after a grace period since it was made dead */
void conga_port_free(struct conga_port *port)
{
	conga_port_dre_free(rcu_dereference_raw(port->dre));
	conga_backlog_free(port->backlog);
	free_percpu(port->counters);
	netdev_put(port->dev, &port->dev_tracker);
	kfree(port);
}

/* conga_port_x - X of the port in DRE units; BH disabled, RCU */
u64 conga_port_x(struct conga_port_dre *dre, u64 now)
{
	return conga_dre_shared_x(&dre->params, &dre->shared, now);
}

/* conga_port_metric - 0 to 2^Q - 1; BH disabled, RCU */
u8 conga_port_metric(struct conga_port *port, u64 now)
{
	struct conga_port_dre *dre = rcu_dereference(port->dre);

	return conga_dre_metric(&dre->params, conga_port_x(dre, now));
}

/* conga_port_metric_of - likewise, if only @weight of CONGA_WEIGHT_FULL of its rate is available */
u8 conga_port_metric_of(struct conga_port *port, u64 now, u32 weight)
{
	struct conga_port_dre *dre = rcu_dereference(port->dre);
	u64 x = conga_port_x(dre, now);

	if (weight != CONGA_WEIGHT_FULL)
		x = div_u64(min(x, U64_MAX / CONGA_WEIGHT_FULL) * CONGA_WEIGHT_FULL, weight);
	return conga_dre_metric(&dre->params, x);
}

/* conga_port_utilisation - 0 to 255 of full scale; likewise */
u8 conga_port_utilisation(struct conga_port *port, u64 now)
{
	struct conga_port_dre *dre = rcu_dereference(port->dre);

	return conga_dre_utilisation(&dre->params, conga_port_x(dre, now));
}

/* conga_port_mbits - the port's rate in Mbit/s; any context */
u32 conga_port_mbits(const struct conga_port *port)
{
	return div_u64(READ_ONCE(port->rate), CONGA_BITS_PER_MBIT);
}

/* conga_port_read - totals since the port was added; any context */
void conga_port_read(const struct conga_port *port, u64 *packets, u64 *bytes)
{
	int cpu;

	*packets = 0;
	*bytes = 0;
	for_each_possible_cpu(cpu) {
		const struct conga_port_counters *one;
		unsigned int start;
		u64 p, b;

		one = per_cpu_ptr(port->counters, cpu);
		do {
			start = u64_stats_fetch_begin(&one->sync);
			p = u64_stats_read(&one->packets);
			b = u64_stats_read(&one->bytes);
		} while (u64_stats_fetch_retry(&one->sync, start));
		*packets += p;
		*bytes += b;
	}
}
