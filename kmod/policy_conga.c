// SPDX-License-Identifier: GPL-2.0
/*
 * CONGA: the least congested path, end to end (section 3.5)
 *
 * Goal: every flowlet takes the uplink that minimises the congestion of the
 * worst link on its way.
 *
 * Mechanism: cost(uplink) = max(local, remote), where local is the uplink's
 * own DRE metric and remote the to-leaf metric that the destination leaf fed
 * back for this LBTag. Among the uplinks of minimal cost the one of the flow's
 * previous flowlet is kept, so that a flow moves only to a strictly better
 * uplink; else one is drawn uniformly, each entering the draw once. Towards a
 * plain leaf remote is 0 and the choice is by local congestion alone.
 *
 * Costs are integers of at most 6 bits: nothing can overflow.
 *
 * M. Alizadeh et al., "CONGA: Distributed Congestion-Aware Load Balancing for
 * Datacenters", ACM SIGCOMM 2014.
 */
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/minmax.h>

#include "policy.h"

static u8 conga_policy_conga_cost(const struct conga_view *view, u8 tag)
{
	return max(view->uplink[tag].local, view->uplink[tag].remote);
}

static u16 conga_policy_conga_best(const struct conga_view *view)
{
	u8 best_cost = U8_MAX;
	u16 best = 0;
	u8 tag;

	for (tag = 0; tag < CONGA_TAGS_MAX; tag++) {
		u8 cost = conga_policy_conga_cost(view, tag);

		if (!(view->usable & BIT(tag)) || cost > best_cost)
			continue;
		if (cost < best_cost)
			best = 0;
		best_cost = cost;
		best |= BIT(tag);
	}
	return best;
}

static u8 conga_policy_conga_pick(const struct conga_view *view)
{
	u16 best = conga_policy_conga_best(view);

	if (view->previous < CONGA_TAGS_MAX && best & BIT(view->previous))
		return view->previous;
	return conga_policy_spread(best, view->random);
}

const struct conga_policy conga_policy_conga = {
	.name		= "conga",
	.summary	= "per flowlet, the least congested path end to end (SIGCOMM 2014)",
	.needs		= CONGA_NEEDS_FLOWLET | CONGA_NEEDS_LOCAL |
			  CONGA_NEEDS_REMOTE,
	.pick		= conga_policy_conga_pick,
};
