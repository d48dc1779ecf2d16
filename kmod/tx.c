// SPDX-License-Identifier: GPL-2.0
/*
 * The tx door: LOCAL_OUT, after all other chains. A VXLAN packet of a kernel
 * tunnel socket to a known leaf gets its uplink, its stamp and its route.
 * Whatever cannot be done leaves the packet to the kernel's own route.
 */
#include <linux/ktime.h>
#include <linux/netdevice.h>
#include <linux/random.h>
#include <net/dst.h>
#include <net/l3mdev.h>
#include <net/sock.h>

#include "datapath.h"
#include "leaf.h"
#include "packet.h"
#include "port.h"

/* What is decided about one packet, step by step. */
struct conga_tx {
	struct conga_fabric		*fabric;
	const struct conga_params	*params;
	struct conga_leaf		*leaf;
	struct conga_packet		packet;
	u64				now;	/* ns */
	u32				hash;	/* of the inner flow */
	u8				tag;	/* of the chosen uplink */
	struct dst_entry		*dst;	/* the way by it */
};

static void conga_tx_count(const struct conga_tx *tx,
			   enum conga_attr_stats counter)
{
	conga_stats_inc(tx->fabric->stats, counter);
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

/* What the kernel does better: transform, route by mark. Counted by reason. */
static bool conga_tx_leave(const struct conga_tx *tx, const struct sk_buff *skb)
{
	if (dst_xfrm(skb_dst(skb)))
		conga_tx_count(tx, CONGA_A_STATS_FALLBACK_XFRM);
	else if (skb->mark)
		conga_tx_count(tx, CONGA_A_STATS_FALLBACK_MARK);
	else
		return false;
	return true;
}

static struct dst_entry *conga_tx_path(const struct conga_tx *tx, u8 tag)
{
	struct conga_port *port = conga_port_uplink(tx->fabric, tag);

