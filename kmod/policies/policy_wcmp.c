// SPDX-License-Identifier: GPL-2.0
/*
 * WCMP: weighted-cost multi-path, by a hash of the inner flow
 *
 * Goal: ECMP for uplinks of different rates: every flow stays on one uplink, and an uplink
 * of four times the rate gets four times as many flows. Like ECMP, WCMP sees neither load
 * nor the links behind the uplinks.
 *
 * Mechanism: the 32 bit hash of the inner flow, scaled onto the sum of the
 * usable uplinks' rates: floor(hash * sum / 2^32); the flow takes the uplink into whose
 * share this falls, in the order of LBTags. WCMP keeps no state. The weights of the paper
 * come from a controller that knows the whole topology; ours are the ports' rates (conga
 * port set DEV rate), so an operator can be that controller.
 *
 * J. Zhou et al., "WCMP: Weighted Cost Multipathing for Improved Fairness in Data
 * Centers", EuroSys 2014.
 */
#include "policies/policy.h"

static u8 conga_policy_wcmp_pick(const struct conga_view *view)
{
	return conga_policy_by_rate(view, view->hash);
}

const struct conga_policy conga_policy_wcmp = {
	.name		= "wcmp",
	.summary	= "every flow on one uplink, hashed by weight (WCMP, EuroSys 2014)",
	.needs		= CONGA_NEEDS_RATE,
	.pick		= conga_policy_wcmp_pick,
};
