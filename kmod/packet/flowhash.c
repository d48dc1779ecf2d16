// SPDX-License-Identifier: GPL-2.0
/*
 * The hash of the inner flow, which identifies its flowlets
 *
 * skb->hash would be at hand, but a local socket's is drawn anew at every
 * retransmission time-out, so that a flow would change its flowlet at the worst time; and
 * the kernel's dissector starts from the outer header.
 *
 * IPv4 and IPv6: addresses, protocol and, for TCP and UDP that are not
 * fragmented, ports. Any other frame: MAC addresses and type.
 */
#include <linux/if_ether.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/jhash.h>
#include <net/ip.h>

#include "packet/flowhash.h"

static u32 conga_flowhash_ports(const struct sk_buff *skb, u8 protocol,
				int offset)
{
	const __be32 *ports;
	__be32 buffer;

	if (!conga_flow_has_ports(protocol))
		return 0;
	ports = skb_header_pointer(skb, offset, sizeof(buffer), &buffer);
	return ports ? (__force u32)*ports : 0;
}

/* @source: followed by the destination, as in a header */
static u32 conga_flowhash_words6(const struct in6_addr *source, u32 ports,
				 u8 protocol, u32 seed)
{
	return jhash2((const u32 *)source,
		      2 * sizeof(struct in6_addr) / sizeof(u32),
		      jhash_2words(ports, protocol, seed));
}

/*
 * conga_flow_hash - the hash that conga_packet_flow_hash() finds for packets of @flow
 *
 * The packets must not be fragmented, and must have no IPv6 extension headers.
 */
u32 conga_flow_hash(const struct conga_flow *flow, u32 seed)
{
	const struct in6_addr addrs[] = { flow->source, flow->destination };
	const __be16 pair[] = { flow->sport, flow->dport };
	u32 ports;

	memcpy(&ports, pair, sizeof(ports));
	if (flow->v6)
		return conga_flowhash_words6(addrs, ports, flow->protocol, seed);
	return conga_flowhash_words4(flow->source.s6_addr32[3],
				     flow->destination.s6_addr32[3], ports,
				     flow->protocol, seed);
}

/* Fragments after the first have no ports, so that the ports of all fragments are ignored. */
static u32 conga_flowhash_v4(const struct sk_buff *skb, int offset, u32 seed)
{
	const struct iphdr *ip;
	struct iphdr buffer;
	u32 ports = 0;

	ip = skb_header_pointer(skb, offset, sizeof(buffer), &buffer);
	if (!ip)
		return seed;
	if (!ip_is_fragment(ip))
		ports = conga_flowhash_ports(skb, ip->protocol,
					     offset + ip->ihl * 4);
	return conga_flowhash_words4(ip->saddr, ip->daddr, ports, ip->protocol,
				     seed);
}

static u32 conga_flowhash_v6(const struct sk_buff *skb, int offset, u32 seed)
{
	const struct ipv6hdr *ip;
	struct ipv6hdr buffer;
	u32 ports;

	ip = skb_header_pointer(skb, offset, sizeof(buffer), &buffer);
	if (!ip)
		return seed;
	ports = conga_flowhash_ports(skb, ip->nexthdr,
				     offset + sizeof(buffer));
	return conga_flowhash_words6(&ip->saddr, ports, ip->nexthdr, seed);
}

static u32 conga_flowhash_ethernet(const struct sk_buff *skb, int offset,
				   u32 seed)
{
	const struct ethhdr *eth;
	struct ethhdr buffer;

	eth = skb_header_pointer(skb, offset, sizeof(buffer), &buffer);
	return eth ? jhash(eth, sizeof(buffer), seed) : seed;
}

/* conga_flowhash_any - like conga_packet_flow_hash(), for any packet */
u32 conga_flowhash_any(const struct sk_buff *skb, const struct conga_packet *packet, u32 seed)
{
	int offset;

	switch (conga_inner_network(skb, packet, &offset)) {
	case htons(ETH_P_IP):
		return conga_flowhash_v4(skb, offset, seed);
	case htons(ETH_P_IPV6):
		return conga_flowhash_v6(skb, offset, seed);
	default:
		return conga_flowhash_ethernet(skb, conga_inner_start(packet),
					       seed);
	}
}