	if (!port || conga_leaf_is_silent(tx->leaf, tag))
		return NULL;
	return conga_path_dst(tx->leaf, port);
}

static conga_flowlet_t *conga_tx_slot(const struct conga_tx *tx)
{
	struct conga_flowlets *flowlets = rcu_dereference(tx->fabric->flowlets);

	return &flowlets->entry[tx->hash & flowlets->mask];
}

static void conga_tx_view_uplink(const struct conga_tx *tx,
				 struct conga_view_uplink *uplink, u8 tag,
				 u32 needs)
{
	struct conga_port *port = conga_port_uplink(tx->fabric, tag);

	if (needs & CONGA_NEEDS_LOCAL && port)
		uplink->local = conga_port_metric(port, tx->now);
	if (needs & CONGA_NEEDS_REMOTE &&
	    conga_leaf_is_conga(tx->leaf))
		uplink->remote = conga_toleaf_metric(&tx->leaf->to, tag,
						     tx->now, tx->params->tage,
						     tx->params->q);
}

/* Ask the policy. False if no uplink leads to the leaf. */
static bool conga_tx_pick(struct conga_tx *tx, u8 previous)
{
	const struct conga_policy *policy = tx->params->policy;
	struct conga_view view = {
		.now		= tx->now,
		.hash		= tx->hash,
		.random		= get_random_u32(),
		.usable		= conga_leaf_open(tx->leaf),
		.previous	= previous,
		.sum		= tx->params->metric == CONGA_METRIC_SUM,
	};
	unsigned long usable = view.usable;
	unsigned int tag;

	if (!usable)
		return false;
	for_each_set_bit(tag, &usable, CONGA_TAGS_MAX)
		conga_tx_view_uplink(tx, &view.uplink[tag], tag, policy->needs);
	tx->tag = policy->pick(&view);
	tx->dst = conga_tx_path(tx, tx->tag);
	return tx->dst;
}

/* The uplink of the flow's flowlet, if that is in progress; else @previous is the
 * one that it had last.
 */
static bool conga_tx_ask_flowlet(struct conga_tx *tx, u8 *previous)
{
	conga_flowlet_t entry = READ_ONCE(*conga_tx_slot(tx));

	tx->tag = conga_flowlet_tag(entry);
	switch (conga_flowlet_state(entry, tx->leaf->index, tx->now,
				    tx->params->tfl)) {
	case CONGA_FLOWLET_LIVE:
		return conga_tx_path(tx, tx->tag);
	case CONGA_FLOWLET_EXPIRED:
		*previous = tx->tag;
		return false;
	default:
		return false;
	}
}

/*
 * conga_tx_ask - what would a packet to @leaf get now? Nothing changes by it.
 *
 * BH disabled, RCU. Without @flow for a packet of any new flow. *@tag is the
 * uplink's, unless the packet would be left to the kernel.
 */
enum conga_decision conga_tx_ask(struct conga_leaf *leaf,
				 const struct conga_flow *flow, u8 *tag)
{
	struct conga_tx tx = {
		.fabric	= leaf->fabric,
		.params	= rcu_dereference(leaf->fabric->params),
		.leaf	= leaf,
		.now	= ktime_get_ns(),
		.hash	= get_random_u32(),
	};
	enum conga_decision decision = CONGA_DECISION_NEW;
	u8 previous = CONGA_TAG_NONE;

	if (flow)
		tx.hash = conga_flow_hash(flow, tx.fabric->hash_seed ^ leaf->index);
	if (flow && tx.params->policy->needs & CONGA_NEEDS_FLOWLET &&
	    conga_tx_ask_flowlet(&tx, &previous))
		decision = CONGA_DECISION_FLOWLET;
	else if (!conga_tx_pick(&tx, previous))
		decision = CONGA_DECISION_KERNEL;
	*tag = tx.tag;
	return decision;
}

static void conga_tx_count_flowlet(const struct conga_tx *tx,
				   enum conga_flowlet_state state, u8 previous)
{
	if (state == CONGA_FLOWLET_LIVE) {
		conga_tx_count(tx, CONGA_A_STATS_FLOWLETS_REROUTED);
		return;
	}
	conga_tx_count(tx, CONGA_A_STATS_FLOWLETS_STARTED);
	if (state == CONGA_FLOWLET_COLLISION)
		conga_tx_count(tx, CONGA_A_STATS_FLOWLET_COLLISIONS);
	else if (state == CONGA_FLOWLET_EXPIRED)
		conga_tx_count(tx, tx->tag == previous ?
				   CONGA_A_STATS_FLOWLETS_KEPT :
				   CONGA_A_STATS_FLOWLETS_MOVED);
}

/* A flowlet in progress keeps its uplink while the path is usable. */
static bool conga_tx_continue(struct conga_tx *tx, conga_flowlet_t *slot,
			      conga_flowlet_t entry)
{
	tx->tag = conga_flowlet_tag(entry);
	tx->dst = conga_tx_path(tx, tx->tag);
	if (!tx->dst)
		return false;
	if (conga_flowlet_stale(entry, tx->now))
		WRITE_ONCE(*slot, conga_flowlet_make(tx->tag, tx->leaf->index,
						     tx->now));
	return true;
}

/* Per flowlet, section 3.4 and 3.5. */
static bool conga_tx_by_flowlet(struct conga_tx *tx)
{
	conga_flowlet_t *slot = conga_tx_slot(tx);
	conga_flowlet_t entry = READ_ONCE(*slot);
	enum conga_flowlet_state state;
	u8 previous = CONGA_TAG_NONE;

	state = conga_flowlet_state(entry, tx->leaf->index, tx->now,
				    tx->params->tfl);
	if (state == CONGA_FLOWLET_LIVE && conga_tx_continue(tx, slot, entry))
		return true;
	if (state == CONGA_FLOWLET_EXPIRED)
		previous = conga_flowlet_tag(entry);
	if (!conga_tx_pick(tx, previous))
		return false;
	WRITE_ONCE(*slot, conga_flowlet_make(tx->tag, tx->leaf->index, tx->now));
	conga_tx_count_flowlet(tx, state, previous);
	return true;
}

static bool conga_tx_choose(struct conga_tx *tx)
{
	bool chosen;

	if (tx->params->policy->needs & CONGA_NEEDS_FLOWLET)
		chosen = conga_tx_by_flowlet(tx);
	else
		chosen = conga_tx_pick(tx, CONGA_TAG_NONE);
	if (!chosen)
		conga_tx_count(tx, CONGA_A_STATS_FALLBACK_NO_PATH);
	return chosen;
}

/* A packet that its own route would carry whole must not be cut, or refused,
 * because the chosen path is narrower. Where both are alike so is the result.
 */
static bool conga_tx_fits(const struct conga_tx *tx, const struct sk_buff *skb)
{
	unsigned int mtu = dst_mtu(tx->dst);

	if (mtu >= dst_mtu(skb_dst(skb)) || conga_packet_fits(skb, mtu))
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
	struct conga_stamp stamp = { .tag = tx->tag };

	if (!conga_leaf_is_conga(tx->leaf))
		return true;
	conga_leaf_mark_busy(tx->leaf, tx->tag);
	if (!conga_wire_blank(tx->packet.word, tx->packet.vni) ||
	    conga_wire_control(tx->packet.vni)) {
		conga_tx_count(tx, CONGA_A_STATS_TX_RESERVED);
		return true;
	}
	conga_feedback_pick(&tx->leaf->from, &stamp, tx->now, tx->params->tage);
	if (!conga_packet_write(skb, &tx->packet,
				conga_wire_stamp(tx->packet.word, &stamp,
						 tx->params->q))) {
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
	skb_dst_set_noref(skb, tx->dst);
	conga_tx_count(tx, CONGA_A_STATS_TX_STEERED);
}

/* Routing rules may look at the source and the UDP port, too. */
static void conga_tx_key(const struct conga_tx *tx, const struct sk_buff *skb)
{
	struct conga_path_key key = { .dstport = tx->packet.dstport };

	conga_packet_source(skb, &tx->packet, &key.source);
	conga_path_use_key(tx->leaf, &key);
}

static void conga_tx_steer(struct conga_tx *tx, struct sk_buff *skb)
{
	struct in6_addr destination;

	conga_packet_destination(skb, &tx->packet, &destination);
	tx->leaf = conga_leaf_find(tx->fabric, &destination);
	if (!tx->leaf) {
		conga_tx_count(tx, CONGA_A_STATS_TX_UNKNOWN_LEAF);
		return;
	}
	if (conga_tx_leave(tx, skb))
		return;
	if (conga_path_by_key(tx->leaf))
		conga_tx_key(tx, skb);
	tx->now = ktime_get_ns();
	tx->hash = conga_packet_flow_hash(skb, &tx->packet,
					  tx->fabric->hash_seed ^
					  tx->leaf->index);
	if (conga_tx_choose(tx) && conga_tx_fits(tx, skb) &&
	    conga_tx_stamp(tx, skb))
		conga_tx_route(tx, skb);
}

unsigned int conga_tx(void *priv, struct sk_buff *skb,
		      const struct nf_hook_state *state)
{
	struct conga_tx tx = { .fabric = priv };
	__be16 protocol = state->pf == NFPROTO_IPV6 ? htons(ETH_P_IPV6) :
						      htons(ETH_P_IP);

	tx.params = rcu_dereference(tx.fabric->params);
	if (conga_packet_find(&tx.packet, skb, protocol, tx.params) !=
	    CONGA_PACKET_VXLAN)
		return NF_ACCEPT;
	if (!conga_tx_from_tunnel(state))
		return conga_tx_clear_forged(&tx, skb);
	/* Under a VRF the packet comes twice; the VRF device is not its way. */
	if (!netif_is_l3_master(state->out))
		conga_tx_steer(&tx, skb);
	return NF_ACCEPT;
}
