// SPDX-License-Identifier: GPL-2.0
/*
 * The forward door: FORWARD, after all other chains, while the policy decides at every
 * box. A VXLAN packet that passes gets its hop as one of this box's own would: by
 * flowlet, among the paths that routes allow, so that it comes nearer to its leaf with
 * each box. Stamps are not looked at, they are between leaves and links.
 */
#include "datapath.h"
#include "steer.h"

unsigned int conga_forward(void *priv, struct sk_buff *skb,
			   const struct nf_hook_state *state)
{
	struct conga_steer steer = {
		.choice.fabric	= priv,
		.choice.passing	= true,
	};

	/* Not yet, or not any more */
	if (!rcu_dereference(steer.choice.fabric->params)->policy->forward)
		return NF_ACCEPT;
	if (conga_steer_find(&steer, skb, state) &&
	    conga_steer_choose(&steer, skb))
		conga_steer_route(&steer, skb);
	return NF_ACCEPT;
}
