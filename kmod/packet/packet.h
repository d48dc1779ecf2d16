/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_PACKET_H
#define _CONGA_PACKET_H

/* Inline, because every hook function finds VXLAN in every packet, and conga_tx(),
 * conga_link() and conga_rx() write its first word; with entropy and ecn, conga_tx() and
 * conga_rx() also write a port and an ECN field.
 */
#include <linux/if_ether.h>
#include <linux/if_vlan.h>
#include <linux/in6.h>
#include <linux/ip.h>
#include <linux/skbuff.h>
#include <linux/udp.h>
#include <net/checksum.h>
#include <net/inet_ecn.h>
#include <net/ip.h>
#include <net/ipv6.h>

#include "packet/dstports.h"
#include "paper/wire.h"

/* A variable that is set step by step, and that the compiler need not zero before (as
 * CONFIG_INIT_STACK_ALL_ZERO asks of it): it is too large for that at every packet.
 */
#ifndef __uninitialized
#if __has_attribute(__uninitialized__)
#define __uninitialized	__attribute__((__uninitialized__))
#else
#define __uninitialized
#endif
#endif

#define CONGA_VXLAN_HLEN	8

enum conga_packet_kind {
	CONGA_PACKET_OTHER,	/* not to a VXLAN port, or a later fragment */
	CONGA_PACKET_TRUNCATED,	/* to a VXLAN port, too short for the header */
	CONGA_PACKET_VXLAN,
};

struct conga_vxlan {
	__be32	word;
	__be32	vni;
};

#define CONGA_VXLAN_MIN	(sizeof(struct udphdr) + sizeof(struct conga_vxlan))

/* IPv4 without options, in one piece: the first headers of nearly all packets */
struct conga_packet_plain4 {
	struct iphdr		ip;
	struct udphdr		udp;
	struct conga_vxlan	vxlan;
};

/* A VXLAN header that was found. Offsets count from skb->data and, unlike pointers, survive
 * a reallocation.
 */
struct conga_packet {
	int	network;	/* outer IP header */
	int	udp;		/* outer UDP header */
	bool	v6;
	bool	plain4;		/* struct conga_packet_plain4, in the linear part */
	__be16	dstport;	/* outer */
	u8	port;		/* bit of dstport, by conga_dstports_bit() */
	u32	word;		/* first word of the VXLAN header, host order */
	u32	vni;		/* second word */
};

/* What an skb is on the wire. It is returned in one register. */
struct conga_on_wire {
	u32	frames;
	u32	bytes;
};

/* A flow inside the tunnel, as an operator names it */
struct conga_flow {
	struct in6_addr	source;		/* IPv4 mapped */
	struct in6_addr	destination;
	bool		v6;
	u8		protocol;
	__be16		sport;		/* of TCP and UDP, else 0 */
	__be16		dport;
};

enum conga_packet_kind
conga_packet_find_any(struct conga_packet *packet, const struct sk_buff *skb,
		      __be16 protocol, const struct conga_dstports *ports);
bool conga_packet_make_private(struct sk_buff *skb, int length);
void conga_packet_fix_csum(struct sk_buff *skb, const struct conga_packet *packet,
			   struct udphdr *udp, __be32 from, __be32 to);
void conga_packet_sport_range(const struct sk_buff *skb, const struct net *net,
			      int *min, int *max);
bool conga_packet_write_ecn_any(struct sk_buff *skb,
				const struct conga_packet *packet, u8 ecn);
void conga_packet_write_held(struct sk_buff *held, struct udphdr *udp,
			     __be32 word);
bool conga_packet_read(const struct sk_buff *skb, int offset,
		       struct conga_packet *packet);
void conga_packet_source_any(const struct sk_buff *skb,
			     const struct conga_packet *packet,
			     struct in6_addr *addr);
void conga_packet_destination_any(const struct sk_buff *skb,
				  const struct conga_packet *packet,
				  struct in6_addr *addr);
