// SPDX-License-Identifier: GPL-2.0
/*
 * Attributes of a policy with an extension (policies/extension.h): those of HULA's probes,
 * and of the queues and delays that TR measures. policy_params.c has those of the policy's
 * parameters.
 */
#include <linux/ktime.h>
#include <linux/math64.h>
#include <net/netlink.h>
#include <uapi/linux/conga.h>

#include "netlink/extension.h"
#include "objects/extension.h"
#include "objects/fabric.h"
#include "objects/flowlets.h"
#include "objects/leaf.h"
#include "objects/port.h"
#include "paper/ahead.h"
#include "paper/hula.h"
#include "paper/wire.h"
#include "policies/policy.h"

/* The attribute is absent if no probes were due. */
static int conga_netlink_put_lateness(struct sk_buff *skb,
				      const struct conga_lateness *lateness)
{
	u64 rounds = READ_ONCE(lateness->rounds);

	if (!rounds)
		return 0;
	return nla_put_u64_64bit(skb, CONGA_A_FABRIC_PROBE_LATE,
				 div64_u64(READ_ONCE(lateness->sum), rounds),
				 CONGA_A_FABRIC_PAD) ?:
	       nla_put_u64_64bit(skb, CONGA_A_FABRIC_PROBE_LATEST,
				 READ_ONCE(lateness->most), CONGA_A_FABRIC_PAD);
}

/* conga_netlink_put_fabric_extension - the interval of probes, and their delays */
int conga_netlink_put_fabric_extension(struct sk_buff *skb,
				       const struct conga_fabric *fabric)
{
	const struct conga_params *params = conga_fabric_params(fabric);

	return nla_put_u64_64bit(skb, CONGA_A_FABRIC_PROBE, conga_extension_tp(params),
				 CONGA_A_FABRIC_PAD) ?:
	       conga_netlink_put_lateness(skb, &fabric->extension.lateness);
}

/* conga_netlink_put_port_extension - active flows. The attribute is absent if the policy
 * does not count them.
 */
int conga_netlink_put_port_extension(struct sk_buff *skb, const struct conga_port *port)
{
	const struct conga_params *params = conga_fabric_params(port->fabric);
	const struct conga_policy_extension *extension = &params->policy->extension;

	if (!extension->flows || port->role != CONGA_ROLE_UPLINK)
		return 0;
	return nla_put_u32(skb, CONGA_A_PORT_SHORT_FLOWS,
			   extension->flows(params->flow_states->shared, port->tag,
					    ktime_get_ns(), params->policy_param));
}

/* conga_netlink_put_leaf_extension - the best path to the leaf by probes. The attributes
 * are absent if there is none.
 */
int conga_netlink_put_leaf_extension(struct sk_buff *skb, const struct conga_leaf *leaf)
{
	conga_best_t best = READ_ONCE(leaf->extension.hula.best);
	const struct conga_params *params;
	struct conga_port *port = NULL;
	u64 now = ktime_get_ns();
	int err = 0;
	u8 hop;

	rcu_read_lock();
	params = conga_fabric_params(leaf->fabric);
	hop = conga_hula_hop(best, now, conga_extension_tfail(params));
	if (hop != CONGA_TAG_NONE)
		port = conga_port_hop(leaf->fabric, hop);
	if (port &&
	    (nla_put_u32(skb, CONGA_A_LEAF_BEST, port->ifindex) ||
	     nla_put_u32(skb, CONGA_A_LEAF_UTILISATION,
			 conga_hula_utilisation(best)) ||
	     nla_put_u64_64bit(skb, CONGA_A_LEAF_PROBE_AGE,
			       conga_hula_age(best, now), CONGA_A_LEAF_PAD)))
		err = -EMSGSIZE;
	rcu_read_unlock();
	return err;
}

/* conga_netlink_read_path_extension - RCU; @now and @tage in ns */
void conga_netlink_read_path_extension(struct conga_netlink_path_extension *path,
				       const struct conga_leaf *leaf, u8 tag,
				       u64 now, u64 tage)
{
	const struct conga_leaf_ahead *ahead = rcu_dereference(leaf->extension.ahead);

	path->ahead = ahead;
	if (!ahead)
		return;
	path->delay = conga_ahead_delay(&ahead->ahead, tag);
	path->queue = conga_ahead_queue(&ahead->ahead, tag, now, tage);
}

int conga_netlink_put_path_extension(struct sk_buff *skb,
				     const struct conga_netlink_path_extension *path)
{
	if (!path->ahead)
		return 0;
	if (nla_put_u64_64bit(skb, CONGA_A_PATH_QUEUE, path->queue, CONGA_A_PATH_PAD))
		return -EMSGSIZE;
	return path->delay ? nla_put_u64_64bit(skb, CONGA_A_PATH_DELAY, path->delay,
					       CONGA_A_PATH_PAD) : 0;
}

/* conga_netlink_check_extension - byte 3 must have one use in a fabric: the lower bits of
 * metrics, or queues
 */
int conga_netlink_check_extension(const struct conga_params *params,
				  struct netlink_ext_ack *extack)
{
	if (!params->policy->extension.mark || params->q <= CONGA_WIRE_HALF_BITS)
		return 0;
	NL_SET_ERR_MSG(extack,
		       "This policy uses byte 3 of the VXLAN header for queues, so q must be at most 3");
	return -EINVAL;
}
