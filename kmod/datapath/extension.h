/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_DATAPATH_EXTENSION_H
#define _CONGA_DATAPATH_EXTENSION_H

#include "objects/extension.h"
#include "objects/fabric.h"
#include "objects/flowlets.h"
#include "objects/leaf.h"
#include "paper/hula.h"
#include "policies/policy.h"

/* conga_extension_view - fills in the view of the extension of @policy; the view must be
 * zeroed except for the time. BH disabled, RCU. Inline, because policies may decide for
 * every packet.
 */
static inline void conga_extension_view(struct conga_view *view,
					const struct conga_policy *policy,
					const struct conga_leaf *leaf,
					const struct conga_params *params, bool asking)
{
	const struct conga_leaf_ahead *ahead;

	if (policy->extension.probes) {
		view->extension.best =
			conga_hula_hop(READ_ONCE(leaf->extension.hula.best), view->now,
				       conga_extension_tfail(params));
		view->extension.near = READ_ONCE(leaf->extension.hula.near);
	}
	if (!policy->extension.absorb)
		return;
	ahead = rcu_dereference(leaf->extension.ahead);
	if (ahead)
		view->extension.ahead = &ahead->ahead;
	view->extension.tage = params->tage;
	view->extension.shared = params->flow_states->shared;
	view->extension.asking = asking;
}

#endif /* _CONGA_DATAPATH_EXTENSION_H */
