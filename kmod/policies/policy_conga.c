// SPDX-License-Identifier: GPL-2.0
/*
 * CONGA: the least congested path, end to end (section 3.5)
 *
 * Goal: every flowlet takes the uplink that minimises the congestion of the
 * worst link on its way.
 *
 * Mechanism: cost(uplink) = max(local, remote), where local is the uplink's
 * own DRE metric and remote the to-leaf metric that the destination leaf fed
 * back for this LBTag. Among the uplinks of minimal cost the one of the flow's previous
 * flowlet is kept, so that a flow moves only to a strictly better uplink; otherwise one of
 * them is drawn uniformly. A plain leaf feeds nothing back, and where no node on the way marks
 * packets, feedback tells local load alone, which would send more by an uplink the more a
 * narrow path behind it slows TCP down. Towards such leaves policy_letflow_rate.c decides.
 *
 * With metric sum (section 7) cost(uplink) = local + remote, where remote is the
 * sum of the links behind the uplink: a path with two busy links costs more than
 * one with a single link as busy.
 *
 * Metrics are integers of at most 6 bits, so that their sum has 7: it cannot overflow.
 *
 * M. Alizadeh et al., "CONGA: Distributed Congestion-Aware Load Balancing for
 * Datacenters", ACM SIGCOMM 2014.
 */
#include <linux/kernel.h>
#include <linux/minmax.h>

#include "policies/policy.h"

static u8 conga_policy_conga_cost(const struct conga_view *view, u8 tag)
{
	const struct conga_view_uplink *uplink = &view->uplink[tag];

	if (view->sum)
		return uplink->local + uplink->remote;
	return max(uplink->local, uplink->remote);
}

/* conga_policy_conga_pick - for this policy, and for those that differ from it in something else */
u8 conga_policy_conga_pick(const struct conga_view *view)
{
	u16 best = conga_policy_least_loaded(view, conga_policy_conga_cost);

	return conga_policy_keep_or_draw(view, best);
}

const struct conga_policy conga_policy_conga = {
	.name		= "conga",
	.summary	= "per flowlet, the least congested path end to end (CONGA, SIGCOMM 2014)",
	.needs		= CONGA_NEEDS_FLOWLET | CONGA_NEEDS_LOCAL |
			  CONGA_NEEDS_REMOTE | CONGA_NEEDS_RANDOM,
	.plain		= &conga_policy_letflow_rate,
	.pick		= conga_policy_conga_pick,
};

/* The timeout is longer than any round trip, so that a transfer in progress stays on its
 * uplink: there is one decision for each transfer (section 5).
 */
#define CONGA_FLOW_TFL	13000000	/* ns */

const struct conga_policy conga_policy_conga_flow = {
	.name		= "conga-flow",
	.summary	= "as conga, with a flowlet timeout of 13 ms (CONGA-Flow, SIGCOMM 2014)",
	.needs		= CONGA_NEEDS_FLOWLET | CONGA_NEEDS_LOCAL |
			  CONGA_NEEDS_REMOTE | CONGA_NEEDS_RANDOM,
	.tfl		= CONGA_FLOW_TFL,
	.plain		= &conga_policy_letflow_rate,
	.pick		= conga_policy_conga_pick,
};
