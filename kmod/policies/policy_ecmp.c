// SPDX-License-Identifier: GPL-2.0
/*
 * ECMP: equal-cost multi-path by a hash of the inner flow (RFC 2992)
 *
 * Goal: the baseline. Every flow stays on one uplink, and the uplinks get
 * equal numbers of flows, whatever their load or rate.
 *
 * Mechanism: the 32 bit hash of the inner flow, scaled onto the usable
 * uplinks in the order of their LBTags: floor(hash * n / 2^32); where the route's weights
 * differ, the hash is scaled onto the weights, as the kernel does. ECMP keeps no state, and
 * so needs no flowlet table.
 */
#include "policies/policy.h"

static u8 conga_policy_ecmp_pick(const struct conga_view *view)
{
	return conga_policy_share(view, view->usable, view->hash);
}

const struct conga_policy conga_policy_ecmp = {
	.name		= "ecmp",
	.summary	= "every flow on one uplink by a hash of its inner headers (RFC 2992)",
	.needs		= 0,
	.pick		= conga_policy_ecmp_pick,
};
