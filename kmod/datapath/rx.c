// SPDX-License-Identifier: GPL-2.0
/*
 * The rx hook: LOCAL_IN, before the tunnel, which drops packets with unknown reserved bits.
 * IPv4 is reassembled here; the first fragment of an IPv6 packet must have the header, or
 * it is counted as truncated: then the tunnel gets the stamp, and drops the packet. A
 * stamped packet from any sender is cleared and delivered; the module learns only from
 * packets that a known conga leaf sent over a port.
 */
#include <linux/ipv6.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <net/inet_ecn.h>
#include <net/ip.h>

#include "control/announce.h"
#include "control/control.h"
#include "control/control_read.h"
#include "datapath/find.h"
#include "datapath/mark.h"
#include "datapath/rx.h"
#include "objects/leaf.h"
#include "objects/port.h"
#include "packet/ipsec.h"
#include "packet/joined.h"
#include "packet/packet.h"
#include "trace.h"

static void conga_rx_count(const struct conga_fabric *fabric,
			   enum conga_attr_stats counter)
{
	conga_stats_inc(fabric->stats, counter);
}

/* VXLAN without our stamp passes untouched; malformed packets are counted. */
static void conga_rx_count_unstamped(const struct conga_fabric *fabric,
				     const struct conga_packet *packet)
{
	if (!(packet->word & CONGA_VXLAN_FLAG_VNI))
		conga_rx_count(fabric, CONGA_A_STATS_RX_MALFORMED);
	else if (!conga_wire_blank(packet->word, packet->vni))
		conga_rx_count(fabric, CONGA_A_STATS_RX_FOREIGN);
}

/* The device by which the packet came in, even if a VRF has replaced it. */
static int conga_rx_ifindex(const struct sk_buff *skb,
			    const struct conga_packet *packet)
{
	return packet->v6 ? IP6CB(skb)->iif : IPCB(skb)->iif;
}

/* Did a known leaf send this packet, and did it come in by a port? If not, one of two
 * counters counts it.
 */
static __always_inline bool
conga_rx_source(struct conga_control_source *source, enum conga_attr_stats not_port,
		enum conga_attr_stats unknown_leaf)
{
	struct conga_fabric *fabric = source->fabric;

	source->port = conga_port_find(fabric, conga_rx_ifindex(source->skb,
								source->packet));
	if (!source->port) {
		conga_rx_count(fabric, not_port);
		return false;
	}
	source->leaf = conga_find_source(fabric, source->skb, source->packet);
	if (!source->leaf)
		conga_rx_count(fabric, unknown_leaf);
	return source->leaf;
}

/* May the module learn from the sender? */
static __always_inline bool conga_rx_teacher(struct conga_control_source *source)
{
	if (!conga_rx_source(source, CONGA_A_STATS_RX_NOT_PORT,
			     CONGA_A_STATS_RX_UNKNOWN_LEAF))
		return false;
	if (conga_leaf_is_conga(source->leaf))
		return true;
	conga_rx_count(source->fabric, CONGA_A_STATS_RX_PLAIN_LEAF);
	return false;
}

static void conga_rx_take_feedback(const struct conga_control_source *source,
				   const struct conga_stamp *stamp, u64 now)
{
	if (!conga_port_uplink(source->fabric, stamp->fb_tag)) {
		conga_rx_count(source->fabric, CONGA_A_STATS_FEEDBACK_IGNORED);
		return;
	}
	conga_toleaf_learn(&source->leaf->to, stamp->fb_tag, stamp->fb_metric,
			   now);
	trace_conga_feedback(source->leaf, stamp->fb_tag, stamp->fb_metric, false);
	conga_rx_count(source->fabric, CONGA_A_STATS_FEEDBACK_RECEIVED);
}

/* The metric by the marks of nodes without conga. An skb of joined datagrams is counted one by
 * one, and any other with all packets that GRO merged in it.
 */
static __always_inline u8 conga_rx_marks(const struct conga_control_source *source, u8 tag, u64 now)
{
	struct conga_ecn *ecn = &source->leaf->ecn;
	bool marked = INET_ECN_is_ce(source->ecn);
	u32 packets;

	if (!conga_leaf_has_ecn(source->leaf))
		return 0;
	conga_rx_count(source->fabric, CONGA_A_STATS_ECN_RECEIVED);
	if (marked)
		conga_rx_count(source->fabric, CONGA_A_STATS_ECN_MARKED);
	if (likely(!conga_ecn_is_news(ecn, tag, marked)))
		return 0;
	packets = source->length ? 1 : max_t(u32, skb_shinfo(source->skb)->gso_segs, 1);
	return conga_ecn_learn(ecn, tag, packets, marked, &source->params->ecn_memory, now);
}

