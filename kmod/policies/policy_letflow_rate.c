// SPDX-License-Identifier: GPL-2.0
/*
 * LetFlow by rate: each flowlet takes an uplink at random, in proportion to the rates
 *
 * Goal: decide towards leaves that feed nothing back. LetFlow leaves slow paths by itself,
 * wherever they are slow, because flows there make more and smaller flowlets; but it needs
 * long for what the node knows already: an uplink of a quarter of the rate gets as many new
 * flowlets as any other.
 *
 * Mechanism: a new flowlet takes a usable uplink drawn in proportion to the rates of the
 * ports, as WCMP places flows, independent of its flow's previous uplink. Where the route's
 * weights differ, rates follow them. The load of the uplinks is not looked at: a narrow path
 * behind a spine pushes TCP back, so that its uplink looks idle and would attract more
 * (policy_local.c).
 *
 * E. Vanini et al., "Let It Flow: Resilient Asymmetric Load Balancing with Flowlet
 * Switching", NSDI 2017.
 */
#include "policies/policy.h"

static u8 conga_policy_letflow_rate_pick(const struct conga_view *view)
{
	return conga_policy_by_rate(view, view->random);
}

const struct conga_policy conga_policy_letflow_rate = {
	.name		= "letflow-rate",
	.summary	= "per flowlet, a random uplink in proportion to its rate",
	.needs		= CONGA_NEEDS_FLOWLET | CONGA_NEEDS_RATE | CONGA_NEEDS_RANDOM,
	.pick		= conga_policy_letflow_rate_pick,
};
