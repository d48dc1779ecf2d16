// SPDX-License-Identifier: GPL-2.0
/*
 * LetFlow: each flowlet takes an uplink at random
 *
 * Goal: balance without measuring anything. On a congested path packets are lost
 * and windows shrink, so that flows there pause more often and make more, and
 * smaller, flowlets; each of these moves at random. Traffic thereby leaves slow paths
 * without any feedback, even if the slow link is far away.
 *
 * Mechanism: a new flowlet takes a usable uplink drawn uniformly, independent of its flow's
 * previous uplink. The flowlet timeout is the paper's, 500 us.
 *
 * E. Vanini et al., "Let It Flow: Resilient Asymmetric Load Balancing with Flowlet
 * Switching", NSDI 2017.
 */
#include "policies/policy.h"

static u8 conga_policy_letflow_pick(const struct conga_view *view)
{
	return conga_policy_share(view, view->usable, view->random);
}

const struct conga_policy conga_policy_letflow = {
	.name		= "letflow",
	.summary	= "per flowlet, a random uplink (LetFlow, NSDI 2017)",
	.needs		= CONGA_NEEDS_FLOWLET | CONGA_NEEDS_RANDOM,
	.pick		= conga_policy_letflow_pick,
};
