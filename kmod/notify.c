// SPDX-License-Identifier: GPL-2.0
/* What happens to devices that are ports. */
#include <linux/netdevice.h>
#include <net/vxlan.h>

#include "datapath.h"
#include "netlink.h"
#include "path.h"
#include "port.h"

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
	conga_netlink_tell_port(port);
}

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
	mutex_unlock(&cnet->lock);
	return NOTIFY_DONE;
}

static struct notifier_block conga_notifier = {
	.notifier_call = conga_notify_event,
};

int conga_notify_init(void)
{
	return register_netdevice_notifier(&conga_notifier);
}

void conga_notify_exit(void)
{
	unregister_netdevice_notifier(&conga_notifier);
}
