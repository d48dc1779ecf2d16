// SPDX-License-Identifier: GPL-2.0
/*
 * CONGA': CONGA within a pod, ECMP of flowlets between pods
 *
 * Goal: what HULA is compared with in a fabric of three tiers. CONGA's tables are of
 * (leaf, uplink), and know nothing of what lies behind a spine's own uplinks.
 *
 * Mechanism: towards leaves of the same pod, which are conga leaves, as policy conga.
 * Those of other pods are plain leaves, by order of the operator (leaf add ADDR mode
 * plain): towards them as policy rehash, for each flowlet an uplink by chance and
 * another hash at every box.
 *
 * N. Katta et al., "HULA: Scalable Load Balancing Using Programmable Data Planes",
 * ACM SOSR 2016, section 5.
 */
#include "policies/policy.h"

const struct conga_policy conga_policy_conga_prime = {
	.name		= "conga-prime",
	.summary	= "as conga, and as rehash to plain leaves (CONGA' of HULA, SOSR 2016)",
	.needs		= CONGA_NEEDS_FLOWLET | CONGA_NEEDS_LOCAL |
			  CONGA_NEEDS_REMOTE | CONGA_NEEDS_RANDOM,
	.plain		= &conga_policy_rehash,
	.pick		= conga_policy_conga_pick,
};
