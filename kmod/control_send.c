// SPDX-License-Identifier: GPL-2.0
/*
 * Control packets on their way out: VXLAN with the control VNI, stamped, by one
 * uplink. A plain VTEP drops them, as it drops any reserved bit.
 *
 * They are output on the route of their path, past LOCAL_OUT: a control packet
 * asks about one uplink, and must not be routed anew. POSTROUTING and the
 * uplink's link door see them.
 */
#include <linux/inetdevice.h>
#include <linux/pkt_sched.h>
#include <linux/random.h>
#include <net/addrconf.h>
#include <net/dst.h>
#include <net/ip.h>
#include <net/ip6_checksum.h>
#include <net/ip6_route.h>
#include <net/ipv6.h>
#include <net/l3mdev.h>
#include <net/route.h>
#include <net/udp.h>
#include <net/vxlan.h>

#include "control.h"
#include "leaf.h"
#include "packet.h"
#include "port.h"

#define CONGA_CONTROL_TOS	0xc0	/* CS6, network control */
#define CONGA_CONTROL_PORT_MIN	0xc000	/* dynamic ports, RFC 6335 */

/* conga_control_fill - what every control packet says; no records, no nonces */
void conga_control_fill(struct conga_control_payload *payload,
			const struct conga_params *params, u8 type)
{
	payload->header = (struct conga_control_header) {
		.magic		= cpu_to_be32(CONGA_CONTROL_MAGIC),
		.version	= CONGA_CONTROL_VERSION,
		.type		= type,
		.flags		= params->metric == CONGA_METRIC_SUM ?
				  CONGA_CONTROL_SUM : 0,
		.id		= cpu_to_be32(params->leaf_id),
		.q		= params->q,
		.byte3		= conga_control_byte3(params->q),
	};
}

static unsigned int
conga_control_length(const struct conga_control_payload *payload)
{
	return sizeof(payload->header) +
	       payload->header.count * sizeof(payload->record[0]);
}

/* Is the tunnel's underlay that of the route, i.e. the same VRF or none? */
static bool conga_control_same_vrf(struct net *net,
				   const struct vxlan_dev *tunnel,
				   struct net_device *dev)
{
	return l3mdev_master_ifindex_by_index(net, tunnel->cfg.remote_ifindex) ==
	       l3mdev_master_ifindex_rcu(dev);
}

/* The tunnels' own address, by which the leaf knows us. */
static bool conga_control_tunnel_source(struct net *net, bool v4,
					const struct dst_entry *dst,
					struct in6_addr *source)
{
	struct net_device *dev;

	for_each_netdev_rcu(net, dev) {
		const struct vxlan_dev *tunnel = netdev_priv(dev);
		const union vxlan_addr *local = &tunnel->cfg.saddr;

		if (!netif_is_vxlan(dev) ||
		    !conga_control_same_vrf(net, tunnel, dst->dev))
			continue;
		if (v4 && local->sa.sa_family == AF_INET &&
		    local->sin.sin_addr.s_addr) {
			ipv6_addr_set_v4mapped(local->sin.sin_addr.s_addr,
					       source);
			return true;
		}
		if (!v4 && local->sa.sa_family == AF_INET6 &&
		    !ipv6_addr_any(&local->sin6.sin6_addr)) {
			*source = local->sin6.sin6_addr;
			return true;
		}
	}
	return false;
}

/* What the kernel would put in for a tunnel without an address of its own. */
static bool conga_control_route_source(const struct conga_control_way *way,
				       const struct dst_entry *dst,
				       struct in6_addr *source)
{
	struct net *net = way->leaf->fabric->net;
	__be32 v4;

	if (!conga_leaf_is_v4(way->leaf))
		return !ipv6_dev_get_saddr(net, dst->dev, &way->leaf->addr, 0,
					   source);
	v4 = inet_select_addr(dst->dev, 0, RT_SCOPE_UNIVERSE);
	ipv6_addr_set_v4mapped(v4, source);
	return v4;
}

