/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_NAIVE_TR_H
#define _UNIT_NAIVE_TR_H

/* TR's flows as tr.c's rules read: nothing is counted, who asks looks at every flow. */
#include <linux/types.h>

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

/* Two clocks may be a slot apart. */
static inline bool naive_tr_active(const struct naive_tr_flow *flow, u64 slot)
{
	return flow->known && flow->slot <= slot + 1 && slot <= flow->slot + SLOTS_KEPT;
}

static inline bool naive_tr_is_short(const struct naive_tr_flow *flow, u64 slot,
				     u32 limit)
{
	return !naive_tr_active(flow, slot) || flow->bytes < limit;
}

static inline void naive_tr_send(struct naive_tr_flow *flow, u64 slot, int tag,
				 u32 bytes, u32 limit)
{
	bool is_short = naive_tr_is_short(flow, slot, limit);

	if (!naive_tr_active(flow, slot))
		flow->bytes = 0;
	flow->bytes += bytes;
	flow->counted = is_short;
	flow->known = true;
	flow->slot = slot;
	flow->tag = tag;
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
