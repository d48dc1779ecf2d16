// SPDX-License-Identifier: GPL-2.0
/*
 * CONGA': CONGA within a pod, ECMP of flowlets between pods
 *
 * Goal: the baseline for HULA in a fabric of three tiers. CONGA's tables are of (leaf,
 * uplink), and do not see the links behind a spine's own uplinks.
 *
 * Mechanism: leaves of the same pod are conga leaves, and towards them policy conga
 * decides. The operator makes leaves of other pods plain leaves (leaf add ADDR mode plain).
 * Towards these policy rehash decides: each flowlet gets an uplink at random, and another
 * hash at every node.
 *
 * N. Katta et al., "HULA: Scalable Load Balancing Using Programmable Data Planes",
 * ACM SOSR 2016, section 5.
 */
#include "policies/policy.h"

const struct conga_policy conga_policy_conga_prime = {
	.name		= "conga-prime",
	.summary	= "as conga, but as rehash to plain leaves (CONGA' of HULA, SOSR 2016)",
	.needs		= CONGA_NEEDS_FLOWLET | CONGA_NEEDS_LOCAL |
			  CONGA_NEEDS_REMOTE | CONGA_NEEDS_RANDOM,
	.plain		= &conga_policy_rehash,
	.pick		= conga_policy_conga_pick,
};
