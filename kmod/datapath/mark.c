// SPDX-License-Identifier: GPL-2.0
/*
 * Marks (TR): stamped packets that leave this node by a transit port get in byte 3 of the
 * VXLAN header the queue at the port by which they came in, and the leaf that receives them
 * learns from it. The policy defines the mark, see policies/extension.h.
 */
#include <linux/skbuff.h>

#include "control/control_read.h"
#include "datapath/mark.h"
#include "objects/backlog.h"
#include "objects/leaf.h"
#include "objects/port.h"
#include "packet/joined.h"
#include "packet/packet.h"
#include "paper/wire.h"

/* Byte 3 of a packet: its mark is about the port by which it came in, since packets to its
 * sender leave by that port. It is 0 if that port is no link of the fabric.
 */
static u8 conga_mark_byte3(const struct conga_fabric *fabric,
			   const struct conga_policy *policy,
			   const struct sk_buff *skb, u64 now)
{
	const struct conga_port *port = conga_port_find(fabric, skb->skb_iif);

	if (!port)
		return 0;
	return policy->extension.mark(conga_backlog_read(port->backlog, now),
			    conga_port_mbits(port));
}

static void conga_mark_count(const struct conga_port *port, u32 word, bool written)
{
	if (!written)
		conga_stats_inc(port->fabric->stats, CONGA_A_STATS_CE_UNWRITABLE);
	else if (conga_wire_has_queue(word))
		conga_stats_inc(port->fabric->stats, CONGA_A_STATS_QUEUE_MARKED);
}

static void conga_mark_joined(const struct conga_port *port, struct sk_buff *skb,
			      const struct conga_packet *first, u8 byte3)
{
	struct conga_joined joined;

	if (!conga_joined_begin(&joined, skb, first))
		return;
	do {
		u32 word = conga_wire_with_byte3(joined.packet.word, byte3);

		if (conga_wire_stamped(joined.packet.word, joined.packet.vni))
			conga_mark_count(port, word, conga_joined_write(&joined, word));
	} while (conga_joined_next(&joined));
}

/* conga_mark_packet - mark a packet that leaves by @port, after CE was raised: a mark
 * replaces the lower bits of CE; BH disabled, RCU
 */
void conga_mark_packet(const struct conga_port *port, struct sk_buff *skb, u64 now)
{
	struct conga_fabric *fabric = port->fabric;
	const struct conga_params *params = rcu_dereference(fabric->params);
	struct conga_packet packet;
	u32 word;
	u8 byte3;

	/* During a policy change ->marks and params->policy may disagree for a moment. */
	if (!params->policy->extension.mark)
		return;
	if (!conga_packet_find_stamped(&packet, skb, &params->dstports))
		return;
	byte3 = conga_mark_byte3(fabric, params->policy, skb, now);
	if (unlikely(conga_packet_is_joined(skb))) {
		conga_mark_joined(port, skb, &packet, byte3);
		return;
	}
	word = conga_wire_with_byte3(packet.word, byte3);
	conga_mark_count(port, word, conga_packet_write(skb, &packet, word));
}

/* conga_mark_learn - learn the queue at the node behind our uplink, towards the leaf. A
 * mark tells nothing if the packet came by another port, and the policy alone absorbs
 * marks. Softirq, RCU.
 */
void conga_mark_learn(const struct conga_control_source *source, u64 now)
{
	const struct conga_policy *policy = source->params->policy;
	struct conga_leaf_ahead *ahead = rcu_dereference(source->leaf->extension.ahead);
	const struct conga_port *port = source->port;
	bool learnt;

	if (!(source->packet->word & CONGA_WIRE_BYTE3_MASK) ||
	    conga_wire_gpe(source->packet->word))
		return;
	learnt = ahead && port->role == CONGA_ROLE_UPLINK &&
		 policy->extension.absorb(&ahead->ahead, port->tag,
					  source->packet->word, now);
	conga_stats_inc(source->fabric->stats, learnt ? CONGA_A_STATS_QUEUE_RECEIVED :
							CONGA_A_STATS_QUEUE_IGNORED);
}
