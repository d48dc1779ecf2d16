// SPDX-License-Identifier: GPL-2.0
/*
 * The link door: NETDEV_EGRESS of a port, the same on leaf and spine. The DRE
 * counts every packet that enters the port's queue; stamped ones get
 * CE := max(CE, this port's metric), their own bytes included (section 3.2), or
 * with metric sum CE := CE + this port's metric (section 7).
 */
#include <linux/if_vlan.h>
#include <linux/ktime.h>

#include "datapath.h"
#include "packet.h"
#include "port.h"
#include "wire.h"

/* The packet's first word with this link's share of the path's congestion. With
 * metric sum an uplink has none, since its own leaf adds it when it decides.
 */
static u32 conga_link_raise(const struct conga_port *port,
			    const struct conga_params *params, u32 word,
			    u8 metric, u8 q)
{
	if (params->metric == CONGA_METRIC_MAX)
		return conga_wire_raise(word, metric, q);
	if (port->role == CONGA_ROLE_UPLINK)
		return word;
	return conga_wire_add(word, metric, q);
}

static void conga_link_mark(const struct conga_port *port,
			    const struct conga_dre_params *dre,
			    struct sk_buff *skb, u64 x)
{
	struct conga_fabric *fabric = port->fabric;
	const struct conga_params *params = rcu_dereference(fabric->params);
	struct conga_packet packet;
	u32 word;

	if (conga_packet_find(&packet, skb, vlan_get_protocol(skb), params) !=
	    CONGA_PACKET_VXLAN)
		return;
	if (!conga_wire_stamped(packet.word, packet.vni))
		return;
	word = conga_link_raise(port, params, packet.word,
				conga_dre_metric(dre, x), dre->q);
	if (word == packet.word)
		return;
	conga_stats_inc(fabric->stats, conga_packet_write(skb, &packet, word) ?
				       CONGA_A_STATS_CE_RAISED :
				       CONGA_A_STATS_CE_UNWRITABLE);
}

unsigned int conga_link(void *priv, struct sk_buff *skb,
			const struct nf_hook_state *state)
{
	struct conga_port *port = priv;
	struct conga_port_dre *dre = rcu_dereference(port->dre);
	u64 now = ktime_get_ns();
	u32 frames, bytes;
	u64 x;

	conga_packet_on_wire(skb, &frames, &bytes);
	x = conga_port_count(port, dre, now, frames, bytes);
	if (conga_dre_loaded(&dre->params, x))
		conga_link_mark(port, &dre->params, skb, x);
	return NF_ACCEPT;
}
