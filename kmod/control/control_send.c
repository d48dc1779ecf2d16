// SPDX-License-Identifier: GPL-2.0
/*
 * Sending of control packets: VXLAN with the control VNI, stamped, by one uplink. A plain
 * VTEP drops them, as it drops any packet with reserved bits.
 *
 * They are output on the route of their path, past LOCAL_OUT: a control packet
 * asks about one uplink, and must not be routed anew. POSTROUTING and the
 * uplink's link hook see them. They are untracked, so that connection tracking has no
 * entries for them and NAT does not change their addresses, and they obey IPsec policies.
 */
#include <linux/inetdevice.h>
#include <linux/netfilter/nf_conntrack_common.h>
#include <linux/pkt_sched.h>
#include <linux/random.h>
#include <net/addrconf.h>
#include <net/dst.h>
#include <net/ip.h>
#include <net/ip6_checksum.h>
#include <net/ip6_route.h>
#include <net/ipv6.h>
#include <net/route.h>
#include <net/udp.h>
#include <net/vxlan.h>

#include "control/control_send.h"
#include "objects/leaf.h"
#include "objects/own.h"
#include "objects/path_dst.h"
#include "objects/port.h"
#include "packet/ipsec.h"
#include "packet/packet.h"

#define CONGA_CONTROL_TOS	0xc0	/* CS6, network control */
#define CONGA_CONTROL_PORT_MIN	0xc000	/* dynamic ports, RFC 6335 */

static u8 conga_control_flags(const struct conga_params *params, u8 type)
{
	u8 flags = 0;

	if (params->metric == CONGA_METRIC_SUM)
		flags |= CONGA_CONTROL_SUM;
	if (params->ecn && type == CONGA_CONTROL_HELLO)
		flags |= CONGA_CONTROL_ECN;
	return flags;
}

/* conga_control_fill - the fields that all control packets have; no records, no nonces */
void conga_control_fill(struct conga_control_payload *payload,
			const struct conga_params *params, u8 type)
{
	payload->header = (struct conga_control_header) {
		.magic		= cpu_to_be32(CONGA_CONTROL_MAGIC),
		.version	= CONGA_CONTROL_VERSION,
		.type		= type,
		.flags		= conga_control_flags(params, type),
		.id		= cpu_to_be32(params->leaf_id),
		.q		= params->q,
		.byte3		= conga_extension_byte3(params),
	};
}

static unsigned int
conga_control_length(const struct conga_control_payload *payload)
{
	return sizeof(payload->header) + conga_control_body(&payload->header);
}

/* Zeroes that fill a packet to a leaf up to the wanted size; @length is its payload's. */
static unsigned int conga_control_padding(const struct conga_control_way *way,
					  unsigned int length)
{
	if (!way->size)
		return 0;
	length += sizeof(struct udphdr) + 2 * sizeof(u32);
	length += conga_leaf_is_v4(way->leaf) ? sizeof(struct iphdr) :
						sizeof(struct ipv6hdr);
	return way->size > length ? way->size - length : 0;
}

/* The source is the address to which the leaf sent, or by which it knows us. */
static bool conga_control_source(const struct conga_control_way *way,
				 struct in6_addr *source)
{
	*source = way->source;
	return !ipv6_addr_any(source) ||
	       conga_own_source(way->leaf, way->port, way->params, source);
}

static void conga_control_push_vxlan(struct sk_buff *skb,
				     const struct conga_control_way *way)
{
	const struct conga_stamp stamp = {
		.tag = way->port->role == CONGA_ROLE_UPLINK ? way->tag : 0,
	};
	__be32 *vxlan = skb_push(skb, 2 * sizeof(*vxlan));

	vxlan[0] = cpu_to_be32(conga_wire_stamp(CONGA_VXLAN_FLAG_VNI, &stamp,
						way->params->q));
	vxlan[1] = cpu_to_be32(CONGA_VNI_CONTROL << CONGA_VNI_SHIFT);
}

/* The source port of the path's packets. Without one each packet has another, since spines
 * hash over it.
 */
static u16 conga_control_sport(const struct conga_control_way *way)
{
	u16 port = 0;

	if (way->leaf && way->port->role == CONGA_ROLE_UPLINK)
		port = READ_ONCE(way->leaf->entropy.port[way->tag]);
	return port ?: CONGA_CONTROL_PORT_MIN | (u16)get_random_u32();
}

static void conga_control_push_udp(struct sk_buff *skb,
				   const struct conga_control_way *way)
{
	struct udphdr *udp = skb_push(skb, sizeof(*udp));

	skb_reset_transport_header(skb);
	udp->source = htons(conga_control_sport(way));
	udp->dest = way->dstport ? way->dstport : way->params->dstports.port[0];
	udp->len = htons(skb->len);
	udp->check = 0;
}

static void conga_control_push_ip4(struct sk_buff *skb, struct net *net,
				   u8 ttl, __be32 source, __be32 destination)
{
	struct iphdr *ip;

	udp_set_csum(false, skb, source, destination, skb->len);
	ip = skb_push(skb, sizeof(*ip));
	skb_reset_network_header(skb);
	*ip = (struct iphdr) {
		.version	= IPVERSION,
		.ihl		= sizeof(*ip) / sizeof(u32),
		.tos		= CONGA_CONTROL_TOS,
		.tot_len	= htons(skb->len),
		.frag_off	= htons(IP_DF),
		.ttl		= ttl,
		.protocol	= IPPROTO_UDP,
		.saddr		= source,
		.daddr		= destination,
	};
	ip_select_ident(net, skb, NULL);
	ip_send_check(ip);
	skb->protocol = htons(ETH_P_IP);
}

