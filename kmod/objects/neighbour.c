// SPDX-License-Identifier: GPL-2.0
/*
 * Gateways that do not answer; the kernel may leave out their nexthops.
 *
 * The generation of routes does not include neighbours' states, so that paths which depend
 * on a neighbour must be resolved anew when its state changes. Only gateways on which a
 * path depends are watched: a network scan, which makes a node look for other neighbours,
 * has no effect here.
 */
#include <linux/in6.h>
#include <linux/spinlock.h>
#include <net/ipv6.h>
#include <net/neighbour.h>
#include <net/netevent.h>

#include "objects/fabric.h"
#include "objects/neighbour.h"
#include "objects/port.h"

/* This lock guards writes of all ports' gateways. It is taken inside a leaf's paths_lock. */
static DEFINE_SPINLOCK(conga_neighbour_lock);

/* The port has more gateways than it has room for: every neighbour is watched. */
static bool conga_neighbour_watches(const struct conga_port *port,
				    const struct in6_addr *gateway)
{
	/* Paired with the release in conga_neighbour_watch(). */
	unsigned int i, count = smp_load_acquire(&port->gateways);

	if (count > CONGA_PORT_GATEWAYS)
		return true;
	for (i = 0; i < count; i++)
		if (ipv6_addr_equal(&port->gateway[i], gateway))
			return true;
	return false;
}

static void conga_neighbour_watch_one(struct conga_port *port,
				      const struct in6_addr *gateway)
{
	spin_lock(&conga_neighbour_lock);
	if (!conga_neighbour_watches(port, gateway)) {
		if (port->gateways < CONGA_PORT_GATEWAYS)
			port->gateway[port->gateways] = *gateway;
		/* Paired with the acquire in conga_neighbour_watches(). */
		smp_store_release(&port->gateways, port->gateways + 1);
	}
	spin_unlock(&conga_neighbour_lock);
}

/* conga_neighbour_watch - a path by @port depends on @gateway; BH disabled, RCU
 *
 * The caller reads the gateway's state afterwards: either it sees a change, or the change
 * sees that the gateway is watched.
 */
void conga_neighbour_watch(struct conga_port *port, const struct in6_addr *gateway)
{
	lockdep_assert(in_softirq());
	if (!conga_neighbour_watches(port, gateway))
		conga_neighbour_watch_one(port, gateway);
	/* Paired with the barrier in conga_neighbour_event(). */
	smp_mb();
}

static void conga_neighbour_changed(const struct neighbour *neighbour)
{
	struct conga_fabric *fabric;
	struct conga_port *port;
	struct in6_addr address;

	if (neighbour->tbl->family == AF_INET6)
		memcpy(&address, neighbour->primary_key, sizeof(address));
	else if (neighbour->tbl->family == AF_INET)
		ipv6_addr_set_v4mapped(*(const __be32 *)neighbour->primary_key, &address);
	else
		return;
	fabric = rcu_dereference(conga_net(dev_net(neighbour->dev))->fabric);
	port = fabric ? conga_port_find(fabric, neighbour->dev->ifindex) : NULL;
	if (!port || !conga_neighbour_watches(port, &address))
		return;
	conga_fabric_invalidate_paths(fabric);
	conga_fabric_changed(fabric);
}

/* Any context. */
static int conga_neighbour_event(struct notifier_block *self, unsigned long event,
				 void *neighbour)
{
	if (event != NETEVENT_NEIGH_UPDATE)
		return NOTIFY_DONE;
	/* The state was written before; paired with the barrier in conga_neighbour_watch(). */
	smp_mb();
	rcu_read_lock();
	conga_neighbour_changed(neighbour);
	rcu_read_unlock();
	return NOTIFY_DONE;
}

static struct notifier_block conga_neighbour_notifier = {
	.notifier_call = conga_neighbour_event,
};

int conga_neighbour_init(void)
{
	return register_netevent_notifier(&conga_neighbour_notifier);
}

void conga_neighbour_exit(void)
{
	unregister_netevent_notifier(&conga_neighbour_notifier);
}
