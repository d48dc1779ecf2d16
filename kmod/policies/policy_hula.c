// SPDX-License-Identifier: GPL-2.0
/*
 * HULA: each flowlet goes to the best hop that probes found, at every node
 *
 * Goal: the least utilised path over any number of tiers, where each node knows only its
 * own neighbours. CONGA's tables belong to a leaf, and see two tiers.
 *
 * Mechanism: every leaf sends a probe by each uplink every Tp; nodes hand them on and
 * remember, per leaf, the hop by which the least utilised path was announced (hula.c). A
 * new flowlet takes that hop, here and at every node on its way (forward.c), or one of those
 * that are nearly as good ("near"): the hop of the flow's previous flowlet if it is one of
 * them, else one drawn at random. In the paper, near is 0: only the best hop. If no probe
 * came for Tfail, or the routes do not have that hop, the flowlet takes the kernel's own
 * route, which makes no loop.
 *
 * Utilisation is in 8 bits, DRE over capacity, saturating. The DRE must remember load for
 * longer than probes take to report it: tau is at least 2 Tp where Tdre is auto. The
 * flowlet timeout is the paper's, 100 us.
 *
 * N. Katta et al., "HULA: Scalable Load Balancing Using Programmable Data Planes",
 * ACM SOSR 2016.
 */
#include "paper/hula.h"
#include "policies/policy.h"
#include "policies/policy_hula.h"

#define CONGA_HULA_TFL	100000	/* ns */
#define CONGA_HULA_NEAR	16	/* a sixteenth of a link's rate */

static u8 conga_policy_hula_pick(const struct conga_view *view)
{
	u8 best = view->extension.best;

	if (best >= CONGA_TAGS_MAX || !(view->usable & BIT(best)))
		return CONGA_TAG_NONE;
	return conga_policy_keep_or_draw(view, BIT(best) |
					 (view->extension.near & view->usable));
}

const struct conga_policy conga_policy_hula = {
	.name		= "hula",
	.summary	= "per flowlet at every node, the best hop by probes (HULA, SOSR 2016)",
	.needs		= CONGA_NEEDS_FLOWLET | CONGA_NEEDS_RANDOM,
	.tfl		= CONGA_HULA_TFL,
	.param		= {
		[CONGA_HULA_PARAM_FAIL] = {
			"fail", "probe intervals without a probe, after which a hop is unusable",
			1, 100, CONGA_HULA_FAIL
		},
		[CONGA_HULA_PARAM_NEAR] = {
			"near", "utilisation, of 255, that a hop may have more than the best",
			0, CONGA_PROBE_FULL, CONGA_HULA_NEAR
		},
	},
	.pick		= conga_policy_hula_pick,
	.extension	= {
		.transit	= true,
		.probes		= true,
	},
};
