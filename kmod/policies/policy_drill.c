// SPDX-License-Identifier: GPL-2.0
/*
 * DRILL: the shorter of a few queues, for every packet
 *
 * Goal: keep this node's own queues short and alike, within microseconds, by the number of
 * bytes in each. DRILL does not see behind the uplinks.
 *
 * Mechanism: for every packet some usable uplinks are drawn without replacement (the
 * paper's d, 2), and the one that this CPU chose last is remembered (the paper's m, 1). The
 * packet takes the one with the fewest bytes in its queues; among equal ones the first that
 * was drawn, and the remembered one only if it is strictly better. So idle uplinks share
 * the packets evenly. Two choices are enough to bring the longest queue down exponentially;
 * more would make CPUs rush to the same one.
 *
 * A port without a queue of its own (noqueue) has no bytes waiting: there DRILL equals RPS.
 *
 * S. Ghorbani et al., "DRILL: Micro Load Balancing for Low-latency Data Center
 * Networks", SIGCOMM 2017.
 */
#include <linux/math64.h>

#include "policies/policy.h"

#define CONGA_DRILL_CHOICES	2	/* the paper's d */

/* The backlog in units of time: a weight of the route is a statement about capacity. */
static u64 conga_policy_drill_backlog(const struct conga_view *view, u8 tag)
{
	u64 backlog = conga_view_backlog(view, tag);

	if (view->uneven)
		return div_u64(backlog * CONGA_WEIGHT_FULL, view->uplink[tag].weight);
	return backlog;
}

/* The remembered uplink, if it is usable and has fewer bytes waiting than @best; else @best. */
static u8 conga_policy_drill_remember(const struct conga_view *view, u8 best)
{
	u8 tag = view->recent;

	if (tag < CONGA_TAGS_MAX && view->usable & BIT(tag) &&
	    conga_policy_drill_backlog(view, tag) <
	    conga_policy_drill_backlog(view, best))
		return tag;
	return best;
}

static u8 conga_policy_drill_pick(const struct conga_view *view)
{
	u32 random = view->random, choices = view->param[0];
	u8 best = conga_policy_draw(view, view->usable, &random);
	u16 left = view->usable & ~BIT(best);

	while (left && --choices) {
		u8 tag = conga_policy_draw(view, left, &random);

		left &= ~BIT(tag);
		if (conga_policy_drill_backlog(view, tag) <
		    conga_policy_drill_backlog(view, best))
			best = tag;
	}
	return conga_policy_drill_remember(view, best);
}

const struct conga_policy conga_policy_drill = {
	.name		= "drill",
	.summary	= "per packet, the shortest of a few queues (DRILL, SIGCOMM 2017)",
	.needs		= CONGA_NEEDS_BACKLOG | CONGA_NEEDS_RECENT |
			  CONGA_NEEDS_RANDOM,
	.param		= {
		{ "choices", "uplinks drawn at random for each packet", 1, CONGA_TAGS_MAX,
		  CONGA_DRILL_CHOICES },
	},
	.pick		= conga_policy_drill_pick,
};
