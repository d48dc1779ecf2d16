// SPDX-License-Identifier: GPL-2.0
/* The packet inside the tunnel: where its network header is, its DSCP and its ECN field. */
#include <linux/if_ether.h>
#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <net/dsfield.h>
#include <net/inet_ecn.h>

#include "packet/packet.h"
#include "paper/wire.h"

#define CONGA_INNER_VLANS	2	/* 802.1Q and 802.1ad */
#define CONGA_DSCP_SHIFT	2	/* ECN is below */

/* The next protocols of VXLAN-GPE that are read, beside Ethernet. */
#define CONGA_GPE_IPV4		1
#define CONGA_GPE_IPV6		2

/* Skips an Ethernet header and VLAN tags; @offset moves behind them. */
static __be16 conga_inner_ethernet(const struct sk_buff *skb, int *offset)
{
	const struct ethhdr *eth;
	struct ethhdr buffer;
	__be16 protocol;
	int i;

	eth = skb_header_pointer(skb, *offset, sizeof(buffer), &buffer);
	if (!eth)
		return 0;
	protocol = eth->h_proto;
	*offset += sizeof(buffer);
	for (i = 0; i < CONGA_INNER_VLANS && eth_type_vlan(protocol); i++) {
		const struct vlan_hdr *vlan;
		struct vlan_hdr tag;

		vlan = skb_header_pointer(skb, *offset, sizeof(tag), &tag);
		if (!vlan)
			break;
		protocol = vlan->h_vlan_encapsulated_proto;
		*offset += sizeof(tag);
	}
	return protocol;
}

/**
 * conga_inner_network - find the inner network header
 * @skb: the packet
 * @packet: set by conga_packet_find()
 * @offset: of the header, if it is one of IP
 *
 * Returns ETH_P_IP or ETH_P_IPV6 in network order, or another value for an unknown
 * protocol. The header may be cut off: the caller must check that it is whole.
 */
__be16 conga_inner_network(const struct sk_buff *skb,
			   const struct conga_packet *packet, int *offset)
{
	*offset = conga_inner_start(packet);
	if (conga_wire_gpe(packet->word)) {
		switch (packet->word & CONGA_WIRE_BYTE3_MASK) {
		case CONGA_GPE_IPV4:
			return htons(ETH_P_IP);
		case CONGA_GPE_IPV6:
			return htons(ETH_P_IPV6);
		}
	}
	return conga_inner_ethernet(skb, offset);
}

/* DSCP and ECN of the inner packet; false if it is not IP, or its header is not whole. */
static bool conga_inner_dsfield(const struct sk_buff *skb, const struct conga_packet *packet,
				u8 *dsfield)
{
	int offset;
	__be16 protocol = conga_inner_network(skb, packet, &offset);
	union {
		struct iphdr	v4;
		struct ipv6hdr	v6;
	} buffer;
	const void *header = NULL;

	if (protocol == htons(ETH_P_IP)) {
		header = skb_header_pointer(skb, offset, sizeof(buffer.v4),
					    &buffer.v4);
		if (header)
			*dsfield = ipv4_get_dsfield(header);
	} else if (protocol == htons(ETH_P_IPV6)) {
		header = skb_header_pointer(skb, offset, sizeof(buffer.v6),
					    &buffer.v6);
		if (header)
			*dsfield = ipv6_get_dsfield(header);
	}
	return header;
}

/* conga_inner_dscp - the DSCP of the inner packet; CONGA_DSCP_NONE if it is not IP */
u8 conga_inner_dscp(const struct sk_buff *skb, const struct conga_packet *packet)
{
	u8 dsfield;

	return conga_inner_dsfield(skb, packet, &dsfield) ? dsfield >> CONGA_DSCP_SHIFT :
							    CONGA_DSCP_NONE;
}

/* conga_inner_ecn_any - conga_inner_ecn() of packets of IPv6, with VLAN tags or in pieces
 *
 * The kernel's tunnels look for IP behind VLAN tags, as this does, but read the field in front
 * of them: what they do to a tagged packet depends on its VLAN. They do nothing if the
 * outer field is Not-ECT.
 */
u8 conga_inner_ecn_any(const struct sk_buff *skb, const struct conga_packet *packet)
{
	u8 dsfield;

	return conga_inner_dsfield(skb, packet, &dsfield) ? dsfield & INET_ECN_MASK :
							    INET_ECN_NOT_ECT;
}
