// SPDX-License-Identifier: GPL-2.0
/*
 * IPsec policies: control packets must leave untransformed, or they are not sent; and
 * packets that a policy rejects must not be learnt from.
 *
 * A control packet is bound to one uplink, and a transformation takes a route of its
 * own. So if a policy wants a control packet transformed or blocked, the packet is not
 * sent: the leaf gets no hello, and stays plain. The kernel transforms the packets of
 * tunnels.
 */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/udp.h>
#include <net/dst.h>
#include <net/ip6_route.h>
#include <net/route.h>
#include <net/xfrm.h>

#include "packet/ipsec.h"

/* The fields that policies may look at; the packet's mark is 0. */
static void conga_ipsec_flow4(struct flowi4 *flow, const struct sk_buff *skb,
			      int oif)
{
	*flow = (struct flowi4) {
		.flowi4_oif	= oif,
		.flowi4_proto	= IPPROTO_UDP,
		.saddr		= ip_hdr(skb)->saddr,
		.daddr		= ip_hdr(skb)->daddr,
		.fl4_sport	= udp_hdr(skb)->source,
		.fl4_dport	= udp_hdr(skb)->dest,
	};
}

static void conga_ipsec_flow6(struct flowi6 *flow, const struct sk_buff *skb,
			      int oif)
{
	*flow = (struct flowi6) {
		.flowi6_oif	= oif,
		.flowi6_proto	= IPPROTO_UDP,
		.saddr		= ipv6_hdr(skb)->saddr,
		.daddr		= ipv6_hdr(skb)->daddr,
		.fl6_sport	= udp_hdr(skb)->source,
		.fl6_dport	= udp_hdr(skb)->dest,
	};
}

/* This releases the caller's reference of @dst. */
static bool conga_ipsec_is_plain(struct net *net, struct dst_entry *dst,
				 const struct flowi *flow)
{
	struct dst_entry *found = xfrm_lookup(net, dst, flow, NULL, 0);

	if (IS_ERR(found))
		return false;
	dst_release(found);
	return found == dst;
}

/*
 * conga_ipsec_leaves - may @skb, with its IP header, leave by @dst as it is?
 */
bool conga_ipsec_leaves(struct net *net, struct dst_entry *dst,
			const struct sk_buff *skb)
{
	struct flowi4 flow4;
	struct flowi6 flow6;

	if (!dst_hold_safe(dst))
		return false;
	if (skb->protocol == htons(ETH_P_IP)) {
		conga_ipsec_flow4(&flow4, skb, dst->dev->ifindex);
		return conga_ipsec_is_plain(net, dst, flowi4_to_flowi(&flow4));
	}
	conga_ipsec_flow6(&flow6, skb, dst->dev->ifindex);
	return conga_ipsec_is_plain(net, dst, flowi6_to_flowi(&flow6));
}

static bool conga_ipsec_link4(struct net_device *dev, const struct sk_buff *skb)
{
	struct rtable *rt;
	struct flowi4 flow;

	conga_ipsec_flow4(&flow, skb, dev->ifindex);
	rt = ip_route_output_key_hash(dev_net(dev), &flow, NULL);
	return !IS_ERR(rt) && conga_ipsec_is_plain(dev_net(dev), &rt->dst,
						   flowi4_to_flowi(&flow));
}

static bool conga_ipsec_link6(struct net_device *dev, const struct sk_buff *skb)
{
	struct dst_entry *dst;
	struct flowi6 flow;

	conga_ipsec_flow6(&flow, skb, dev->ifindex);
	dst = ip6_route_output(dev_net(dev), NULL, &flow);
	if (!dst->error)
		return conga_ipsec_is_plain(dev_net(dev), dst,
					    flowi6_to_flowi(&flow));
	dst_release(dst);
	return false;
}

/* Is there any policy for outgoing packets? */
static bool conga_ipsec_is_used(const struct net *net)
{
#ifdef CONFIG_XFRM
	return net->xfrm.policy_count[XFRM_POLICY_OUT] ||
	       READ_ONCE(net->xfrm.policy_default[XFRM_POLICY_OUT]) ==
	       XFRM_USERPOLICY_BLOCK;
#else
	return false;
#endif
}

/*
 * conga_ipsec_leaves_link - may @skb leave by @dev to a group at its link?
 *
 * A socket's packet to such a group has a route, to which policies apply. This packet has
 * no route; the function looks for one only if there is a policy.
 */
bool conga_ipsec_leaves_link(struct net_device *dev, const struct sk_buff *skb)
{
	if (!conga_ipsec_is_used(dev_net(dev)))
		return true;
	return skb->protocol == htons(ETH_P_IP) ? conga_ipsec_link4(dev, skb) :
						  conga_ipsec_link6(dev, skb);
}

/*
 * conga_ipsec_admits - would the kernel deliver a packet that is at LOCAL_IN?
 *
 * If a policy requires IPsec for a packet, or blocks it, UDP drops the packet, but after
 * LOCAL_IN. Softirq. Pointers into the packet are void afterwards.
 */
bool conga_ipsec_admits(struct sk_buff *skb, bool v6)
{
	return v6 ? xfrm6_policy_check(NULL, XFRM_POLICY_IN, skb) :
		    xfrm4_policy_check(NULL, XFRM_POLICY_IN, skb);
}
