// SPDX-License-Identifier: GPL-2.0
/* The leaf of a packet that is not plain IPv4. */
#include "datapath/find.h"

/* conga_find_source_any - like conga_find_source(), for any packet */
struct conga_leaf *conga_find_source_any(struct conga_fabric *fabric, const struct sk_buff *skb,
					 const struct conga_packet *packet)
{
	struct in6_addr addr;

	conga_packet_source(skb, packet, &addr);
	return conga_leaf_find(fabric, &addr);
}

/* conga_find_destination_any - like conga_find_destination(), for any packet */
struct conga_leaf *conga_find_destination_any(struct conga_fabric *fabric,
					      const struct sk_buff *skb,
					      const struct conga_packet *packet)
{
	struct in6_addr addr;

	conga_packet_destination(skb, packet, &addr);
	return conga_leaf_find(fabric, &addr);
}
