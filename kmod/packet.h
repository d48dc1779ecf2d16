/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_PACKET_H
#define _CONGA_PACKET_H

#include <linux/in6.h>
#include <linux/skbuff.h>
#include <linux/udp.h>

#include "fabric.h"

#define CONGA_VXLAN_HLEN	8

enum conga_packet_kind {
	CONGA_PACKET_OTHER,	/* not to a VXLAN port, or a later fragment */
	CONGA_PACKET_TRUNCATED,	/* to a VXLAN port, too short for the header */
	CONGA_PACKET_VXLAN,
};

/* A VXLAN header that was found. Offsets count from skb->data and survive
 * reallocation, which pointers would not.
 */
struct conga_packet {
	int	network;	/* outer IP header */
	int	udp;		/* outer UDP header */
	bool	v6;
	__be16	dstport;	/* outer */
	u32	word;		/* first word of the VXLAN header, host order */
	u32	vni;		/* second word */
};

/* A flow inside the tunnel, as an operator names it. */
struct conga_flow {
	struct in6_addr	source;		/* IPv4 mapped */
	struct in6_addr	destination;
	bool		v6;
	u8		protocol;
	__be16		sport;		/* of TCP and UDP, else 0 */
	__be16		dport;
};

enum conga_packet_kind conga_packet_find(struct conga_packet *packet,
					 const struct sk_buff *skb,
					 __be16 protocol,
					 const struct conga_params *params);
bool conga_packet_write(struct sk_buff *skb, struct conga_packet *packet,
			u32 word);
void conga_packet_sport_range(const struct sk_buff *skb, const struct net *net,
			      int *min, int *max);
bool conga_packet_write_sport(struct sk_buff *skb,
			      const struct conga_packet *packet, u16 port);
void conga_packet_write_held(struct sk_buff *held, struct udphdr *udp,
			     __be32 word);
bool conga_packet_clear_all(struct sk_buff *skb, struct conga_packet *packet,
			    bool *cleared);
void conga_packet_source(const struct sk_buff *skb,
			 const struct conga_packet *packet,
			 struct in6_addr *addr);
void conga_packet_destination(const struct sk_buff *skb,
			      const struct conga_packet *packet,
			      struct in6_addr *addr);
__be16 conga_inner_network(const struct sk_buff *skb,
			   const struct conga_packet *packet, int *offset);
u8 conga_inner_dscp(const struct sk_buff *skb,
		    const struct conga_packet *packet);
u32 conga_packet_flow_hash(const struct sk_buff *skb,
			   const struct conga_packet *packet, u32 seed);
u32 conga_flow_hash(const struct conga_flow *flow, u32 seed);
bool conga_flow_has_ports(u8 protocol);

/* conga_packet_linear - bytes at hand without a copy; NULL if any lies elsewhere */
static inline const void *conga_packet_linear(const struct sk_buff *skb,
					      int offset, int length)
{
	return offset + length <= skb_headlen(skb) ? skb->data + offset : NULL;
}

/* conga_inner_start - offset of what follows the VXLAN header */
static inline int conga_inner_start(const struct conga_packet *packet)
{
	return packet->udp + sizeof(struct udphdr) + CONGA_VXLAN_HLEN;
}

bool conga_packet_to_link(const struct sk_buff *skb,
			  const struct conga_packet *packet);
u8 conga_packet_hops(const struct sk_buff *skb,
		     const struct conga_packet *packet);
bool conga_packet_fits(const struct sk_buff *skb, unsigned int mtu);
void conga_packet_segments(const struct sk_buff *skb, u32 *frames, u32 *bytes);

/* conga_packet_on_wire - frames and bytes that an skb at a port becomes */
static inline void conga_packet_on_wire(const struct sk_buff *skb, u32 *frames,
					u32 *bytes)
{
	if (skb_is_gso(skb)) {
		conga_packet_segments(skb, frames, bytes);
		return;
	}
	*frames = 1;
	*bytes = skb->len;
}

#endif /* _CONGA_PACKET_H */