__be16 conga_inner_network(const struct sk_buff *skb,
			   const struct conga_packet *packet, int *offset);
u8 conga_inner_dscp(const struct sk_buff *skb,
		    const struct conga_packet *packet);
u8 conga_inner_ecn_any(const struct sk_buff *skb,
		       const struct conga_packet *packet);

/* conga_packet_is_linear - are these bytes, from skb->data + @offset on, in the linear part? */
static inline bool conga_packet_is_linear(const struct sk_buff *skb, int offset, int length)
{
	return offset + length <= skb_headlen(skb);
}

static inline bool conga_packet_is_plain4(const struct iphdr *ip)
{
	return ip->version == 4 && ip->ihl == sizeof(*ip) / 4 &&
	       ip->protocol == IPPROTO_UDP && !(ip->frag_off & htons(IP_OFFSET));
}

/* conga_packet_is_joined - may the packet have more VXLAN headers than the first?
 *
 * Packets joined within a tunnel have one outer header; their gso_type says so.
 */
static inline bool conga_packet_is_joined(const struct sk_buff *skb)
{
	return (skb_shinfo(skb)->gso_type &
		(SKB_GSO_UDP_L4 | SKB_GSO_UDP_TUNNEL |
		 SKB_GSO_UDP_TUNNEL_CSUM)) == SKB_GSO_UDP_L4;
}

/* Reads the header where both headers before it were found; it may be cut off. */
static __always_inline enum conga_packet_kind
conga_packet_judge(struct conga_packet *packet, const struct udphdr *udp,
		   const struct conga_vxlan *vxlan,
		   const struct conga_dstports *ports)
{
	packet->port = conga_dstports_bit(ports, udp->dest);
	if (!packet->port)
		return CONGA_PACKET_OTHER;
	packet->dstport = udp->dest;
	if (!vxlan || (ntohs(udp->len) < CONGA_VXLAN_MIN && udp->len))
		return CONGA_PACKET_TRUNCATED;
	packet->word = be32_to_cpu(vxlan->word);
	packet->vni = be32_to_cpu(vxlan->vni);
	return CONGA_PACKET_VXLAN;
}

/**
 * conga_packet_find - is this VXLAN? If it is, read its header
 * @packet: filled in if it is
 * @skb: network header set
 * @protocol: of the network header
 * @ports: the fabric's
 *
 * The first of several fragments has the header, the others do not. Nearly all
 * packets are IPv4 without options, in one piece: these need only one read.
 */
static __always_inline enum conga_packet_kind
conga_packet_find(struct conga_packet *packet, const struct sk_buff *skb,
		  __be16 protocol, const struct conga_dstports *ports)
{
	const struct conga_packet_plain4 *plain;

	packet->network = skb_network_offset(skb);
	packet->plain4 = false;
	packet->v6 = protocol == htons(ETH_P_IPV6);
	if (likely(protocol == htons(ETH_P_IP))) {
		plain = (const void *)skb->data + packet->network;
		if (likely(conga_packet_is_linear(skb, packet->network, sizeof(*plain)) &&
			   conga_packet_is_plain4(&plain->ip))) {
			packet->plain4 = true;
			packet->udp = packet->network + sizeof(plain->ip);
			return conga_packet_judge(packet, &plain->udp,
						  &plain->vxlan, ports);
		}
	}
	return conga_packet_find_any(packet, skb, protocol, ports);
}

/* The headers of a packet whose .plain4 is set */
static inline const struct conga_packet_plain4 *
conga_packet_plain4(const struct sk_buff *skb, const struct conga_packet *packet)
{
	return (const void *)skb->data + packet->network;
}

/* conga_packet_source - the outer source; IPv4 as ::ffff:a.b.c.d */
static inline void conga_packet_source(const struct sk_buff *skb,
				       const struct conga_packet *packet,
				       struct in6_addr *addr)
{
	if (packet->plain4)
		ipv6_addr_set_v4mapped(conga_packet_plain4(skb, packet)->ip.saddr,
				       addr);
	else
		conga_packet_source_any(skb, packet, addr);
}

