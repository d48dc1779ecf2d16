// SPDX-License-Identifier: GPL-2.0
/*
 * RPS: random packet spraying
 *
 * Goal: the finest balance that is possible without state, for paths that are alike: there
 * TCP bears the reordering. Where paths differ, TCP does not bear it.
 *
 * Mechanism: every packet takes a usable uplink drawn uniformly. A packet that is
 * segmented later (GSO) is one packet here, as the kernel decides once for all of
 * its segments.
 *
 * A. Dixit et al., "On the Impact of Packet Spraying in Data Center Networks",
 * INFOCOM 2013.
 */
#include "policies/policy.h"

static u8 conga_policy_rps_pick(const struct conga_view *view)
{
	return conga_policy_share(view, view->usable, view->random);
}

const struct conga_policy conga_policy_rps = {
	.name		= "rps",
	.summary	= "per packet, a random uplink (RPS, INFOCOM 2013)",
	.needs		= CONGA_NEEDS_RANDOM,
	.pick		= conga_policy_rps_pick,
};