static bool conga_control_source(const struct conga_control_way *way,
				 const struct dst_entry *dst,
				 struct in6_addr *source)
{
	*source = way->source;
	if (!ipv6_addr_any(source))
		return true;
	return conga_control_tunnel_source(way->leaf->fabric->net,
					   conga_leaf_is_v4(way->leaf), dst,
					   source) ||
	       conga_control_route_source(way, dst, source);
}

static void conga_control_push_vxlan(struct sk_buff *skb,
				     const struct conga_control_way *way)
{
	const struct conga_stamp stamp = { .tag = way->port->tag };
	__be32 *vxlan = skb_push(skb, 2 * sizeof(*vxlan));

	vxlan[0] = cpu_to_be32(conga_wire_stamp(CONGA_VXLAN_FLAG_VNI, &stamp,
						way->params->q));
	vxlan[1] = cpu_to_be32(CONGA_VNI_CONTROL << CONGA_VNI_SHIFT);
}

/* Another source port each time: spines hash over it. */
static void conga_control_push_udp(struct sk_buff *skb,
				   const struct conga_control_way *way)
{
	struct udphdr *udp = skb_push(skb, sizeof(*udp));
	u16 sport = CONGA_CONTROL_PORT_MIN | (u16)get_random_u32();

	skb_reset_transport_header(skb);
	udp->source = htons(sport);
	udp->dest = way->params->dstport[0];
	udp->len = htons(skb->len);
	udp->check = 0;
}

static void conga_control_push_ip4(struct sk_buff *skb, struct net *net,
				   const struct dst_entry *dst, __be32 source,
				   __be32 destination)
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
		.ttl		= ip4_dst_hoplimit(dst),
		.protocol	= IPPROTO_UDP,
		.saddr		= source,
		.daddr		= destination,
	};
	ip_select_ident(net, skb, NULL);
	ip_send_check(ip);
	skb->protocol = htons(ETH_P_IP);
}

static void conga_control_push_ip6(struct sk_buff *skb,
				   struct dst_entry *dst,
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
	ip->hop_limit = ip6_dst_hoplimit(dst);
	ip->saddr = *source;
	ip->daddr = *destination;
	skb->protocol = htons(ETH_P_IPV6);
}

static struct sk_buff *
conga_control_build(const struct conga_control_way *way, struct dst_entry *dst,
		    const struct in6_addr *source,
		    const struct conga_control_payload *payload)
{
	unsigned int length = conga_control_length(payload);
	unsigned int headroom = LL_RESERVED_SPACE(dst->dev) +
				sizeof(struct ipv6hdr) + sizeof(struct udphdr) +
				2 * sizeof(u32);
	const struct conga_leaf *leaf = way->leaf;
	struct sk_buff *skb = alloc_skb(headroom + length, GFP_ATOMIC);

	if (!skb)
		return NULL;
	skb_reserve(skb, headroom);
	skb_put_data(skb, payload, length);
	conga_control_push_vxlan(skb, way);
	conga_control_push_udp(skb, way);
	if (conga_leaf_is_v4(leaf))
		conga_control_push_ip4(skb, leaf->fabric->net, dst,
				       source->s6_addr32[3],
				       leaf->addr.s6_addr32[3]);
	else
		conga_control_push_ip6(skb, dst, source, &leaf->addr);
	skb->priority = TC_PRIO_CONTROL;
	return skb;
}

/*
 * conga_control_send - send @payload by the way's uplink
 *
 * Softirq or BH disabled, RCU. False if there is no path, source or memory.
 */
bool conga_control_send(const struct conga_control_way *way,
			struct conga_control_payload *payload)
{
	struct dst_entry *dst = conga_path_dst(way->leaf, way->port);
	struct in6_addr source;
	struct sk_buff *skb;

	if (!dst || !conga_control_source(way, dst, &source))
		return false;
	skb = conga_control_build(way, dst, &source, payload);
	if (!skb)
		return false;
	skb_dst_set_noref(skb, dst);
	dst_output(way->leaf->fabric->net, NULL, skb);
	return true;
}
