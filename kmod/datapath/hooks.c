// SPDX-License-Identifier: GPL-2.0
/* Attaches the hooks of a fabric or port, and detaches them before it dies. */
#include <linux/limits.h>
#include <linux/netfilter_ipv4.h>
#include <linux/netfilter_ipv6.h>
#include <linux/netfilter_netdev.h>

#include "control/control.h"
#include "datapath/forward.h"
#include "datapath/gro.h"
#include "datapath/hooks.h"
#include "datapath/leave.h"
#include "datapath/link.h"
#include "datapath/rx.h"
#include "datapath/tx.h"
#include "objects/fabric.h"
#include "objects/leaf.h"
#include "objects/own.h"
#include "objects/port.h"

/* After all other chains: what a firewall drops teaches nothing, and what it
 * changes is seen.
 */
#define CONGA_HOOK_PRIORITY	INT_MAX

/* One thing comes after LOCAL_IN's: connection tracking confirms its entry, of IPv4 at
 * INT_MAX, of IPv6 at one less. The entry of a packet that is consumed here dies with the
 * packet instead.
 */
#define CONGA_HOOK_PRIORITY_IN	(INT_MAX - 2)

static const struct nf_hook_ops conga_hook_templates[CONGA_HOOKS] = {
	{ .hook = conga_tx, .pf = NFPROTO_IPV4, .hooknum = NF_INET_LOCAL_OUT },
	{ .hook = conga_tx, .pf = NFPROTO_IPV6, .hooknum = NF_INET_LOCAL_OUT },
	{ .hook = conga_rx, .pf = NFPROTO_IPV4, .hooknum = NF_INET_LOCAL_IN },
	{ .hook = conga_rx, .pf = NFPROTO_IPV6, .hooknum = NF_INET_LOCAL_IN },
};

/* conga_hooks_attach_forward - what passes this box is the policy's, too; may sleep */
int conga_hooks_attach_forward(struct conga_fabric *fabric)
{
	int i;

	conga_assert_locked(fabric);
	for (i = 0; i < CONGA_FORWARD_HOOKS; i++)
		fabric->forward[i] = (struct nf_hook_ops) {
			.hook		= conga_forward,
			.pf		= i ? NFPROTO_IPV6 : NFPROTO_IPV4,
			.hooknum	= NF_INET_FORWARD,
			.priority	= CONGA_HOOK_PRIORITY,
			.priv		= fabric,
		};
	return nf_register_net_hooks(fabric->net, fabric->forward,
				     CONGA_FORWARD_HOOKS);
}

/* conga_hooks_detach_forward - of those that were attached; packets may still be in it */
void conga_hooks_detach_forward(struct conga_fabric *fabric)
{
	conga_assert_locked(fabric);
	nf_unregister_net_hooks(fabric->net, fabric->forward,
				CONGA_FORWARD_HOOKS);
}

/* conga_hooks_attach - tx and rx of the fabric's namespace; may sleep */
int conga_hooks_attach(struct conga_fabric *fabric)
{
	int i, err;

	conga_assert_locked(fabric);
	conga_leave_setup(fabric);
	for (i = 0; i < CONGA_HOOKS; i++) {
		fabric->hooks[i] = conga_hook_templates[i];
		fabric->hooks[i].priv = fabric;
		fabric->hooks[i].priority =
			fabric->hooks[i].hooknum == NF_INET_LOCAL_IN ?
			CONGA_HOOK_PRIORITY_IN : CONGA_HOOK_PRIORITY;
	}
	err = nf_register_net_hooks(fabric->net, fabric->hooks, CONGA_HOOKS);
	if (err)
		return err;
	if (conga_fabric_params(fabric)->policy->forward)
		err = conga_hooks_attach_forward(fabric);
	if (err)
		nf_unregister_net_hooks(fabric->net, fabric->hooks, CONGA_HOOKS);
	else
		conga_gro_get();
	return err;
}

/* conga_hooks_attach_port - the link hook of a port about to be published; may sleep */
int conga_hooks_attach_port(struct conga_port *port)
{
	conga_assert_locked(port->fabric);
	port->egress = (struct nf_hook_ops) {
		.hook		= conga_link,
		.pf		= NFPROTO_NETDEV,
		.hooknum	= NF_NETDEV_EGRESS,
		.priority	= CONGA_HOOK_PRIORITY,
		.dev		= port->dev,
		.priv		= port,
	};
	return nf_register_net_hook(port->fabric->net, &port->egress);
}

/* Phase one of a port's death. */
static void conga_hooks_kill_port(struct conga_port *port)
{
	nf_unregister_net_hook(port->fabric->net, &port->egress);
	conga_port_make_dead(port);
}

/* Phase two, after the grace period: no packet holds the port or its paths. */
static void conga_hooks_bury_port(struct conga_port *port)
{
	if (port->tag != CONGA_TAG_NONE)
		conga_path_forget_tag(port->fabric, port->tag);
	conga_port_free(port);
}

/* conga_hooks_remove_port - detach and free; sleeps for a grace period */
void conga_hooks_remove_port(struct conga_port *port)
{
	conga_hooks_kill_port(port);
	synchronize_net();
	conga_hooks_bury_port(port);
}

/* conga_hooks_remove_fabric - with all it has, in one grace period; sleeps */
void conga_hooks_remove_fabric(struct conga_fabric *fabric)
{
	struct conga_port *port, *next;
	LIST_HEAD(dead);

	conga_assert_locked(fabric);
	conga_control_stop(fabric);
	conga_notify_stop(fabric);
	nf_unregister_net_hooks(fabric->net, fabric->hooks, CONGA_HOOKS);
	if (conga_fabric_params(fabric)->policy->forward)
		conga_hooks_detach_forward(fabric);
	conga_gro_put();
	list_for_each_entry_safe(port, next, &fabric->ports, list) {
		conga_hooks_kill_port(port);
		list_add(&port->dying, &dead);
	}
	conga_fabric_make_dead(fabric);
	synchronize_net();
	cancel_delayed_work_sync(&fabric->event_work);
	conga_own_stop(fabric);
	list_for_each_entry_safe(port, next, &dead, dying)
		conga_hooks_bury_port(port);
	conga_fabric_free(fabric);
}
