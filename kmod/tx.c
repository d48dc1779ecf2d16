// SPDX-License-Identifier: GPL-2.0
/*
 * The tx door: LOCAL_OUT, after all other chains. A VXLAN packet of a kernel
 * tunnel socket to a known leaf gets its uplink, its stamp and its route.
 * Whatever cannot be done leaves the packet to the kernel's own route.
 */
#include <linux/ktime.h>
#include <linux/netdevice.h>
#include <net/dst.h>
#include <net/l3mdev.h>
#include <net/sock.h>

#include "choose.h"
#include "datapath.h"
#include "leaf.h"
#include "packet.h"

/* What is found out and decided about one packet, step by step. */
struct conga_tx {
	struct conga_packet	packet;
	struct conga_choice	choice;
};

static void conga_tx_count(const struct conga_tx *tx,
			   enum conga_attr_stats counter)
{
	conga_stats_inc(tx->choice.fabric->stats, counter);
}

/* The kernel's tunnels send from kernel sockets, which processes cannot, and
 * from a device's transmit function, i.e. with BH disabled. Other kernel
 * sockets send for processes (rxrpc), but from process context.
 */
static bool conga_tx_from_tunnel(const struct nf_hook_state *state)
{
	return in_softirq() && state->sk && sk_fullsock(state->sk) &&
	       state->sk->sk_kern_sock;
}

/* A local process must not speak for this leaf. Its packet goes on without the
 * stamp; one whose stamp cannot be cleared, for want of memory, does not.
 */
static unsigned int conga_tx_clear_forged(struct conga_tx *tx,
					  struct sk_buff *skb)
{
	bool clean, forged;

	clean = conga_packet_clear_all(skb, &tx->packet, &forged);
	if (forged) {
		local_bh_disable();
		conga_tx_count(tx, CONGA_A_STATS_TX_FORGED);
		local_bh_enable();
	}
	return clean ? NF_ACCEPT : NF_DROP;
}

/* Did the user exempt such traffic? */
static bool conga_tx_opted_out(const struct conga_tx *tx,
			       const struct sk_buff *skb)
{
	const struct conga_params *params = tx->choice.params;

	if (params->opt_out_mask &&
	    (skb->mark & params->opt_out_mask) == params->opt_out_mark)
		return true;
	return params->opt_out_dscp != CONGA_DSCP_NONE &&
	       conga_inner_dscp(skb, &tx->packet) == params->opt_out_dscp;
}

/* What the kernel does better: transform, route by a mark that is not ours. Counted
 * by reason.
 */
static bool conga_tx_leave(const struct conga_tx *tx, const struct sk_buff *skb)
{
	if (dst_xfrm(skb_dst(skb)))
		conga_tx_count(tx, CONGA_A_STATS_FALLBACK_XFRM);
	else if (skb->mark && !tx->choice.opted_out)
		conga_tx_count(tx, CONGA_A_STATS_FALLBACK_MARK);
	else
		return false;
	return true;
}

/* A packet that its own route would carry whole must not be cut, or refused,
 * because the chosen path is narrower. Where both are alike so is the result. Most
 * packets fit, so that their own route is asked last.
 */
static bool conga_tx_fits(const struct conga_tx *tx, const struct sk_buff *skb)
{
	unsigned int mtu = dst_mtu(tx->choice.dst);

	if (conga_packet_fits(skb, mtu) || mtu >= dst_mtu(skb_dst(skb)))
		return true;
	conga_tx_count(tx, CONGA_A_STATS_FALLBACK_MTU);
	return false;
}

/* Towards a conga leaf: LBTag, CE = 0 (the link door raises it), feedback,
 * section 3.3. Stamped packets of a tunnel that has the control VNI for its own
 * would be consumed. False if the header cannot be written.
 */
