// SPDX-License-Identifier: GPL-2.0
/* What happens to devices that are ports, and to addresses of this node. */
#include <linux/inetdevice.h>
#include <linux/ktime.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <linux/workqueue.h>
#include <net/addrconf.h>
#include <net/if_inet6.h>
#include <net/vxlan.h>

#include "datapath/hooks.h"
#include "netlink/netlink.h"
#include "notify.h"
#include "objects/own.h"
#include "objects/path.h"
#include "objects/port.h"

/* A rate taken from the link follows it; a link that is down, or faster than a port may be,
 * reports none and keeps the last one. Without memory the old DRE goes on.
 */
static void conga_notify_speed(struct conga_port *port)
{
	struct conga_port_dre *dre;
	u64 rate;

	if (port->rate_source != CONGA_RATE_LINK)
		return;
	rate = conga_port_link_rate(port->dev);
	if (!rate || rate == port->rate)
		return;
	dre = conga_port_dre_create(port, conga_fabric_params(port->fabric),
				    rate);
	if (!dre)
		return;
	WRITE_ONCE(port->rate, rate);
	conga_port_dre_publish(port, dre);
	conga_fabric_changed(port->fabric);
}

/* --- what no event tells --- */

#define CONGA_NOTIFY_SPEEDS_MS	1000
#define CONGA_NOTIFY_RETRY_MS	20	/* a lock was taken */

static void conga_notify_speeds_locked(struct conga_fabric *fabric)
{
	u64 began = ktime_get_ns();
	struct conga_port *port;

	list_for_each_entry(port, &fabric->ports, list)
		conga_notify_speed(port);
	conga_pace_spent(&fabric->speed_pace, fabric->net, ktime_get_ns() - began);
}

/* False if one of the locks was taken; see DOC: Locking. */
static bool conga_notify_speeds(struct conga_fabric *fabric)
{
	struct mutex *lock = &conga_net(fabric->net)->lock;
	bool done = false;

	if (!rtnl_trylock())
		return false;
	if (mutex_trylock(lock)) {
		conga_notify_speeds_locked(fabric);
		mutex_unlock(lock);
		done = true;
	}
	rtnl_unlock();
	return done;
}

static bool conga_notify_has_speeds(const struct conga_fabric *fabric)
{
	const struct conga_port *port;
	bool found = false;

	rcu_read_lock();
	list_for_each_entry_rcu(port, &fabric->ports, list)
		found |= READ_ONCE(port->rate_source) == CONGA_RATE_LINK;
	rcu_read_unlock();
	return found;
}

/* A bond is as fast as those of its links that send, and keeps to itself which these are. */
static void conga_notify_speed_work(struct work_struct *work)
{
	struct conga_fabric *fabric = container_of(to_delayed_work(work),
						   struct conga_fabric,
						   speed_work);
	u64 ms = CONGA_NOTIFY_SPEEDS_MS;

	if (!conga_pace_wait(&fabric->speed_pace) &&
	    conga_notify_has_speeds(fabric) && !conga_notify_speeds(fabric))
		ms = CONGA_NOTIFY_RETRY_MS;
	queue_delayed_work(system_wq, &fabric->speed_work,
			   conga_pace_jiffies(&fabric->speed_pace,
					      ms * NSEC_PER_MSEC));
}

/* conga_notify_start - looks at speeds begin; the locks are held */
void conga_notify_start(struct conga_fabric *fabric)
{
	INIT_DELAYED_WORK(&fabric->speed_work, conga_notify_speed_work);
	queue_delayed_work(system_wq, &fabric->speed_work,
			   msecs_to_jiffies(CONGA_NOTIFY_SPEEDS_MS));
}

/* conga_notify_stop - before ports go; sleeps, the locks are held */
void conga_notify_stop(struct conga_fabric *fabric)
{
	conga_assert_locked(fabric);
	cancel_delayed_work_sync(&fabric->speed_work);
}

/* --- events --- */

