// SPDX-License-Identifier: GPL-2.0
/*
 * Rehash: ECMP at every box, for each flowlet anew
 *
 * Goal: flowlets over all paths of a fabric of any number of tiers, with nothing but
 * ECMP at the boxes on the way. Whoever decides at the leaf alone chooses among the
 * leaf's uplinks: behind them all flowlets of a flow take one way, as they have the
 * same headers.
 *
 * Mechanism: a new flowlet takes a usable uplink drawn uniformly, as with LetFlow, and
 * an outer UDP source port that its flow's previous flowlet did not have, drawn, too
 * (flowlet.h). Boxes that hash the UDP ports hash it anew, each independently. Ports are
 * drawn and not counted up, so that flowlets do not go round in step, and belong to the
 * flow's hash: a flow has 255 of them. They are those that the tunnel itself could have
 * chosen. Within a flowlet uplink and port stay.
 *
 * The part of CONGA' between pods (policy_conga_prime.c), and a baseline of its own.
 */
#include "policies/policy.h"

static u8 conga_policy_rehash_pick(const struct conga_view *view)
{
	return conga_policy_share(view, view->usable, view->random);
}

const struct conga_policy conga_policy_rehash = {
	.name		= "rehash",
	.summary	= "per flowlet, another hash at every box (ECMP of flowlets)",
	.needs		= CONGA_NEEDS_FLOWLET | CONGA_NEEDS_RANDOM,
	.rehash		= true,
	.pick		= conga_policy_rehash_pick,
};
