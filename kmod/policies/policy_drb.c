// SPDX-License-Identifier: GPL-2.0
/*
 * DRB: per-packet round robin
 *
 * Goal: balance that is as even as random spraying on average, and more even over any short
 * time: every uplink gets one packet of a flow before any gets its next one, so that queues
 * stay short and few packets overtake each other.
 *
 * Mechanism: a packet takes the usable uplink that follows, by LBTag, the one of
 * its flow's previous packet; a flow starts anywhere. The paper's source bounces
 * packets off the core switches one after the other, in an order (the reversed
 * digits of a counter) that spreads them over the pods of a fat tree first. A leaf
 * chooses among its uplinks only, where every order that visits all of them is equally
 * good.
 *
 * J. Cao et al., "Per-packet Load-balanced, Low-Latency Routing for Clos-based
 * Data Center Networks", CoNEXT 2013.
 */
#include "policies/policy.h"

static u8 conga_policy_drb_pick(const struct conga_view *view)
{
	return conga_policy_next(view);
}

const struct conga_policy conga_policy_drb = {
	.name		= "drb",
	.summary	= "per packet, the flow's next uplink in turn (DRB, CoNEXT 2013)",
	.needs		= CONGA_NEEDS_FLOW | CONGA_NEEDS_RANDOM,
	.pick		= conga_policy_drb_pick,
};