static void conga_control_push_ip6(struct sk_buff *skb, u8 hop_limit,
				   const struct in6_addr *source,
				   const struct in6_addr *destination)
{
	unsigned int length = skb->len;
	struct ipv6hdr *ip;

	udp6_set_csum(false, skb, source, destination, length);
	ip = skb_push(skb, sizeof(*ip));
	skb_reset_network_header(skb);
	ip6_flow_hdr(ip, CONGA_CONTROL_TOS, 0);
	ip->payload_len = htons(length);
	ip->nexthdr = IPPROTO_UDP;
	ip->hop_limit = hop_limit;
	ip->saddr = *source;
	ip->daddr = *destination;
	skb->protocol = htons(ETH_P_IPV6);
}

/* All of the packet except the IP header, with room for it, and untracked */
static struct sk_buff *
conga_control_begin(const struct conga_control_way *way,
		    const struct net_device *dev,
		    const struct conga_control_payload *payload)
{
	unsigned int length = conga_control_length(payload);
	unsigned int upper = conga_control_upper(&payload->header);
	unsigned int padding = conga_control_padding(way, length + upper);
	unsigned int headroom = LL_RESERVED_SPACE(dev) +
				sizeof(struct ipv6hdr) + sizeof(struct udphdr) +
				2 * sizeof(u32);
	struct sk_buff *skb = alloc_skb(headroom + length + upper + padding,
					GFP_ATOMIC | __GFP_NOWARN);

	if (!skb)
		return NULL;
	skb_reserve(skb, headroom);
	skb_put_data(skb, payload, length);
	skb_put_data(skb, &payload->wide, upper);
	skb_put_zero(skb, padding);
	conga_control_push_vxlan(skb, way);
	conga_control_push_udp(skb, way);
	skb->priority = TC_PRIO_CONTROL;
	skb_set_nfct(skb, IP_CT_UNTRACKED);
	return skb;
}

/*
 * conga_control_send - send @payload by the uplink of @way
 *
 * Softirq or BH disabled, RCU. Negative if there is no path, source or memory; -EPERM if an
 * IPsec policy does not let the packet leave as it is.
 */
int conga_control_send(const struct conga_control_way *way,
		       struct conga_control_payload *payload)
{
	struct dst_entry *dst = conga_path_dst(way->leaf, way->port);
	struct net *net = way->leaf->fabric->net;
	struct in6_addr source;
	struct sk_buff *skb;

	if (!dst || !conga_control_source(way, &source))
		return -ENETUNREACH;
	skb = conga_control_begin(way, dst->dev, payload);
	if (!skb)
		return -ENOMEM;
	if (conga_leaf_is_v4(way->leaf))
		conga_control_push_ip4(skb, net, ip4_dst_hoplimit(dst),
				       source.s6_addr32[3],
				       way->leaf->addr.s6_addr32[3]);
	else
		conga_control_push_ip6(skb, ip6_dst_hoplimit(dst), &source,
				       &way->leaf->addr);
	if (!conga_ipsec_leaves(net, dst, skb)) {
		kfree_skb(skb);
		return -EPERM;
	}
	skb_dst_set_noref(skb, dst);
	dst_output(net, NULL, skb);
	return 0;
}

/* The destination is the group of all systems at the link, by IPv4 if the node has any IPv4
 * address.
 */
static bool conga_control_push_link(struct sk_buff *skb,
				    const struct conga_control_way *way,
				    struct net_device *dev, u8 *mac)
{
	struct in6_addr source, all = IN6ADDR_LINKLOCAL_ALLNODES_INIT;
	__be32 v4 = inet_select_addr(dev, 0, RT_SCOPE_LINK);

	if (v4) {
		conga_control_push_ip4(skb, dev_net(dev), CONGA_CONTROL_LINK_HOPS,
				       v4, htonl(INADDR_ALLHOSTS_GROUP));
		ip_eth_mc_map(htonl(INADDR_ALLHOSTS_GROUP), mac);
		return true;
	}
	if (ipv6_dev_get_saddr(dev_net(dev), dev, &all, 0, &source))
		return false;
	conga_control_push_ip6(skb, CONGA_CONTROL_LINK_HOPS, &source, &all);
	ipv6_eth_mc_map(&all, mac);
	return true;
}

/*
 * conga_control_send_link - send @payload to all systems at the link of the port of @way
 *
 * Softirq or BH disabled, RCU. There is no route look-up, since the link is known. Negative
 * values are those of conga_control_send(); IPsec policies apply likewise.
 */
int conga_control_send_link(const struct conga_control_way *way,
			    struct conga_control_payload *payload)
{
	struct net_device *dev = way->port->dev;
	struct sk_buff *skb = conga_control_begin(way, dev, payload);
	u8 mac[MAX_ADDR_LEN] = {};
	int err = -ENETUNREACH;

	if (!skb)
		return -ENOMEM;
	skb->dev = dev;
	if (!conga_control_push_link(skb, way, dev, mac))
		goto err_free_skb;
	err = -EPERM;
	if (!conga_ipsec_leaves_link(dev, skb))
		goto err_free_skb;
	err = dev_hard_header(skb, dev, ntohs(skb->protocol), mac, NULL, skb->len);
	if (err < 0)
		goto err_free_skb;
	dev_queue_xmit(skb);
	return 0;

err_free_skb:
	kfree_skb(skb);
	return err;
}

/* conga_control_outcome - the counter for the result of sending a control packet */
enum conga_attr_stats conga_control_outcome(int err, enum conga_attr_stats sent)
{
	if (!err)
		return sent;
	return err == -EPERM ? CONGA_A_STATS_CONTROL_UNSENT_XFRM :
			       CONGA_A_STATS_CONTROL_UNSENT;
}
