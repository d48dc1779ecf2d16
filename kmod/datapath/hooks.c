// SPDX-License-Identifier: GPL-2.0
/* Attaches the hooks of a fabric or port, and detaches them before it dies. */
#include <linux/limits.h>
#include <linux/netfilter_ipv4.h>
#include <linux/netfilter_ipv6.h>
#include <linux/netfilter_netdev.h>

#include "datapath/forward.h"
#include "datapath/gro.h"
#include "datapath/hooks.h"
#include "datapath/link.h"
#include "datapath/rx.h"
#include "datapath/tx.h"
#include "objects/fabric.h"
#include "objects/port.h"

/* The hooks come after all other chains: packets that a firewall drops are not learnt from,
 * and its changes are seen.
 */
#define CONGA_HOOK_PRIORITY	INT_MAX

/* Only connection tracking comes after LOCAL_IN's hook: it confirms its entry, for IPv4 at
 * INT_MAX, for IPv6 at one less. The entry of a packet that is consumed here dies with the
 * packet instead.
 */
#define CONGA_HOOK_PRIORITY_IN	(INT_MAX - 2)

static const struct nf_hook_ops conga_hook_templates[CONGA_HOOKS] = {
	{ .hook = conga_tx, .pf = NFPROTO_IPV4, .hooknum = NF_INET_LOCAL_OUT },
	{ .hook = conga_tx, .pf = NFPROTO_IPV6, .hooknum = NF_INET_LOCAL_OUT },
	{ .hook = conga_rx, .pf = NFPROTO_IPV4, .hooknum = NF_INET_LOCAL_IN },
	{ .hook = conga_rx, .pf = NFPROTO_IPV6, .hooknum = NF_INET_LOCAL_IN },
};

/* conga_hooks_attach_forward - the policy also decides about forwarded packets; may sleep */
int conga_hooks_attach_forward(struct conga_fabric *fabric)
{
	int i;

	conga_assert_locked(fabric);
	for (i = 0; i < CONGA_FORWARD_HOOKS; i++)
		fabric->extension.forward[i] = (struct nf_hook_ops) {
			.hook		= conga_forward,
			.pf		= i ? NFPROTO_IPV6 : NFPROTO_IPV4,
			.hooknum	= NF_INET_FORWARD,
			.priority	= CONGA_HOOK_PRIORITY,
			.priv		= fabric,
		};
	return nf_register_net_hooks(fabric->net, fabric->extension.forward,
				     CONGA_FORWARD_HOOKS);
}

/* conga_hooks_detach_forward - detach the hooks that were attached; packets may still be in them */
void conga_hooks_detach_forward(struct conga_fabric *fabric)
{
	conga_assert_locked(fabric);
	nf_unregister_net_hooks(fabric->net, fabric->extension.forward,
				CONGA_FORWARD_HOOKS);
}

/* conga_hooks_attach - tx and rx of the fabric's namespace; may sleep */
int conga_hooks_attach(struct conga_fabric *fabric)
{
	int i, err;

	conga_assert_locked(fabric);
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
	if (conga_fabric_params(fabric)->policy->extension.transit)
		err = conga_hooks_attach_forward(fabric);
	if (err)
		nf_unregister_net_hooks(fabric->net, fabric->hooks, CONGA_HOOKS);
	else
		conga_gro_get();
	return err;
}

/* conga_hooks_detach - packets may still be in them; may sleep */
void conga_hooks_detach(struct conga_fabric *fabric)
{
	conga_assert_locked(fabric);
	nf_unregister_net_hooks(fabric->net, fabric->hooks, CONGA_HOOKS);
	if (conga_fabric_params(fabric)->policy->extension.transit)
		conga_hooks_detach_forward(fabric);
	conga_gro_put();
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

/* conga_hooks_detach_port - packets may still be in it; likewise */
void conga_hooks_detach_port(struct conga_port *port)
{
	conga_assert_locked(port->fabric);
	nf_unregister_net_hook(port->fabric->net, &port->egress);
}
