// SPDX-License-Identifier: GPL-2.0
/*
 * conga: congestion-aware load balancing of VXLAN over a leaf-spine fabric
 *
 * This file has the order of init and exit. The kernel calls these functions; the last
 * column says which file registers them:
 *
 *   conga_tx	LOCAL_OUT	tx.c		hooks.c, with a fabric
 *   conga_rx	LOCAL_IN	rx.c		hooks.c, with a fabric
 *   conga_link	NETDEV_EGRESS	link.c		hooks.c, with a port
 *   conga_gro_receive[46]	gro.c		hooks.c, while there is a fabric
 *   conga_notify_event		notify.c	here
 *   conga_neighbour_event	neighbour.c	here
 *   conga_leave_*_event		leave.c		here
 *   conga_netlink_*		commands.c	here
 *   conga_main_net_exit	main.c		here
 */
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <net/genetlink.h>

#include "conga_version.h"
#include "config/lifetime.h"
#include "datapath/leave.h"
#include "netlink/commands.h"
#include "notify.h"
#include "objects/fabric.h"
#include "objects/neighbour.h"

/* The namespace or the module goes. */
static void __net_exit conga_main_net_exit(struct net *net)
{
	struct conga_fabric *fabric;

	conga_lock(net);
	fabric = conga_fabric_get_locked(net);
	if (fabric)
		conga_lifetime_destroy_fabric(fabric);
	conga_unlock(net);
}

/* These operations are a device's, which end before the devices themselves do: the fabric
 * is destroyed as a whole, not port by port.
 */
static struct pernet_operations conga_main_net_ops = {
	.exit = conga_main_net_exit,
};

static int __init conga_main_init(void)
{
	int err = conga_fabric_init();

	if (err)
		return err;
	err = register_pernet_device(&conga_main_net_ops);
	if (err)
		goto err_fabric;
	err = conga_notify_init();
	if (err)
		goto err_net;
	err = conga_neighbour_init();
	if (err)
		goto err_notify;
	err = conga_leave_init();
	if (err)
		goto err_neighbour;
	err = conga_netlink_init();
	if (err)
		goto err_leave;
	return 0;

err_leave:
	conga_leave_exit();
err_neighbour:
	conga_neighbour_exit();
err_notify:
	conga_notify_exit();
err_net:
	unregister_pernet_device(&conga_main_net_ops);
err_fabric:
	conga_fabric_exit();
	return err;
}

/* Configuration ends first, so that no new fabric appears; then all fabrics are destroyed,
 * and then the notifiers go. The barrier waits for the module's pending RCU callbacks.
 */
static void __exit conga_main_exit(void)
{
	conga_netlink_exit();
	unregister_pernet_device(&conga_main_net_ops);
	conga_leave_exit();
	conga_neighbour_exit();
	conga_notify_exit();
	conga_fabric_exit();
	rcu_barrier();
}

module_init(conga_main_init);
module_exit(conga_main_exit);

MODULE_DESCRIPTION("Congestion-aware load balancing of VXLAN over a leaf-spine fabric (CONGA)");
MODULE_AUTHOR("The conga developers");
MODULE_LICENSE("GPL");
MODULE_VERSION(CONGA_VERSION);
MODULE_ALIAS_GENL_FAMILY("conga");
