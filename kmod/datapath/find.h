/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_FIND_H
#define _CONGA_FIND_H

/* The leaf of a packet, by its outer addresses. Inline, because tx, rx and forward look for
 * one at every packet.
 */
#include "objects/leaf_table.h"
#include "packet/packet.h"

/* find.c */
struct conga_leaf *conga_find_source_any(struct conga_fabric *fabric, const struct sk_buff *skb,
					 const struct conga_packet *packet);
struct conga_leaf *conga_find_destination_any(struct conga_fabric *fabric,
					      const struct sk_buff *skb,
					      const struct conga_packet *packet);

/* conga_find_source - the leaf that sent the packet, NULL if it is not known; RCU */
static inline struct conga_leaf *conga_find_source(struct conga_fabric *fabric,
						   const struct sk_buff *skb,
						   const struct conga_packet *packet)
{
	if (likely(packet->plain4))
		return conga_leaf_find4(fabric, conga_packet_plain4(skb, packet)->ip.saddr);
	return conga_find_source_any(fabric, skb, packet);
}

/* conga_find_destination - the leaf that it goes to, likewise */
static inline struct conga_leaf *conga_find_destination(struct conga_fabric *fabric,
							const struct sk_buff *skb,
							const struct conga_packet *packet)
{
	if (likely(packet->plain4))
		return conga_leaf_find4(fabric, conga_packet_plain4(skb, packet)->ip.daddr);
	return conga_find_destination_any(fabric, skb, packet);
}

#endif /* _CONGA_FIND_H */
