/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_MARK_H
#define _CONGA_MARK_H

#include "control/control_read.h"
#include "objects/leaf.h"
#include "objects/port.h"
#include "packet/packet.h"
#include "paper/wire.h"
#include "policies/policy.h"

struct sk_buff;

void conga_mark_packet(const struct conga_port *port, struct sk_buff *skb, u64 now);

/* conga_mark_bits - the bits of a packet's first word that a mark may change */
static inline u32 conga_mark_bits(const struct conga_policy *policy, u32 word)
{
	if (!policy->extension.mark)
		return 0;
	return conga_wire_reserved(word) & CONGA_WIRE_BYTE3_MASK;
}

/* conga_mark_learn - learn the queue at the node behind our uplink, towards the leaf. A
 * mark tells nothing if the packet came by another port, and the policy alone absorbs
 * marks. Softirq, RCU. Inline, because every packet takes this step.
 */
static inline void conga_mark_learn(const struct conga_control_source *source, u64 now)
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

#endif /* _CONGA_MARK_H */
