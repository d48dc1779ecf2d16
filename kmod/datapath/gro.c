// SPDX-License-Identifier: GPL-2.0
/*
 * GRO: before the kernel merges what a device received. Its GRO merges
 * packets of a flow if their VXLAN headers are equal, but each link on the way
 * writes its load into each packet: a burst whose CE changes half way would be
 * delivered in pieces, and out of order, since a piece that is complete overtakes
 * one that still waits for more. So what is held takes over the CE of the packet
 * that comes, the newer one, and both are equal. So with the queue in byte 3, if the
 * policy marks packets. Whatever else differs still separates them: an LBTag or
 * feedback is never lost.
 *
 * There is no hook before GRO. While any namespace has a fabric, the offload of
 * UDP is one that looks at the packets and goes on as the kernel's own.
 */
#include <linux/ip.h>
#include <linux/rtnetlink.h>
#include <linux/udp.h>
#include <net/gro.h>
#include <net/protocol.h>

#include "datapath/gro.h"
#include "objects/fabric.h"
#include "packet/packet.h"
#include "paper/wire.h"

struct conga_gro_headers {
	struct udphdr	udp;
	__be32		word;	/* of the VXLAN header, as in struct conga_packet */
	__be32		vni;
};

/* The kernel's offload, and ours in its place. Written under the RTNL; packets read
 * them under RCU, as they do inet_offloads.
 */
struct conga_gro_offload {
	struct net_offload		ours;
	const struct net_offload	*stock;
};

static struct conga_gro_offload conga_gro4, conga_gro6;
static unsigned int conga_gro_fabrics;	/* by RTNL */

/* What links on the way write into a packet to this port; nothing if it is not ours. */
static u32 conga_gro_mask(const struct net *net, const struct conga_gro_headers *headers)
{
	struct conga_fabric *fabric = rcu_dereference(conga_net(net)->fabric);
	const struct conga_params *params;
	u32 word = be32_to_cpu(headers->word), mask;

	if (!fabric)
		return 0;
	params = rcu_dereference(fabric->params);
	if (!conga_dstports_bit(&params->dstports, headers->udp.dest))
		return 0;
	mask = conga_wire_ce_mask(word);
	if (params->policy->mark)
		mask |= conga_wire_reserved(word) & CONGA_WIRE_BYTE3_MASK;
	return mask;
}

/* Are these stamped packets of one flow, which differ in what links write alone? */
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

/* Not inlined: most often the words are equal, which takes a few instructions. */
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

/* Those held that may be of the packet's flow are marked by now. Their headers are
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

/* conga_gro_get - there is a fabric more */
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

/* conga_gro_put - the caller waits for a grace period before the module may go */
void conga_gro_put(void)
{
	ASSERT_RTNL();
	if (--conga_gro_fabrics)
		return;
	conga_gro_restore(&conga_gro4, &inet_offloads[IPPROTO_UDP]);
	conga_gro_restore(&conga_gro6, &inet6_offloads[IPPROTO_UDP]);
}
