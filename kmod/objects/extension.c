// SPDX-License-Identifier: GPL-2.0
/* The state and the functions of fabric, ports and leaves for a policy with an extension:
 * HULA, TR.
 */
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>

#include "objects/extension.h"
#include "objects/fabric.h"
#include "objects/leaf_table.h"
#include "objects/port.h"
#include "paper/control_wire.h"
#include "paper/dre.h"
#include "policies/policy_hula.h"

/* --- probes --- */

/* conga_extension_setup_params - sets the defaults in @net */
void conga_extension_setup_params(struct conga_params *params, const struct net *net)
{
	params->probe = CONGA_FABRIC_PROBE_DEFAULT;
	params->probe_min = conga_pace_bounds(net) ? CONGA_FABRIC_PROBE_MIN_USER :
						     CONGA_FABRIC_PROBE_MIN;
}

/* conga_extension_tp - ns between probes, 0 for none; auto is on if the policy needs probes */
u64 conga_extension_tp(const struct conga_params *params)
{
	if (params->probe != CONGA_PROBE_AUTO)
		return params->probe;
	if (!params->policy->extension.probes)
		return 0;
	return max(CONGA_FABRIC_PROBE_USUAL, params->probe_min);
}

/* conga_extension_tfail - ns without a probe, after which a hop is given up; for a policy
 * with probes
 */
u64 conga_extension_tfail(const struct conga_params *params)
{
	return conga_policy_hula_fail(params->policy_param) * conga_extension_tp(params);
}

/* conga_extension_near - steps of utilisation that a near hop may have more than the best; for
 * a policy with probes
 */
u8 conga_extension_near(const struct conga_params *params)
{
	return conga_policy_hula_near(params->policy_param);
}

/* conga_extension_tdre - the Tdre of a port whose DRE alone wants @tdre. The load that a
 * probe reports must still be in the DRE when the next probe comes: tau is at least 2 Tp,
 * unless the user has set Tdre.
 */
u64 conga_extension_tdre(const struct conga_params *params, u64 tdre)
{
	if (params->tdre != CONGA_FABRIC_TDRE_AUTO || !params->policy->extension.probes)
		return tdre;
	return max(tdre, div64_u64(2 * conga_extension_tp(params) * params->alpha,
				   CONGA_ALPHA_ONE));
}

/* conga_extension_marks - are packets marked that leave by this port? */
bool conga_extension_marks(const struct conga_port *port,
			   const struct conga_params *params)
{
	return params->policy->extension.mark && port->role == CONGA_ROLE_TRANSIT;
}

/* conga_extension_dre_differs - does the extension change a port's DRE? */
bool conga_extension_dre_differs(const struct conga_params *old,
				 const struct conga_params *new)
{
	return old->policy->extension.probes != new->policy->extension.probes ||
	       !old->policy->extension.mark != !new->policy->extension.mark ||
	       conga_extension_tp(old) != conga_extension_tp(new);
}

/* conga_extension_out - paths that are out, a bit per LBTag; any context */
u16 conga_extension_out(const struct conga_leaf *leaf)
{
	return READ_ONCE(leaf->extension.hula.out);
}

/* conga_extension_byte3 - enum conga_byte3, the use of byte 3 of VXLAN headers; any context */
u8 conga_extension_byte3(const struct conga_params *params)
{
	return conga_control_byte3(params->q, params->policy->extension.mark);
}

/* --- queues and delays ahead of uplinks, by leaf --- */

/* conga_extension_prepare_leaf - give the leaf a table of queues and delays ahead, if the
 * policy of @params needs one. False without memory. May sleep.
 */
bool conga_extension_prepare_leaf(struct conga_leaf *leaf,
				  const struct conga_params *params)
{
	struct conga_leaf_ahead *ahead;

	if (!params->policy->extension.absorb || rtnl_dereference(leaf->extension.ahead))
		return true;
	ahead = kzalloc(sizeof(*ahead), GFP_KERNEL_ACCOUNT);
	rcu_assign_pointer(leaf->extension.ahead, ahead);
	return ahead;
}

/* conga_extension_prepare - likewise, for all leaves. False without memory: some leaves may
 * keep a table then, until conga_extension_release().
 */
bool conga_extension_prepare(struct conga_fabric *fabric,
			     const struct conga_params *params)
{
	struct conga_leaf *leaf;
	unsigned long index = 0;

	conga_assert_locked(fabric);
	if (!params->policy->extension.absorb)
		return true;
	for (; (leaf = conga_leaf_next(fabric, &index)); index++)
		if (!conga_extension_prepare_leaf(leaf, params))
			return false;
	return true;
}

/* conga_extension_release - free the tables of leaves, if the current policy does not need them */
void conga_extension_release(struct conga_fabric *fabric)
{
	struct conga_leaf_ahead *ahead;
	struct conga_leaf *leaf;
	unsigned long index = 0;

	conga_assert_locked(fabric);
	if (conga_fabric_params(fabric)->policy->extension.absorb)
		return;
	for (; (leaf = conga_leaf_next(fabric, &index)); index++) {
		ahead = rcu_replace_pointer(leaf->extension.ahead, NULL, true);
		if (ahead)
			kfree_rcu(ahead, rcu);
	}
}

/* conga_extension_free_leaf - free the state of a leaf that no reader holds */
void conga_extension_free_leaf(struct conga_leaf *leaf)
{
	kfree(rcu_dereference_raw(leaf->extension.ahead));
}

/* conga_extension_flush_leaf - forget all that was learnt from packets; any context */
void conga_extension_flush_leaf(struct conga_leaf *leaf)
{
	struct conga_leaf_ahead *ahead;

	rcu_read_lock();
	ahead = rcu_dereference(leaf->extension.ahead);
	if (ahead)
		conga_toleaf_flush(&ahead->ahead.queue);
	rcu_read_unlock();
}

/* conga_extension_forget_tag - forget all that was learnt about an uplink that died */
void conga_extension_forget_tag(struct conga_leaf *leaf, u8 tag)
{
	struct conga_leaf_ahead *ahead = rtnl_dereference(leaf->extension.ahead);

	if (!ahead)
		return;
	spin_lock_bh(&leaf->hello_lock);
	conga_ahead_forget(&ahead->ahead, tag);
	spin_unlock_bh(&leaf->hello_lock);
}
