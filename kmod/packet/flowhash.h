/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_FLOWHASH_H
#define _CONGA_FLOWHASH_H

/*
 * The hash of the inner flow, which identifies its flowlets; flowhash.c says of what. Inline,
 * because tx and forward hash every packet.
 */
#include <linux/if_ether.h>
#include <linux/ip.h>

#include "packet/packet.h"
#include "paper/hash.h"
#include "paper/wire.h"

/* The first headers of nearly every inner packet */
struct conga_flowhash_plain4 {
	struct ethhdr	eth;
	struct iphdr	ip;
	__be32		ports;
} __packed;

u32 conga_flow_hash(const struct conga_flow *flow, u32 seed);
u32 conga_flowhash_any(const struct sk_buff *skb, const struct conga_packet *packet, u32 seed);

static inline bool conga_flow_has_ports(u8 protocol)
{
	return protocol == IPPROTO_TCP || protocol == IPPROTO_UDP;
}

static inline u32 conga_flowhash_words4(__be32 source, __be32 destination, u32 ports,
					u8 protocol, u32 seed)
{
	return conga_hash((u64)(__force u32)source << 32 | (__force u32)destination,
			  (u64)ports << 32 | protocol, seed);
}

static inline bool conga_flowhash_is_plain4(const struct conga_flowhash_plain4 *plain)
{
	return plain->eth.h_proto == htons(ETH_P_IP) &&
	       plain->ip.version == 4 && plain->ip.ihl == sizeof(plain->ip) / 4 &&
	       conga_flow_has_ports(plain->ip.protocol) &&
	       !(plain->ip.frag_off & htons(IP_MF | IP_OFFSET));
}

/**
 * conga_packet_flow_hash - 32 bits, the same for all packets of a flow
 * @skb: the packet
 * @packet: set by conga_packet_find()
 * @seed: the fabric's seed, mixed with all else that distinguishes flows
 */
static inline u32 conga_packet_flow_hash(const struct sk_buff *skb,
					 const struct conga_packet *packet, u32 seed)
{
	const struct conga_flowhash_plain4 *plain;

	plain = (const void *)skb->data + conga_inner_start(packet);
	if (likely(conga_packet_is_linear(skb, conga_inner_start(packet), sizeof(*plain)) &&
		   !conga_wire_gpe(packet->word) && conga_flowhash_is_plain4(plain)))
		return conga_flowhash_words4(plain->ip.saddr, plain->ip.daddr,
					     (__force u32)plain->ports,
					     plain->ip.protocol, seed);
	return conga_flowhash_any(skb, packet, seed);
}

#endif /* _CONGA_FLOWHASH_H */