/* conga_packet_destination - the outer destination, likewise */
static inline void conga_packet_destination(const struct sk_buff *skb,
					    const struct conga_packet *packet,
					    struct in6_addr *addr)
{
	if (packet->plain4)
		ipv6_addr_set_v4mapped(conga_packet_plain4(skb, packet)->ip.daddr,
				       addr);
	else
		conga_packet_destination_any(skb, packet, addr);
}

/* conga_packet_vxlan - offset of the VXLAN header */
static inline int conga_packet_vxlan(const struct conga_packet *packet)
{
	return packet->udp + sizeof(struct udphdr);
}

/* conga_inner_start - the offset of the first byte behind the VXLAN header */
static inline int conga_inner_start(const struct conga_packet *packet)
{
	return conga_packet_vxlan(packet) + CONGA_VXLAN_HLEN;
}

/* conga_packet_reaches - is the VXLAN header within so many bytes from @begin on?
 *
 * @length is IP's own of the packet, which is 0 in one that is larger than it can say.
 */
static inline bool conga_packet_reaches(const struct conga_packet *packet,
					int begin, __be16 length)
{
	return !length || begin + ntohs(length) >= conga_inner_start(packet);
}

bool conga_packet_whole_any(const struct sk_buff *skb,
			    const struct conga_packet *packet);

/* conga_packet_whole - is the VXLAN header within what IP says is the packet?
 *
 * The IP layer ensures that, but a port also sends packets that did not pass the IP layer.
 */
static inline bool conga_packet_whole(const struct sk_buff *skb,
				      const struct conga_packet *packet)
{
	if (packet->plain4)
		return conga_packet_reaches(packet, packet->network,
					    conga_packet_plain4(skb, packet)->ip.tot_len);
	return conga_packet_whole_any(skb, packet);
}

/* conga_packet_find_stamped - is a packet that leaves by a port stamped, or may one of its
 * datagrams be stamped?
 */
static __always_inline bool
conga_packet_find_stamped(struct conga_packet *packet, const struct sk_buff *skb,
			  const struct conga_dstports *dstports)
{
	return conga_packet_find(packet, skb, vlan_get_protocol(skb),
				 dstports) == CONGA_PACKET_VXLAN &&
	       (conga_wire_stamped(packet->word, packet->vni) ||
		unlikely(conga_packet_is_joined(skb))) &&
	       conga_packet_whole(skb, packet);
}

/* Are the first @length bytes writable, if need be after a copy? */
static inline bool conga_packet_writable(struct sk_buff *skb, int length)
{
	return likely(!skb_cloned(skb) && length <= skb_headlen(skb)) ||
	       conga_packet_make_private(skb, length);
}

/*
 * conga_packet_write - replace the first word of the VXLAN header
 *
 * False, with the packet as it was, if its header cannot be made writable.
 * Pointers into the packet are void afterwards, @packet stays good.
 */
static inline bool conga_packet_write(struct sk_buff *skb,
				      struct conga_packet *packet, u32 word)
{
	struct conga_vxlan *vxlan;
	struct udphdr *udp;
	__be32 from;

	if (word == packet->word)
		return true;
	if (!conga_packet_writable(skb, conga_inner_start(packet)))
		return false;
	udp = (void *)skb->data + packet->udp;
	vxlan = (void *)(udp + 1);
	from = vxlan->word;
	vxlan->word = cpu_to_be32(word);
	if (unlikely(udp->check || skb->ip_summed == CHECKSUM_COMPLETE))
		conga_packet_fix_csum(skb, packet, udp, from, vxlan->word);
	packet->word = word;
	return true;
}

u8 conga_packet_tos_any(const struct sk_buff *skb, const struct conga_packet *packet);
u16 conga_packet_sport(const struct sk_buff *skb, const struct conga_packet *packet);

