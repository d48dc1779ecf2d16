// SPDX-License-Identifier: GPL-2.0
/*
 * The tx hook: LOCAL_OUT, after all other chains. A VXLAN packet of a kernel
 * tunnel socket to a known leaf gets its uplink, its stamp and its route.
 * If a step fails, the packet is left to the kernel's own route.
 */
#include <linux/netdevice.h>
#include <linux/udp.h>
#include <net/inet_ecn.h>
#include <net/l3mdev.h>
#include <net/sock.h>

#include "datapath/steer.h"
#include "datapath/tx.h"
#include "objects/own.h"
#include "packet/joined.h"

#define CONGA_TX_ENCAP_TUNNEL	1	/* udp_sk->encap_type of vxlan's sockets */

/* A vxlan device sends from a kernel socket that receives encapsulated packets. Processes
 * have no such sockets; kernel sockets that send for processes (rxrpc) have another type.
 * Every UDP socket is a full socket.
 */
static bool conga_tx_from_tunnel(const struct nf_hook_state *state)
{
	return state->sk && state->sk->sk_kern_sock &&
	       state->sk->sk_protocol == IPPROTO_UDP &&
	       udp_sk(state->sk)->encap_type == CONGA_TX_ENCAP_TUNNEL;
}

/* A local process must not speak for this leaf, and the module must not judge bytes that
 * the process can still write. The process's packet goes on without the stamp; it is
 * dropped if it cannot be copied, or its stamp cannot be cleared, for want of memory.
 */
static unsigned int conga_tx_clear_forged(struct conga_steer *steer,
					  struct sk_buff *skb,
					  const struct nf_hook_state *state)
{
	int taken = conga_joined_take(skb, &steer->packet);
	bool clean, forged = false;

	if (taken > 0) {
		conga_steer_count(steer, CONGA_A_STATS_TX_COPIED);
		if (!conga_steer_find(steer, skb, state))
			return NF_ACCEPT;
	}
	clean = taken >= 0 && conga_joined_clear(skb, &steer->packet, &forged);
	if (forged)
		conga_steer_count(steer, CONGA_A_STATS_TX_FORGED);
	if (clean)
		return NF_ACCEPT;
	conga_steer_count(steer, CONGA_A_STATS_TX_NOMEM);
	return NF_DROP;
}

/* The leaf knows this node by the source address of the tunnel's packets. */
static noinline void conga_tx_look_own(const struct conga_steer *steer,
				       const struct sk_buff *skb)
{
	struct conga_leaf *leaf = steer->choice.leaf;
	struct in6_addr source;

	WRITE_ONCE(leaf->own_looked, (u32)jiffies);
	conga_packet_source(skb, &steer->packet, &source);
	/* This reads without the lock: a torn address differs, and only costs a call. */
	if (data_race(leaf->own_rank < CONGA_OWN_SEEN ||
		      !ipv6_addr_equal(&leaf->own, &source)))
		conga_own_learn(leaf, &source);
}

/* Looking at one packet per jiffy is soon enough for hellos. */
static void conga_tx_teach_own(const struct conga_steer *steer, const struct sk_buff *skb)
{
	if (unlikely(READ_ONCE(steer->choice.leaf->own_looked) != (u32)jiffies))
		conga_tx_look_own(steer, skb);
}

/* With policy rehash each flowlet gets another port, so that nodes on its way that hash ports
 * hash it anew. The range is the tunnel device's. A packet that a userspace queue gave back
 * holds no reference to that device: it keeps its port. 0: the packet keeps its port.
 */
static u16 conga_tx_rehash(const struct conga_steer *steer, const struct sk_buff *skb)
{
	const struct conga_choice *choice = &steer->choice;
	int min, max;

	if (!choice->draw || steer->requeued)
		return 0;
	conga_packet_sport_range(skb, choice->fabric->net, &min, &max);
	return conga_flowlet_port(choice->hash, choice->draw, min, max);
}

/* The UDP source port of the flowlet, or of the path if uplinks have several. False if the
 * header cannot be written.
 */
