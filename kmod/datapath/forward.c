// SPDX-License-Identifier: GPL-2.0
/*
 * The forward hook: FORWARD, after all other chains, while the policy decides at every
 * node. A VXLAN packet that passes gets its hop as one of this node's own would: by
 * flowlet, among the paths that routes allow, so that it comes nearer to its leaf with
 * each node. Stamps are not looked at, they are between leaves and links.
 */
#include "datapath/forward.h"
#include "datapath/steer.h"

static unsigned int conga_forward_packet(struct conga_fabric *fabric, struct sk_buff *skb,
					 const struct nf_hook_state *state)
{
	struct conga_steer steer;

	/* During a policy change the hook may be there before or after its policy. */
	if (!rcu_dereference(fabric->params)->policy->forward)
		return NF_ACCEPT;
	conga_steer_begin(&steer, fabric, true, false);
	if (conga_steer_find(&steer, skb, state) &&
	    conga_steer_choose(&steer, skb))
		conga_steer_route(&steer, skb);
	return NF_ACCEPT;
}

/* What a userspace queue gives back comes in process context. */
unsigned int conga_forward(void *priv, struct sk_buff *skb,
			   const struct nf_hook_state *state)
{
	bool requeued = !in_softirq();
	unsigned int verdict;

	if (unlikely(requeued))
		local_bh_disable();
	verdict = conga_forward_packet(priv, skb, state);
	if (unlikely(requeued))
		local_bh_enable();
	return verdict;
}
