// SPDX-License-Identifier: GPL-2.0
/*
 * GRO: this code runs before the kernel merges received packets. The kernel's GRO merges
 * packets of a flow if their VXLAN headers are equal, but each link on the way writes its
 * load into each packet: a burst whose CE changes half way would be delivered in pieces,
 * and out of order, since a piece that is complete overtakes one that still waits for more.
 * So a held packet takes over the CE of the arriving packet, which is newer, and both are
 * equal. The same holds for other bits that links write for the policy. Any other
 * difference still separates packets: an LBTag or feedback is never lost.
 *
 * There is no hook before GRO. While any namespace has a fabric, the offload of UDP is a
 * function that looks at the packets and then calls the kernel's own.
 */
#include <linux/ip.h>
#include <linux/rtnetlink.h>
#include <linux/udp.h>
#include <net/gro.h>
#include <net/protocol.h>

#include "datapath/gro.h"
#include "datapath/mark.h"
#include "objects/fabric.h"
#include "packet/packet.h"
#include "paper/wire.h"

struct conga_gro_headers {
	struct udphdr	udp;
	__be32		word;	/* of the VXLAN header, as in struct conga_packet */
	__be32		vni;
};

/* The kernel's offload, and the one in its place. The writer holds the RTNL; packets read
 * both under RCU, as they read inet_offloads.
 */
struct conga_gro_offload {
	struct net_offload		ours;
	const struct net_offload	*stock;
};

static struct conga_gro_offload conga_gro4, conga_gro6;
static unsigned int conga_gro_fabrics;	/* guarded by the RTNL */

/* The bits that links on the way write into a packet to this port; 0 if it is not ours. */
static u32 conga_gro_mask(const struct net *net, const struct conga_gro_headers *headers)
{
	struct conga_fabric *fabric = rcu_dereference(conga_net(net)->fabric);
	const struct conga_params *params;
	u32 word = be32_to_cpu(headers->word);

	if (!fabric)
		return 0;
	params = rcu_dereference(fabric->params);
	if (!conga_dstports_bit(&params->dstports, headers->udp.dest))
		return 0;
	return conga_wire_ce_mask(word) | conga_mark_bits(params->policy, word);
}

/* Are these stamped packets of one flow that differ only in bits that links write? */
static bool conga_gro_alike(const struct conga_gro_headers *one,
			    const struct conga_gro_headers *other, u32 mask)
{
	u32 word = be32_to_cpu(one->word);
	u32 differs = word ^ be32_to_cpu(other->word);

	return one->udp.source == other->udp.source &&
	       one->udp.dest == other->udp.dest && one->vni == other->vni &&
	       conga_wire_stamped(word, be32_to_cpu(one->vni)) &&
	       !(differs & ~mask);
}

/* Not inlined: usually the words are equal, and comparing them takes a few instructions. */
static noinline void conga_gro_follow(struct sk_buff *held,
				      struct conga_gro_headers *headers,
				      const struct sk_buff *skb)
{
	const struct conga_gro_headers *next;
	struct conga_gro_headers buffer;

	next = skb_header_pointer(skb, skb_gro_offset(skb), sizeof(buffer),
				  &buffer);
	if (next && conga_gro_alike(headers, next,
				    conga_gro_mask(dev_net(skb->dev), next)))
		conga_packet_write_held(held, &headers->udp, next->word);
}

/* GRO has marked the held packets that may belong to the packet's flow. Their headers are
 * linear; those of the packet may still be in pages.
 */
static void conga_gro(struct list_head *list, const struct sk_buff *skb)
{
	unsigned int offset = skb_gro_offset(skb);
	unsigned int end = offset + sizeof(struct conga_gro_headers);
	const struct conga_gro_headers *next = (void *)skb->data + offset;
	struct conga_gro_headers *headers;
	struct sk_buff *held;

	list_for_each_entry(held, list, list) {
		headers = (void *)held->data + offset;
		if (!NAPI_GRO_CB(held)->same_flow || skb_headlen(held) < end ||
		    (skb_headlen(skb) >= end && headers->word == next->word))
			continue;
		conga_gro_follow(held, headers, skb);
	}
}

static struct sk_buff *conga_gro_receive4(struct list_head *list,
					  struct sk_buff *skb)
{
	conga_gro(list, skb);
	return conga_gro4.stock->callbacks.gro_receive(list, skb);
}

static struct sk_buff *conga_gro_receive6(struct list_head *list,
					  struct sk_buff *skb)
{
	conga_gro(list, skb);
	return conga_gro6.stock->callbacks.gro_receive(list, skb);
}

static void conga_gro_replace(struct conga_gro_offload *offload,
			      const struct net_offload __rcu **slot,
			      struct sk_buff *(*receive)(struct list_head *,
							 struct sk_buff *))
{
	offload->stock = rtnl_dereference(*slot);
	if (!offload->stock || !offload->stock->callbacks.gro_receive)
		return;
	offload->ours = *offload->stock;
	offload->ours.callbacks.gro_receive = receive;
	rcu_assign_pointer(*slot, &offload->ours);
}

static void conga_gro_restore(const struct conga_gro_offload *offload,
			      const struct net_offload __rcu **slot)
{
	if (rtnl_dereference(*slot) == &offload->ours)
		rcu_assign_pointer(*slot, offload->stock);
}

/* conga_gro_get - take a reference for one more fabric */
void conga_gro_get(void)
{
	ASSERT_RTNL();
	if (conga_gro_fabrics++)
		return;
	conga_gro_replace(&conga_gro4, &inet_offloads[IPPROTO_UDP],
			  conga_gro_receive4);
	conga_gro_replace(&conga_gro6, &inet6_offloads[IPPROTO_UDP],
			  conga_gro_receive6);
}

/* conga_gro_put - release it; the caller waits for a grace period before the module may go */
void conga_gro_put(void)
{
	ASSERT_RTNL();
	if (--conga_gro_fabrics)
		return;
	conga_gro_restore(&conga_gro4, &inet_offloads[IPPROTO_UDP]);
	conga_gro_restore(&conga_gro6, &inet6_offloads[IPPROTO_UDP]);
}