/* Section 3.3: CE into the from-leaf table, feedback into the to-leaf table. */
static __always_inline void conga_rx_learn(const struct conga_control_source *source)
{
	const struct conga_params *params = source->params;
	struct conga_leaf *leaf = source->leaf;
	struct conga_stamp stamp __uninitialized;
	u64 now = ktime_get_ns();

	conga_wire_read(&stamp, source->packet->word, params->q);
	if (unlikely(source->ecn))
		stamp.ce = max(stamp.ce, conga_rx_marks(source, stamp.tag, now));
	conga_fromleaf_learn(&leaf->from, stamp.tag, stamp.ce, now);
	conga_rx_count(source->fabric, CONGA_A_STATS_RX_LEARNT);
	if (stamp.feedback)
		conga_rx_take_feedback(source, &stamp, now);
	if (unlikely(params->policy->extension.absorb))
		conga_mark_learn(source, now);
	if (params->explicit_feedback &&
	    conga_fromleaf_overdue(&leaf->from, stamp.tag, now, params->tage))
		conga_control_feedback(source, now);
}

/* A packet that UDP will drop, because IPsec policies reject it, must not be learnt from. */
static __always_inline bool
conga_rx_admits(const struct conga_control_source *source, enum conga_attr_stats counter)
{
	/* The check only reads headers. */
	if (conga_ipsec_admits((struct sk_buff *)source->skb, source->packet->v6))
		return true;
	conga_rx_count(source->fabric, counter);
	return false;
}

/* Any node at the link may have sent it, a spine, too. */
static void conga_rx_link(struct conga_control_source *source)
{
	source->port = conga_port_find(source->fabric,
				       conga_rx_ifindex(source->skb,
							source->packet));
	if (source->port)
		conga_announce_receive(source);
	else
		conga_rx_count(source->fabric, CONGA_A_STATS_CONTROL_NOT_PORT);
}

static noinline void conga_rx_control(struct conga_control_source *source)
{
	conga_rx_count(source->fabric, CONGA_A_STATS_RX_CONTROL);
	if (!conga_rx_admits(source, CONGA_A_STATS_CONTROL_XFRM))
		return;
	if (conga_packet_to_link(source->skb, source->packet))
		conga_rx_link(source);
	else if (conga_rx_source(source, CONGA_A_STATS_CONTROL_NOT_PORT,
				 CONGA_A_STATS_CONTROL_UNKNOWN_LEAF))
		conga_control_receive(source);
}

static unsigned int conga_rx_consume(struct sk_buff *skb)
{
	consume_skb(skb);
	return NF_STOLEN;
}

static __always_inline void conga_rx_data(struct conga_control_source *source)
{
	conga_rx_count(source->fabric, CONGA_A_STATS_RX_STAMPED);
	if (conga_rx_teacher(source) && conga_rx_admits(source, CONGA_A_STATS_RX_XFRM))
		conga_rx_learn(source);
}

static u8 conga_rx_ecn(const struct sk_buff *skb, const struct conga_packet *packet)
{
	return conga_packet_tos(skb, packet) & INET_ECN_MASK;
}

/* Tunnels drop a packet that is marked outside and Not-ECT inside, and log one that is ECT
 * outside alone (RFC 6040). A leaf with ecn sends ECT whatever is inside, so the field
 * is put back to what the sender's tunnel wrote, whether ecn is on here or not: packets may be
 * on the way when it is switched off. Where ECN is used inside, the mark stays for the tunnel to
 * pass it on. Joined datagrams share one field, unless they are a fraglist: if one of them is
 * Not-ECT, the mark of the others is lost, rather than the one. False if the header cannot be
 * written. @joined is NULL for a single packet.
 */
static __always_inline bool
conga_rx_restore(const struct conga_control_source *source, struct sk_buff *skb,
		 struct conga_joined *joined)
{
	if (likely(!source->ecn))
		return true;
	if (!INET_ECN_is_not_ect(conga_inner_ecn(skb, source->packet)))
		return true;
	if (!(joined ? conga_joined_write_ecn(joined, INET_ECN_NOT_ECT) :
		       conga_packet_write_ecn(skb, source->packet, source->ecn,
					      INET_ECN_NOT_ECT)))
		return false;
	if (INET_ECN_is_ce(source->ecn))
		conga_rx_count(source->fabric, CONGA_A_STATS_ECN_RESTORED);
	return true;
}

