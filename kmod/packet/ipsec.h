/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_IPSEC_H
#define _CONGA_IPSEC_H

/* Inline, because conga_rx() calls it for every stamped packet, and most nodes have no policies. */
#include <linux/skbuff.h>
#include <net/xfrm.h>

struct dst_entry;
struct net;
struct net_device;

/*
 * conga_ipsec_admits - would the kernel deliver a packet that is at LOCAL_IN?
 *
 * If a policy requires IPsec for a packet, or blocks it, UDP drops the packet, but after
 * LOCAL_IN. Softirq. Pointers into the packet are void afterwards.
 */
static __always_inline bool conga_ipsec_admits(struct sk_buff *skb, bool v6)
{
	return v6 ? xfrm6_policy_check(NULL, XFRM_POLICY_IN, skb) :
		    xfrm4_policy_check(NULL, XFRM_POLICY_IN, skb);
}

/* ipsec.c: softirq or BH disabled, RCU */
bool conga_ipsec_leaves(struct net *net, struct dst_entry *dst,
			const struct sk_buff *skb);
bool conga_ipsec_leaves_link(struct net_device *dev, const struct sk_buff *skb);

#endif /* _CONGA_IPSEC_H */