static void conga_notify_port(struct conga_port *port, unsigned long event)
{
	switch (event) {
	case NETDEV_UNREGISTER:
		conga_netlink_tell_port_gone(port);
		conga_hooks_remove_port(port);
		return;
	case NETDEV_UP:
	case NETDEV_CHANGE:
		conga_notify_speed(port);
		fallthrough;
	case NETDEV_DOWN:
	case NETDEV_GOING_DOWN:
	case NETDEV_CHANGEMTU:
		conga_path_invalidate(port->fabric);
		conga_fabric_changed(port->fabric);
	}
}

/* May the address by which leaves know this node be another now? */
static bool conga_notify_moves_own(const struct net_device *dev,
				   unsigned long event)
{
	return netif_is_vxlan(dev) || event == NETDEV_CHANGEUPPER;
}

/* The largest packet of tunnels may be another. */
static void conga_notify_tunnel(struct conga_fabric *fabric, unsigned long event)
{
	if (event != NETDEV_REGISTER && event != NETDEV_UNREGISTER &&
	    event != NETDEV_CHANGEMTU)
		return;
	/* Paired with conga_control_see_tunnels(). */
	smp_mb();
	WRITE_ONCE(fabric->tunnels_stale, true);
}

/* RTNL is held. Nothing is ever refused to the device. */
static int conga_notify_event(struct notifier_block *self, unsigned long event,
			      void *info)
{
	struct net_device *dev = netdev_notifier_info_to_dev(info);
	struct conga_net *cnet = conga_net(dev_net(dev));
	struct conga_fabric *fabric;
	struct conga_port *port;

	mutex_lock(&cnet->lock);
	fabric = conga_fabric_get_locked(dev_net(dev));
	if (fabric && netif_is_vxlan(dev))
		conga_notify_tunnel(fabric, event);
	port = fabric ? conga_port_find(fabric, dev->ifindex) : NULL;
	if (port)
		conga_notify_port(port, event);
	if (fabric && conga_notify_moves_own(dev, event))
		conga_own_changed(fabric);
	mutex_unlock(&cnet->lock);
	return NOTIFY_DONE;
}

static struct notifier_block conga_notifier = {
	.notifier_call = conga_notify_event,
};

/* Any context. */
static void conga_notify_address(const struct net_device *dev,
				 unsigned long event)
{
	struct conga_fabric *fabric;

	rcu_read_lock();
	fabric = rcu_dereference(conga_net(dev_net(dev))->fabric);
	if (fabric && event == NETDEV_DOWN)
		conga_own_gone(fabric);
	else if (fabric)
		conga_own_changed(fabric);
	rcu_read_unlock();
}

static int conga_notify_address4(struct notifier_block *self,
				 unsigned long event, void *info)
{
	const struct in_ifaddr *address = info;

	conga_notify_address(address->ifa_dev->dev, event);
	return NOTIFY_DONE;
}

static int conga_notify_address6(struct notifier_block *self,
				 unsigned long event, void *info)
{
	const struct inet6_ifaddr *address = info;

	conga_notify_address(address->idev->dev, event);
	return NOTIFY_DONE;
}

static struct notifier_block conga_notifier4 = {
	.notifier_call = conga_notify_address4,
};

static struct notifier_block conga_notifier6 = {
	.notifier_call = conga_notify_address6,
};

int conga_notify_init(void)
{
	int err = register_netdevice_notifier(&conga_notifier);

	if (err)
		return err;
	err = register_inetaddr_notifier(&conga_notifier4);
	if (err)
		goto err_devices;
	err = register_inet6addr_notifier(&conga_notifier6);
	if (err)
		goto err_addresses;
	return 0;

err_addresses:
	unregister_inetaddr_notifier(&conga_notifier4);
err_devices:
	unregister_netdevice_notifier(&conga_notifier);
	return err;
}

void conga_notify_exit(void)
{
	unregister_inet6addr_notifier(&conga_notifier6);
	unregister_inetaddr_notifier(&conga_notifier4);
	unregister_netdevice_notifier(&conga_notifier);
}
