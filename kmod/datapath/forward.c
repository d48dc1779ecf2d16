// SPDX-License-Identifier: GPL-2.0
/*
 * The forward hook: FORWARD, after all other chains, attached while the policy decides at
 * every node. A forwarded VXLAN packet gets its hop like a packet of this node: by flowlet,
 * among the paths that routes allow, so that it comes nearer to its leaf with each node.
 * The hook ignores stamps: only leaves and links use them.
 */
#include "datapath/forward.h"
#include "datapath/steer.h"

static unsigned int conga_forward_packet(struct conga_fabric *fabric, struct sk_buff *skb,
					 const struct nf_hook_state *state)
{
	struct conga_steer steer __uninitialized;

	/* During a policy change the hook may be attached before or after its policy is current. */
	if (!rcu_dereference(fabric->params)->policy->extension.transit)
		return NF_ACCEPT;
	conga_steer_begin(&steer, fabric, true, false);
	if (conga_steer_find(&steer, skb, state) &&
	    conga_steer_choose(&steer, skb))
		conga_steer_route(&steer, skb, CONGA_A_STATS_FORWARD_STEERED);
	return NF_ACCEPT;
}

/* A packet that a userspace queue gives back comes in process context. */
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
