/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_STEER_H
#define _CONGA_STEER_H

/*
 * The steps that the hooks tx and forward share: a VXLAN packet to a known leaf gets its
 * hop and its route. If a step fails, the packet is left to the kernel's own route. The
 * functions are inline, because each of them is a step of every packet.
 */
#include <linux/ktime.h>
#include <linux/netfilter.h>
#include <net/dst.h>

#include "datapath/choose.h"
#include "datapath/clock.h"
#include "datapath/find.h"
#include "datapath/leave.h"
#include "objects/leaf.h"
#include "packet/flowhash.h"
#include "packet/packet.h"

/* The facts and decisions about one packet, step by step */
struct conga_steer {
	struct conga_packet	packet;
	struct conga_choice	choice;
	bool			requeued;	/* a userspace queue gave it back */
};

/* steer.c */
bool conga_steer_paths_anew(struct conga_steer *steer, const struct sk_buff *skb);

static inline void conga_steer_count(const struct conga_steer *steer,
				     enum conga_attr_stats counter)
{
	conga_stats_inc(steer->choice.fabric->stats, counter);
}

/* conga_steer_begin - the first step of a packet; each step sets the members that later
 * steps read
 */
static inline void conga_steer_begin(struct conga_steer *steer, struct conga_fabric *fabric,
				     bool passing, bool requeued)
{
	lockdep_assert(in_softirq());
	steer->choice.fabric = fabric;
	steer->choice.passing = passing;
	steer->choice.asking = false;
	steer->requeued = requeued;
}

/* conga_steer_find - is this VXLAN? */
static inline bool conga_steer_find(struct conga_steer *steer,
				    const struct sk_buff *skb,
				    const struct nf_hook_state *state)
{
	__be16 protocol = state->pf == NFPROTO_IPV6 ? htons(ETH_P_IPV6) :
						      htons(ETH_P_IP);

	steer->choice.params = rcu_dereference(steer->choice.fabric->params);
	return conga_packet_find(&steer->packet, skb, protocol,
				 &steer->choice.params->dstports) == CONGA_PACKET_VXLAN;
}

/* Did the user exempt this traffic? */
static inline bool conga_steer_opted_out(const struct conga_steer *steer,
					 const struct sk_buff *skb)
{
	const struct conga_params *params = steer->choice.params;

	if (likely(!params->opt_out))
		return false;
	if (params->opt_out_mask &&
	    (skb->mark & params->opt_out_mask) == params->opt_out_mark)
		return true;
	return params->opt_out_dscp != CONGA_DSCP_NONE &&
	       conga_inner_dscp(skb, &steer->packet) == params->opt_out_dscp;
}

/* A packet that IPsec transforms, or NAT translates, stays on its own route. Each reason
 * has a counter.
 */
static inline bool conga_steer_leave(const struct conga_steer *steer,
				     const struct sk_buff *skb)
{
	if (dst_xfrm(skb_dst(skb)))
		conga_steer_count(steer, CONGA_A_STATS_FALLBACK_XFRM);
	else if (unlikely(skb->_nfct) &&
		 conga_leave_translated(skb, steer->choice.fabric->net,
					steer->packet.v6 ? NFPROTO_IPV6 : NFPROTO_IPV4))
		conga_steer_count(steer, CONGA_A_STATS_FALLBACK_NAT);
	else
		return false;
	return true;
}

/* A packet that fits its own route must never be fragmented, or rejected, because the
 * chosen path is narrower. On a path that is as wide as the own route the result is the same.
 * Most packets fit the path, so that their own route is checked last.
 */
static inline bool conga_steer_fits(const struct conga_steer *steer,
				    const struct sk_buff *skb)
{
	unsigned int mtu = steer->choice.mtu ?: dst_mtu(steer->choice.dst);

	if (conga_packet_fits(skb, mtu) || mtu >= dst_mtu(skb_dst(skb)))
		return true;
	conga_steer_count(steer, CONGA_A_STATS_FALLBACK_MTU);
	return false;
}

/* Would IPsec apply to it on the chosen path? */
static inline bool conga_steer_transformed(const struct conga_steer *steer,
					   const struct sk_buff *skb)
{
	if (likely(!steer->choice.paths->xfrm) ||
	    !conga_leave_transformed(skb, &steer->packet, steer->choice.fabric->net,
				     steer->choice.dst))
		return false;
	conga_steer_count(steer, CONGA_A_STATS_FALLBACK_XFRM);
	return true;
}

/* conga_steer_route - the packet takes the chosen path, and @counter counts it. It holds no
 * reference: BH is disabled, which makes an RCU section that outlives the packet's use of the
 * route; a queue takes a reference if it needs one.
 */
static inline void conga_steer_route(const struct conga_steer *steer, struct sk_buff *skb,
				     enum conga_attr_stats counter)
{
	skb_dst_drop(skb);
	skb_dst_set_noref(skb, steer->choice.dst);
	conga_clock_keep(skb, steer->choice.now);
	conga_steer_count(steer, counter);
}

/* The DSCP of IPv4 selects routes even without rules. */
static inline u8 conga_steer_tos(const struct conga_steer *steer, const struct sk_buff *skb)
{
	if (!steer->packet.plain4 && steer->packet.v6)
		return 0;
	return conga_packet_tos(skb, &steer->packet) & CONGA_ROUTE_DSCP_MASK;
}

/* The paths of packets like this one. Usually they are those of the previous packet, and
 * the own route is by one of their nexthops.
 */
static inline bool conga_steer_paths(struct conga_steer *steer, const struct sk_buff *skb)
{
	struct conga_choice *choice = &steer->choice;
	const struct conga_paths *paths = rcu_dereference(choice->leaf->paths);

	if (likely(paths && paths->lone) && conga_path_current(choice->leaf, paths) &&
	    conga_steer_tos(steer, skb) == paths->key.tos &&
	    conga_path_owns(paths, skb_dst(skb))) {
		choice->paths = paths;
		return true;
	}
	return conga_steer_paths_anew(steer, skb);
}

/* conga_steer_choose - set the packet's hop. False if the packet is left to the kernel's
 * route; each reason has a counter.
 */
static inline bool conga_steer_choose(struct conga_steer *steer,
				      const struct sk_buff *skb)
{
	struct conga_choice *choice = &steer->choice;

	choice->leaf = conga_find_destination(choice->fabric, skb, &steer->packet);
	if (!choice->leaf) {
		conga_steer_count(steer, choice->passing ?
					 CONGA_A_STATS_FORWARD_UNKNOWN_LEAF :
					 CONGA_A_STATS_TX_UNKNOWN_LEAF);
		return false;
	}
	choice->opted_out = conga_steer_opted_out(steer, skb);
	if (conga_steer_leave(steer, skb))
		return false;
	if (choice->opted_out)
		conga_steer_count(steer, CONGA_A_STATS_TX_OPTED_OUT);
	if (!conga_steer_paths(steer, skb))
		return false;
	choice->now = ktime_get_ns();
	choice->bytes = skb->len;
	choice->hash = conga_packet_flow_hash(skb, &steer->packet,
					      choice->fabric->hash_seed ^
					      choice->leaf->index);
	return conga_choose(choice) && conga_steer_fits(steer, skb) &&
	       !conga_steer_transformed(steer, skb);
}

#endif /* _CONGA_STEER_H */