static bool conga_tx_sport(const struct conga_steer *steer, struct sk_buff *skb)
{
	const struct conga_choice *choice = &steer->choice;
	u16 port = choice->policy->rehash ? conga_tx_rehash(steer, skb) :
					    READ_ONCE(choice->leaf->entropy.port[choice->tag]);

	if (!port || conga_packet_write_sport(skb, &steer->packet, port))
		return true;
	conga_steer_count(steer, CONGA_A_STATS_FALLBACK_NOMEM);
	return false;
}

/* Towards a conga leaf, at an agreed port, a packet gets LBTag, CE = 0 (the link hook
 * raises it) and feedback, section 3.3. A tunnel's stamped packets with the control VNI
 * would be consumed, so that these get no stamp. False if the header cannot be written.
 * *@stamped is set if it has been.
 */
static bool conga_tx_stamp(struct conga_steer *steer, struct sk_buff *skb, bool *stamped)
{
	const struct conga_params *params = steer->choice.params;
	struct conga_leaf *leaf = steer->choice.leaf;
	u8 tag = steer->choice.tag;
	struct conga_stamp stamp __uninitialized;

	if (unlikely(!conga_leaf_stamps(leaf, steer->packet.port)))
		return true;
	conga_leaf_mark_busy(leaf, tag);
	if (unlikely(!conga_wire_blank(steer->packet.word, steer->packet.vni) ||
		     conga_wire_control(steer->packet.vni))) {
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
	*stamped = true;
	return true;
}

/* Switches may mark a stamped packet to a leaf that restores the field. A field that the tunnel
 * took from the inner packet stays. The stamp has made the header writable.
 */
static void conga_tx_ect(const struct conga_steer *steer, struct sk_buff *skb)
{
	const struct conga_packet *packet = &steer->packet;

	if (conga_leaf_has_ecn(steer->choice.leaf) &&
	    INET_ECN_is_not_ect(conga_packet_tos(skb, packet)) &&
	    conga_packet_write_ecn(skb, packet, INET_ECN_NOT_ECT, INET_ECN_ECT_0))
		conga_steer_count(steer, CONGA_A_STATS_ECN_SENT);
}

/* The outer header in front of VXLAN's. False if it cannot be written, which happens only to
 * packets without a stamp.
 */
static bool conga_tx_outer(const struct conga_steer *steer, struct sk_buff *skb, bool stamped)
{
	if (likely(!steer->choice.params->outer))
		return true;
	if (stamped)
		conga_tx_ect(steer, skb);
	return conga_tx_sport(steer, skb);
}

static __always_inline unsigned int
conga_tx_packet(struct conga_fabric *fabric, struct sk_buff *skb,
		const struct nf_hook_state *state, bool requeued)
{
	struct conga_steer steer __uninitialized;
	bool stamped = false;

	conga_steer_begin(&steer, fabric, false, requeued);
	if (!conga_steer_find(&steer, skb, state))
		return NF_ACCEPT;
	if (!conga_tx_from_tunnel(state))
		return conga_tx_clear_forged(&steer, skb, state);
	/* Under a VRF the packet comes twice; the VRF device does not transmit it. */
	if (netif_is_l3_master(state->out))
		return NF_ACCEPT;
	if (!conga_steer_choose(&steer, skb))
		return NF_ACCEPT;
	conga_tx_teach_own(&steer, skb);
	if (conga_tx_stamp(&steer, skb, &stamped) && conga_tx_outer(&steer, skb, stamped))
		conga_steer_route(&steer, skb, CONGA_A_STATS_TX_STEERED);
	return NF_ACCEPT;
}

/* Tunnels send with BH disabled. BH may be enabled for a process, or for a userspace queue
 * that gives a packet back. (There is one call, so that the compiler inlines all steps
 * here.)
 */
unsigned int conga_tx(void *priv, struct sk_buff *skb,
		      const struct nf_hook_state *state)
{
	bool requeued = !in_softirq();
	unsigned int verdict;

	if (unlikely(requeued))
		local_bh_disable();
	verdict = conga_tx_packet(priv, skb, state, requeued);
	if (unlikely(requeued))
		local_bh_enable();
	return verdict;
}