static __always_inline unsigned int
conga_rx_stamped(struct conga_fabric *fabric, struct sk_buff *skb, struct conga_packet *packet,
		 const struct conga_params *params)
{
	struct conga_control_source source = {
		.fabric	= fabric,
		.params	= params,
		.skb	= skb,
		.packet	= packet,
		.ecn	= conga_rx_ecn(skb, packet),
	};

	if (unlikely(conga_wire_control(packet->vni))) {
		conga_rx_control(&source);
		return conga_rx_consume(skb);
	}
	conga_rx_data(&source);
	if (!conga_rx_restore(&source, skb, NULL) ||
	    !conga_packet_write(skb, packet, conga_wire_clear(packet->word)))
		conga_rx_count(fabric, CONGA_A_STATS_RX_NOMEM);
	return NF_ACCEPT;
}

/* --- datagrams that were joined on their way --- */

static bool conga_rx_is_stamped(const struct conga_packet *packet)
{
	return conga_wire_stamped(packet->word, packet->vni);
}

/* A leaf never sends control packets and data in one flow: a datagram of another kind than
 * the first is not trusted.
 */
static void conga_rx_odd(const struct conga_control_source *source)
{
	conga_rx_count(source->fabric, CONGA_A_STATS_CONTROL_MALFORMED);
}

/* After each is read, all of them are consumed together. */
static unsigned int conga_rx_joined_control(struct conga_control_source *source,
					    struct conga_joined *joined)
{
	do {
		conga_rx_count(source->fabric, CONGA_A_STATS_RX_JOINED);
		source->length = joined->length;
		if (conga_rx_is_stamped(source->packet) &&
		    conga_wire_control(source->packet->vni))
			conga_rx_control(source);
		else
			conga_rx_odd(source);
	} while (conga_joined_next(joined));
	return conga_rx_consume(joined->skb);
}

static noinline void conga_rx_joined_data(struct conga_control_source *source,
					  struct conga_joined *joined)
{
	const struct conga_packet *packet = source->packet;

	if (!conga_rx_is_stamped(packet)) {
		conga_rx_count_unstamped(source->fabric, packet);
		return;
	}
	conga_rx_count(source->fabric, CONGA_A_STATS_RX_JOINED);
	source->ecn = conga_joined_ecn(joined);
	if (conga_wire_control(packet->vni))
		conga_rx_odd(source);
	else
		conga_rx_data(source);
	if (!conga_rx_restore(source, joined->skb, joined) ||
	    !conga_joined_write(joined, conga_wire_clear(packet->word)))
		conga_rx_count(source->fabric, CONGA_A_STATS_RX_NOMEM);
}

/* Each datagram is read, and cleared, as if it had come alone. */
static noinline unsigned int conga_rx_joined(struct conga_fabric *fabric,
					     struct sk_buff *skb,
					     const struct conga_packet *first,
					     const struct conga_params *params)
{
	struct conga_joined joined;
	struct conga_control_source source = {
		.fabric	= fabric,
		.params	= params,
		.skb	= skb,
		.packet	= &joined.packet,
	};

	if (conga_joined_begin(&joined, skb, first)) {
		if (conga_rx_is_stamped(first) && conga_wire_control(first->vni))
			return conga_rx_joined_control(&source, &joined);
		do {
			conga_rx_joined_data(&source, &joined);
		} while (conga_joined_next(&joined));
	}
	if (joined.length)
		conga_rx_count(fabric, CONGA_A_STATS_RX_TRUNCATED);
	return NF_ACCEPT;
}

static __always_inline unsigned int
conga_rx_packet(struct conga_fabric *fabric, struct sk_buff *skb, const struct nf_hook_state *state)
{
	const struct conga_params *params = rcu_dereference(fabric->params);
	__be16 protocol = state->pf == NFPROTO_IPV6 ? htons(ETH_P_IPV6) :
						      htons(ETH_P_IP);
	struct conga_packet packet __uninitialized;

	lockdep_assert(in_softirq());
	switch (conga_packet_find(&packet, skb, protocol, &params->dstports)) {
	case CONGA_PACKET_OTHER:
		return NF_ACCEPT;
	case CONGA_PACKET_TRUNCATED:
		conga_rx_count(fabric, CONGA_A_STATS_RX_TRUNCATED);
		return NF_ACCEPT;
	case CONGA_PACKET_VXLAN:
		break;
	}
	if (unlikely(conga_packet_is_joined(skb)))
		return conga_rx_joined(fabric, skb, &packet, params);
	if (likely(conga_wire_stamped(packet.word, packet.vni)))
		return conga_rx_stamped(fabric, skb, &packet, params);
	conga_rx_count_unstamped(fabric, &packet);
	return NF_ACCEPT;
}

/* A packet that a userspace queue gives back comes in process context. */
unsigned int conga_rx(void *priv, struct sk_buff *skb,
		      const struct nf_hook_state *state)
{
	bool requeued = !in_softirq();
	unsigned int verdict;

	if (unlikely(requeued))
		local_bh_disable();
	verdict = conga_rx_packet(priv, skb, state);
	if (unlikely(requeued))
		local_bh_enable();
	return verdict;
}
