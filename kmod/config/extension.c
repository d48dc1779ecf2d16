// SPDX-License-Identifier: GPL-2.0
/*
 * A change to or from a policy with an extension (policies/extension.h), or of the interval of
 * its probes.
 */
#include <linux/netlink.h>

#include "config/extension.h"
#include "control/extension.h"
#include "datapath/hooks.h"
#include "objects/extension.h"
#include "objects/fabric.h"
#include "objects/hops.h"
#include "policies/policy.h"

/* conga_extension_attach - attach the hooks that the fabric needs with the parameters
 * @after, before these are published. On an error, which has a sentence, the hooks stay as
 * they were.
 */
int conga_extension_attach(struct conga_fabric *fabric, const struct conga_params *after,
			   struct netlink_ext_ack *extack)
{
	int err = 0;

	if (after->policy->extension.transit &&
	    !conga_fabric_params(fabric)->policy->extension.transit)
		err = conga_hooks_attach_forward(fabric);
	if (err)
		NL_SET_ERR_MSG(extack, "Failed to register the netfilter hooks");
	return err;
}

static bool conga_extension_differs(const struct conga_params *before,
				    const struct conga_params *after)
{
	return before->policy != after->policy ||
	       conga_extension_tp(before) != conga_extension_tp(after);
}

/* conga_extension_change - the fabric has got other parameters than @before, which are not
 * freed yet
 */
void conga_extension_change(struct conga_fabric *fabric, const struct conga_params *before)
{
	const struct conga_params *after = conga_fabric_params(fabric);

	conga_extension_release(fabric);
	if (before->policy->extension.transit && !after->policy->extension.transit)
		conga_hooks_detach_forward(fabric);
	if (!conga_extension_differs(before, after))
		return;
	conga_hops_make(fabric);
	conga_fabric_invalidate_paths(fabric);
	conga_extension_restart(fabric);
}
