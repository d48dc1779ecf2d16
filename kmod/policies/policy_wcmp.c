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
 * The sum is at most 16 * 2^32 Mbit/s, and its product with the hash below 2^68, which
 * mul_u64_u32_shr() has room for.
 *
 * J. Zhou et al., "WCMP: Weighted Cost Multipathing for Improved Fairness in Data
 * Centers", EuroSys 2014.
 */
#include <linux/bitops.h>
#include <linux/math64.h>

#include "policies/policy.h"

static u64 conga_policy_wcmp_sum(const struct conga_view *view)
{
	u64 sum = 0;
	u8 tag;

	for (tag = 0; tag < CONGA_TAGS_MAX; tag++)
		if (view->usable & BIT(tag))
			sum += view->uplink[tag].rate;
	return sum;
}

static u8 conga_policy_wcmp_pick(const struct conga_view *view)
{
	u64 place = mul_u64_u32_shr(conga_policy_wcmp_sum(view), view->hash, 32);
	u16 left = view->usable;
	u8 tag = __ffs(left);

	while (place >= view->uplink[tag].rate) {
		place -= view->uplink[tag].rate;
		left &= left - 1;
		tag = __ffs(left);
	}
	return tag;
}

const struct conga_policy conga_policy_wcmp = {
	.name		= "wcmp",
	.summary	= "every flow on one uplink, hashed by weight (WCMP, EuroSys 2014)",
	.needs		= CONGA_NEEDS_RATE,
	.pick		= conga_policy_wcmp_pick,
};
