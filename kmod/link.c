// SPDX-License-Identifier: GPL-2.0
/*
 * The link door: NETDEV_EGRESS of a port, the same on leaf and spine. The DRE
 * counts every packet that enters the port's queue; stamped ones get
 * CE := max(CE, this port's metric), their own bytes included (section 3.2), or
 * with metric sum CE := CE + this port's metric (section 7). If the policy marks packets,
 * those that pass a transit box also tell what waits at the port that they came in by.
 */
#include <linux/if_vlan.h>
#include <linux/ktime.h>

#include "backlog.h"
#include "datapath.h"
#include "packet.h"
#include "port.h"
#include "trace.h"
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

/* Is it a stamped packet? */
static __always_inline bool
conga_link_find(struct conga_packet *packet, const struct sk_buff *skb,
		const struct conga_params *params)
{
	return conga_packet_find(packet, skb, vlan_get_protocol(skb), params) ==
	       CONGA_PACKET_VXLAN &&
	       conga_wire_stamped(packet->word, packet->vni) &&
	       conga_packet_whole(skb, packet);
}

static void conga_link_mark(const struct conga_port *port,
			    const struct conga_dre_params *dre,
			    struct sk_buff *skb, u64 x)
{
	struct conga_fabric *fabric = port->fabric;
	const struct conga_params *params = rcu_dereference(fabric->params);
	struct conga_packet packet;
	u32 word;

	if (!conga_link_find(&packet, skb, params))
		return;
	word = conga_link_raise(port, params, packet.word,
				conga_dre_metric(dre, x), dre->q);
	if (word == packet.word)
		return;
	if (!conga_packet_write(skb, &packet, word)) {
		conga_stats_inc(fabric->stats, CONGA_A_STATS_CE_UNWRITABLE);
		return;
	}
	conga_stats_inc(fabric->stats, CONGA_A_STATS_CE_RAISED);
	trace_conga_ce_raised(port, conga_wire_ce(packet.word, dre->q),
			      conga_wire_ce(word, dre->q));
}

/* Byte 3 of a packet: by the port that it came in by packets to its sender will leave.
 * 0 if that is no link of the fabric.
 */
static u8 conga_link_byte3(const struct conga_fabric *fabric,
			   const struct conga_policy *policy,
			   const struct sk_buff *skb, u64 now)
{
	const struct conga_port *port = conga_port_find(fabric, skb->skb_iif);

	if (!port)
		return 0;
	return policy->mark(conga_backlog_read(port->backlog, now),
			    conga_port_mbits(port));
}

/* After CE, whose lower bits a mark takes the place of. */
static noinline void conga_link_mark_queue(const struct conga_port *port,
					   struct sk_buff *skb, u64 now)
{
	struct conga_fabric *fabric = port->fabric;
	const struct conga_params *params = rcu_dereference(fabric->params);
	struct conga_packet packet;
	u8 byte3;

	/* Not yet, or not any more */
	if (!params->policy->mark)
		return;
	if (!conga_link_find(&packet, skb, params))
		return;
	byte3 = conga_link_byte3(fabric, params->policy, skb, now);
	if (!conga_packet_write(skb, &packet,
				conga_wire_with_byte3(packet.word, byte3)))
		conga_stats_inc(fabric->stats, CONGA_A_STATS_CE_UNWRITABLE);
	else if (conga_wire_has_queue(packet.word))
		conga_stats_inc(fabric->stats, CONGA_A_STATS_QUEUE_MARKED);
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
	if (unlikely(dre->marks))
		conga_link_mark_queue(port, skb, now);
	return NF_ACCEPT;
}