static bool conga_tx_stamp(struct conga_tx *tx, struct sk_buff *skb)
{
	const struct conga_params *params = tx->choice.params;
	struct conga_stamp stamp = { .tag = tx->choice.tag };
	struct conga_leaf *leaf = tx->choice.leaf;

	if (!conga_leaf_is_conga(leaf))
		return true;
	conga_leaf_mark_busy(leaf, stamp.tag);
	if (!conga_wire_blank(tx->packet.word, tx->packet.vni) ||
	    conga_wire_control(tx->packet.vni)) {
		conga_tx_count(tx, CONGA_A_STATS_TX_RESERVED);
		return true;
	}
	conga_feedback_pick(&leaf->from, &stamp, tx->choice.now, params->tage);
	if (!conga_packet_write(skb, &tx->packet,
				conga_wire_stamp(tx->packet.word, &stamp,
						 params->q))) {
		conga_tx_count(tx, CONGA_A_STATS_FALLBACK_NOMEM);
		return false;
	}
	conga_tx_count(tx, CONGA_A_STATS_TX_STAMPED);
	if (stamp.feedback)
		conga_tx_count(tx, CONGA_A_STATS_FEEDBACK_SENT);
	return true;
}

/* No reference: a tunnel sends with BH disabled, an RCU section that outlives
 * the packet's use of the route; a queue takes a reference if it needs one.
 */
static void conga_tx_route(const struct conga_tx *tx, struct sk_buff *skb)
{
	skb_dst_drop(skb);
	skb_dst_set_noref(skb, tx->choice.dst);
	conga_tx_count(tx, CONGA_A_STATS_TX_STEERED);
}

/* Routing rules may look at the source and the UDP port, too. */
static void conga_tx_key(const struct conga_tx *tx, const struct sk_buff *skb)
{
	struct conga_path_key key = { .dstport = tx->packet.dstport };

	conga_packet_source(skb, &tx->packet, &key.source);
	conga_path_use_key(tx->choice.leaf, &key);
}

static void conga_tx_steer(struct conga_tx *tx, struct sk_buff *skb)
{
	struct conga_choice *choice = &tx->choice;
	struct in6_addr destination;

	conga_packet_destination(skb, &tx->packet, &destination);
	choice->leaf = conga_leaf_find(choice->fabric, &destination);
	if (!choice->leaf) {
		conga_tx_count(tx, CONGA_A_STATS_TX_UNKNOWN_LEAF);
		return;
	}
	choice->opted_out = conga_tx_opted_out(tx, skb);
	if (conga_tx_leave(tx, skb))
		return;
	if (choice->opted_out)
		conga_tx_count(tx, CONGA_A_STATS_TX_OPTED_OUT);
	if (conga_path_by_key(choice->leaf))
		conga_tx_key(tx, skb);
	choice->now = ktime_get_ns();
	choice->bytes = skb->len;
	choice->hash = conga_packet_flow_hash(skb, &tx->packet,
					      choice->fabric->hash_seed ^
					      choice->leaf->index);
	if (conga_choose(choice) && conga_tx_fits(tx, skb) &&
	    conga_tx_stamp(tx, skb))
		conga_tx_route(tx, skb);
}

unsigned int conga_tx(void *priv, struct sk_buff *skb,
		      const struct nf_hook_state *state)
{
	struct conga_tx tx = { .choice.fabric = priv };
	__be16 protocol = state->pf == NFPROTO_IPV6 ? htons(ETH_P_IPV6) :
						      htons(ETH_P_IP);

	tx.choice.params = rcu_dereference(tx.choice.fabric->params);
	if (conga_packet_find(&tx.packet, skb, protocol, tx.choice.params) !=
	    CONGA_PACKET_VXLAN)
		return NF_ACCEPT;
	if (!conga_tx_from_tunnel(state))
		return conga_tx_clear_forged(&tx, skb);
	/* Under a VRF the packet comes twice; the VRF device is not its way. */
	if (!netif_is_l3_master(state->out))
		conga_tx_steer(&tx, skb);
	return NF_ACCEPT;
}
