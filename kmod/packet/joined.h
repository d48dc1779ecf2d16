/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_JOINED_H
#define _CONGA_JOINED_H

#include "packet/packet.h"

/*
 * A walk over the VXLAN headers of one skb. Nearly every skb has one; UDP GRO, fraglist
 * GRO and UDP_SEGMENT make skbs of many datagrams, of which each has its own.
 *
 * @packet is the datagram at hand. From the second one on its @udp is eight bytes before
 * the VXLAN header, and no UDP header stands there.
 */
struct conga_joined {
	struct sk_buff		*skb;
	struct sk_buff		*part;	/* fraglist: skb of the datagram at hand, unless it is the
					 * first
					 */
	struct conga_packet	packet;
	unsigned int		size;	/* bytes behind the UDP header: of all but the last, */
	unsigned int		length;	/* and of the datagram at hand; 0 behind the last */
	unsigned int		index;
	unsigned int		headers; /* bytes of outer IP and UDP, of each datagram */
	u8			ecn;	/* outer field of the first, as it came */
	bool			list;	/* fraglist: each datagram has its own UDP header */
	bool			local;	/* of a local socket: frags may be its sender's pages */
	bool			owned;	/* no other owner has any of the bytes */
};

bool conga_joined_begin(struct conga_joined *joined, struct sk_buff *skb,
			const struct conga_packet *first);
bool conga_joined_next(struct conga_joined *joined);
bool conga_joined_write(struct conga_joined *joined, u32 word);
u8 conga_joined_ecn(const struct conga_joined *joined);
bool conga_joined_write_ecn(struct conga_joined *joined, u8 ecn);
bool conga_joined_clear(struct sk_buff *skb, const struct conga_packet *first,
			bool *cleared);
int conga_joined_take(struct sk_buff *skb, const struct conga_packet *first);

#endif /* _CONGA_JOINED_H */
