/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_NAIVE_TR_H
#define _UNIT_NAIVE_TR_H

/* TR's flows as tr.c's rules read: nothing is counted, who asks looks at every flow. */
#include <linux/types.h>

#include "paper/tr.h"

#define FLOWS		64
#define SLOTS_KEPT	4	/* beside the running one, an RTT */

struct naive_tr_flow {
	bool	known, counted;
	u64	slot;
	u64	bytes;
	int	tag;
};

struct naive_tr {
	struct naive_tr_flow flow[FLOWS];
};

/* Did it send within so many slots? Two clocks may be a slot apart. */
static inline bool naive_tr_sent_within(const struct naive_tr_flow *flow, u64 slot, u32 slots)
{
	return flow->known && flow->slot <= slot + 1 && slot <= flow->slot + slots;
}

static inline bool naive_tr_active(const struct naive_tr_flow *flow, u64 slot)
{
	return naive_tr_sent_within(flow, slot, SLOTS_KEPT);
}

static inline bool naive_tr_is_short(const struct naive_tr_flow *flow,
				     const struct conga_tr_packet *packet)
{
	u64 before = naive_tr_sent_within(flow, packet->slot, packet->idle) ? flow->bytes : 0;

	return before + packet->bytes <= packet->limit;
}

static inline void naive_tr_send(struct naive_tr_flow *flow,
				 const struct conga_tr_packet *packet)
{
	bool is_short = naive_tr_is_short(flow, packet);

	if (!naive_tr_sent_within(flow, packet->slot, packet->idle))
		flow->bytes = 0;
	flow->bytes += packet->bytes;
	flow->counted = is_short;
	flow->known = true;
	flow->slot = packet->slot;
	flow->tag = packet->tag;
}

static inline u32 naive_tr_short_flows(const struct naive_tr *naive, int tag, u64 slot)
{
	u32 count = 0;
	int i;

	for (i = 0; i < FLOWS; i++)
		count += naive->flow[i].counted && naive->flow[i].tag == tag &&
			 naive_tr_active(&naive->flow[i], slot);
	return count;
}

#endif /* _UNIT_NAIVE_TR_H */
