// SPDX-License-Identifier: GPL-2.0
/* Notifiers for events of devices that are ports, and of addresses of this node. */
#include <linux/inetdevice.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <net/addrconf.h>
#include <net/if_inet6.h>
#include <net/vxlan.h>

#include "config/lifetime.h"
#include "config/speed.h"
#include "netlink/event.h"
#include "notify.h"
#include "objects/fabric.h"
#include "objects/own.h"
#include "objects/port.h"

static void conga_notify_port(struct conga_port *port, unsigned long event)
{
	switch (event) {
	case NETDEV_UNREGISTER:
		conga_netlink_tell_port_gone(port);
		conga_lifetime_destroy_port(port);
		return;
	case NETDEV_UP:
	case NETDEV_CHANGE:
		conga_speed_follow(port);
		fallthrough;
	case NETDEV_DOWN:
	case NETDEV_GOING_DOWN:
	case NETDEV_CHANGEMTU:
		conga_fabric_invalidate_paths(port->fabric);
		conga_fabric_changed(port->fabric);
	}
}

/* May the event change the address by which leaves know this node? */
static bool conga_notify_moves_own(const struct net_device *dev,
				   unsigned long event)
{
	return netif_is_vxlan(dev) || event == NETDEV_CHANGEUPPER;
}

/* The largest packet of tunnels may have changed. */
static void conga_notify_tunnel(struct conga_fabric *fabric, unsigned long event)
{
	if (event != NETDEV_REGISTER && event != NETDEV_UNREGISTER &&
	    event != NETDEV_CHANGEMTU)
		return;
	/* Paired with the barrier in conga_control_see_tunnels(). */
	smp_mb();
	WRITE_ONCE(fabric->tunnels_stale, true);
}

/* RTNL is held. The notifier never rejects an event. */
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