/* conga_packet_tos - DSCP and ECN of the outer header */
static inline u8 conga_packet_tos(const struct sk_buff *skb,
				  const struct conga_packet *packet)
{
	if (likely(packet->plain4))
		return conga_packet_plain4(skb, packet)->ip.tos;
	return conga_packet_tos_any(skb, packet);
}

/*
 * conga_packet_write_sport - replace the UDP source port
 *
 * It returns what conga_packet_write() returns. A hash of the outer header is void
 * afterwards.
 */
static inline bool conga_packet_write_sport(struct sk_buff *skb,
					    const struct conga_packet *packet, u16 port)
{
	struct udphdr *udp;
	__be16 from;

	if (!conga_packet_writable(skb, conga_packet_vxlan(packet)))
		return false;
	udp = (void *)skb->data + packet->udp;
	from = udp->source;
	udp->source = htons(port);
	if (udp->check || skb->ip_summed == CHECKSUM_COMPLETE)
		conga_packet_fix_csum(skb, packet, udp, (__force __be32)from,
				      (__force __be32)udp->source);
	skb_clear_hash(skb);
	return true;
}

/*
 * conga_packet_write_ecn - replace the ECN field of the outer header, which is @from
 *
 * It returns what conga_packet_write() returns. UDP's checksum does not cover the field. Of
 * joined datagrams it is the field of all.
 */
static inline bool conga_packet_write_ecn(struct sk_buff *skb,
					  const struct conga_packet *packet, u8 from, u8 to)
{
	struct iphdr *ip;
	u32 check;

	if (unlikely(!packet->plain4 || skb_cloned(skb)))
		return conga_packet_write_ecn_any(skb, packet, to);
	ip = (struct iphdr *)(skb->data + packet->network);
	ip->tos ^= from ^ to;
	/* As IP_ECN_set_ce() does: what the sum of the header loses, the checksum gets. */
	check = (__force u16)ip->check +
		(__force u16)htons(from >= to ? from - to : U16_MAX - (to - from));
	ip->check = (__force __sum16)(check + (check >= U16_MAX));
	return true;
}

/* The first headers inside nearly all packets */
struct conga_inner_plain4 {
	struct ethhdr		eth;
	struct iphdr		ip;
} __packed;

/* conga_inner_ecn - the ECN field of the inner packet; Not-ECT if it is not IP */
static inline u8 conga_inner_ecn(const struct sk_buff *skb,
				 const struct conga_packet *packet)
{
	const struct conga_inner_plain4 *plain;

	plain = (const void *)skb->data + conga_inner_start(packet);
	if (likely(conga_packet_is_linear(skb, conga_inner_start(packet), sizeof(*plain)) &&
		   !conga_wire_gpe(packet->word) && plain->eth.h_proto == htons(ETH_P_IP)))
		return plain->ip.tos & INET_ECN_MASK;
	return conga_inner_ecn_any(skb, packet);
}

bool conga_packet_to_link(const struct sk_buff *skb,
			  const struct conga_packet *packet);
u8 conga_packet_hops(const struct sk_buff *skb,
		     const struct conga_packet *packet);
bool conga_packet_segments_fit(const struct sk_buff *skb, unsigned int mtu);
struct conga_on_wire conga_packet_segments(const struct sk_buff *skb);

/* conga_packet_fits - does the packet, or each of its segments, fit? */
static inline bool conga_packet_fits(const struct sk_buff *skb, unsigned int mtu)
{
	return skb->len <= mtu || conga_packet_segments_fit(skb, mtu);
}

/* conga_packet_on_wire - the number of frames and bytes of an skb on the wire */
static inline struct conga_on_wire conga_packet_on_wire(const struct sk_buff *skb)
{
	if (skb_is_gso(skb))
		return conga_packet_segments(skb);
	return (struct conga_on_wire) { .frames = 1, .bytes = skb->len };
}

#endif /* _CONGA_PACKET_H */
