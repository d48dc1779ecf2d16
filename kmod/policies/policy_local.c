// SPDX-License-Identifier: GPL-2.0
/*
 * Local: the uplink with the least load that this node can see (section 2.4)
 *
 * Goal: the baseline that shows the value of feedback. It works like CONGA, but does not
 * see the links behind the uplink, like a switch that balances by its own queues.
 *
 * Mechanism: cost(uplink) = local, the uplink's own DRE metric. Ties and stickiness are as
 * in policy_conga.c. With fabrics that are not symmetric this can be worse than no
 * balancing at all: the traffic that a narrow path pushes back (TCP) makes its uplink look
 * idle, which attracts more.
 *
 * M. Alizadeh et al., "CONGA: Distributed Congestion-Aware Load Balancing for
 * Datacenters", ACM SIGCOMM 2014, figures 2 and 3.
 */
#include "policies/policy.h"

static u8 conga_policy_local_cost(const struct conga_view *view, u8 tag)
{
	return view->uplink[tag].local;
}

static u8 conga_policy_local_pick(const struct conga_view *view)
{
	u16 best = conga_policy_cheapest(view, conga_policy_local_cost);

	return conga_policy_keep_or_draw(view, best);
}

const struct conga_policy conga_policy_local = {
	.name		= "local",
	.summary	= "per flowlet, the least loaded uplink (section 2.4 of CONGA)",
	.needs		= CONGA_NEEDS_FLOWLET | CONGA_NEEDS_LOCAL |
			  CONGA_NEEDS_RANDOM,
	.pick		= conga_policy_local_pick,
};
