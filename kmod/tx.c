// SPDX-License-Identifier: GPL-2.0
/*
 * The tx door: LOCAL_OUT, after all other chains. A VXLAN packet of a kernel
 * tunnel socket to a known leaf gets its uplink, its stamp and its route.
 * Whatever cannot be done leaves the packet to the kernel's own route.
 */
#include <linux/netdevice.h>
#include <net/l3mdev.h>
#include <net/sock.h>

#include "datapath.h"
#include "steer.h"

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
static unsigned int conga_tx_clear_forged(struct conga_steer *steer,
					  struct sk_buff *skb)
{
	bool clean, forged;

	clean = conga_packet_clear_all(skb, &steer->packet, &forged);
	if (forged) {
		local_bh_disable();
		conga_steer_count(steer, CONGA_A_STATS_TX_FORGED);
		local_bh_enable();
	}
	return clean ? NF_ACCEPT : NF_DROP;
}

/* Another port for each flowlet, so that boxes on its way that hash ports hash it anew.
 * False if the header cannot be written.
 */
static bool conga_tx_rehash(const struct conga_steer *steer, struct sk_buff *skb)
{
	const struct conga_choice *choice = &steer->choice;
	int min, max;

	if (!choice->policy->rehash || !choice->draw)
		return true;
	conga_packet_sport_range(skb, choice->fabric->net, &min, &max);
	if (conga_packet_write_sport(skb, &steer->packet,
				     conga_flowlet_port(choice->hash, choice->draw,
							min, max)))
		return true;
	conga_steer_count(steer, CONGA_A_STATS_FALLBACK_NOMEM);
	return false;
}

/* Towards a conga leaf, at a port that is agreed: LBTag, CE = 0 (the link door raises it), feedback,
 * section 3.3. Stamped packets of a tunnel that has the control VNI for its own
 * would be consumed. False if the header cannot be written.
 */
static bool conga_tx_stamp(struct conga_steer *steer, struct sk_buff *skb)
{
	const struct conga_params *params = steer->choice.params;
	struct conga_leaf *leaf = steer->choice.leaf;
	u8 tag = steer->choice.tag;
	struct conga_stamp stamp;

	if (!conga_leaf_stamps(leaf, steer->packet.port))
		return true;
	conga_leaf_mark_busy(leaf, tag);
	if (!conga_wire_blank(steer->packet.word, steer->packet.vni) ||
	    conga_wire_control(steer->packet.vni)) {
		conga_steer_count(steer, CONGA_A_STATS_TX_RESERVED);
		return true;
	}
	conga_feedback_pick(&leaf->from, &stamp, steer->choice.now, params->tage);
	stamp.tag = tag;
	stamp.ce = 0;
	if (!conga_packet_write(skb, &steer->packet,
				conga_wire_stamp(steer->packet.word, &stamp,
						 params->q))) {
		conga_steer_count(steer, CONGA_A_STATS_FALLBACK_NOMEM);
		return false;
	}
	conga_steer_count(steer, CONGA_A_STATS_TX_STAMPED);
	if (stamp.feedback)
		conga_steer_count(steer, CONGA_A_STATS_FEEDBACK_SENT);
	return true;
}

unsigned int conga_tx(void *priv, struct sk_buff *skb,
		      const struct nf_hook_state *state)
{
	struct conga_steer steer = { .choice.fabric = priv };

	if (!conga_steer_find(&steer, skb, state))
		return NF_ACCEPT;
	if (!conga_tx_from_tunnel(state))
		return conga_tx_clear_forged(&steer, skb);
	/* Under a VRF the packet comes twice; the VRF device is not its way. */
	if (netif_is_l3_master(state->out))
		return NF_ACCEPT;
	if (conga_steer_choose(&steer, skb) && conga_tx_rehash(&steer, skb) &&
	    conga_tx_stamp(&steer, skb))
		conga_steer_route(&steer, skb);
	return NF_ACCEPT;
}
