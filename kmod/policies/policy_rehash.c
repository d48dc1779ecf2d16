// SPDX-License-Identifier: GPL-2.0
/*
 * Rehash: ECMP at every node, for each flowlet anew
 *
 * Goal: flowlets over all paths of a fabric of any number of tiers, with plain ECMP at the
 * nodes on the way. A policy that decides at the leaf alone chooses only among the leaf's
 * uplinks: behind them all flowlets of a flow take one path, since they have the same
 * headers.
 *
 * Mechanism: a new flowlet takes a usable uplink drawn uniformly, as with LetFlow, and
 * an outer UDP source port that is also drawn, and differs from that of its flow's previous
 * flowlet (flowlet.h). Nodes that hash the UDP ports hash it anew, each independently.
 * Ports are drawn, not counted up, so that flowlets do not go round in step. A flow's hash
 * gives it 255 ports, all within the range of the tunnel itself. Within a flowlet uplink
 * and port stay the same.
 *
 * Rehash is the part of CONGA' between pods (policy_conga_prime.c), and a baseline.
 */
#include "policies/policy.h"

static u8 conga_policy_rehash_pick(const struct conga_view *view)
{
	return conga_policy_share(view, view->usable, view->random);
}

const struct conga_policy conga_policy_rehash = {
	.name		= "rehash",
	.summary	= "per flowlet, another hash at every node (ECMP of flowlets)",
	.needs		= CONGA_NEEDS_FLOWLET | CONGA_NEEDS_RANDOM,
	.rehash		= true,
	.pick		= conga_policy_rehash_pick,
};
