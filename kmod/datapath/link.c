// SPDX-License-Identifier: GPL-2.0
/*
 * The link hook: NETDEV_EGRESS of a port, the same on leaf and spine. The DRE
 * counts every packet that enters the port's queue; stamped ones get
 * CE := max(CE, this port's metric), their own bytes included (section 3.2), or
 * with metric sum CE := CE + this port's metric (section 7).
 */
#include "datapath/clock.h"
#include "datapath/link.h"
#include "datapath/mark.h"
#include "objects/port.h"
#include "packet/joined.h"
#include "packet/packet.h"
#include "paper/wire.h"
#include "trace.h"

/* The packet's first word with this link's part of the path's congestion. With metric sum
 * an uplink adds nothing, since its own leaf adds it when it decides.
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

/* Counts that one header was changed, or could not be written. */
static void conga_link_raised(const struct conga_port *port, u32 from, u32 to, u8 q,
			      bool written)
{
	conga_stats_inc(port->fabric->stats,
			written ? CONGA_A_STATS_CE_RAISED :
				  CONGA_A_STATS_CE_UNWRITABLE);
	if (written)
		trace_conga_ce_raised(port, from, to, q);
}

/* Each datagram is one packet to the next node. */
static noinline void conga_link_mark_joined(const struct conga_port *port,
					    const struct conga_params *params,
					    struct sk_buff *skb,
					    const struct conga_packet *first,
					    u8 metric, u8 q)
{
	struct conga_joined joined;

	if (!conga_joined_begin(&joined, skb, first))
		return;
	do {
		u32 from = joined.packet.word, word;

		if (!conga_wire_stamped(from, joined.packet.vni))
			continue;
		word = conga_link_raise(port, params, from, metric, q);
		if (word != from)
			conga_link_raised(port, from, word, q,
					  conga_joined_write(&joined, word));
	} while (conga_joined_next(&joined));
}

static void conga_link_mark(const struct conga_port *port,
			    const struct conga_dre_params *dre,
			    struct sk_buff *skb, u64 x)
{
	const struct conga_params *params = rcu_dereference(port->fabric->params);
	u8 metric, q = dre->q;
	struct conga_packet packet __uninitialized;
	u32 from, word;

	if (!conga_packet_find_stamped(&packet, skb, &params->dstports))
		return;
	metric = conga_dre_metric(dre, x);
	if (unlikely(conga_packet_is_joined(skb))) {
		conga_link_mark_joined(port, params, skb, &packet, metric, q);
		return;
	}
	from = packet.word;
	word = conga_link_raise(port, params, from, metric, q);
	if (word != from)
		conga_link_raised(port, from, word, q, conga_packet_write(skb, &packet, word));
}

DEFINE_PER_CPU(struct conga_clock, conga_clock);

unsigned int conga_link(void *priv, struct sk_buff *skb,
			const struct nf_hook_state *state)
{
	struct conga_port *port = priv;
	struct conga_port_dre *dre = rcu_dereference(port->dre);
	u64 now = conga_clock_read(skb);
	bool loaded;
	u64 x;

	lockdep_assert(in_softirq());
	x = conga_port_count(port, dre, now, conga_packet_on_wire(skb));
	loaded = conga_dre_loaded(&dre->params, x);
	conga_port_note_load(port, loaded);
	if (loaded)
		conga_link_mark(port, &dre->params, skb, x);
	if (unlikely(dre->marks))
		conga_mark_packet(port, skb, now);
	return NF_ACCEPT;
}
