// SPDX-License-Identifier: GPL-2.0
/*
 * Control packets to all systems of a link: this file sends and receives announcements, and
 * hands all others to the extension of the policy. adjacency.c judges announcements.
 *
 * An announcement is believed only if it comes with TTL 255 by a port (GTSM, RFC 5082). It
 * changes what the operator is shown, and one thing else: while no uplink ends at a node that
 * announces itself, feedback tells no more than this node's own load (conga_leaf_settle()).
 */
#include <linux/ktime.h>

#include "control/announce.h"
#include "control/control_read.h"
#include "control/control_send.h"
#include "control/extension.h"
#include "objects/port.h"
#include "packet/packet.h"
#include "paper/hello_terms.h"

/* --- sent --- */

/* A port without an address, which may get one, announces nothing. What was not sent, for lack of
 * memory or by an IPsec policy, is counted, and no neighbour is expected to follow it.
 */
static void conga_announce_send(struct conga_port *port, const struct conga_params *params)
{
	const struct conga_control_way way = {
		.params	= params,
		.port	= port,
		.tag	= port->tag,
	};
	struct conga_control_payload payload;
	int err;

	conga_control_fill(&payload, params, CONGA_CONTROL_ANNOUNCE);
	err = conga_control_send_link(&way, &payload);
	if (err == -ENETUNREACH)
		return;
	conga_stats_inc(port->fabric->stats,
			conga_control_outcome(err, CONGA_A_STATS_ANNOUNCE_SENT));
	if (err)
		return;
	spin_lock(&port->adjacency_lock);
	conga_adjacency_sent(&port->adjacency, ktime_get_ns());
	spin_unlock(&port->adjacency_lock);
}

static void conga_announce_reset(struct conga_port *port)
{
	spin_lock_bh(&port->adjacency_lock);
	conga_adjacency_reset(&port->adjacency);
	spin_unlock_bh(&port->adjacency_lock);
}

/* There may be many ports: BH is enabled after each. */
static void conga_announce_port(struct conga_port *port, const struct conga_params *params)
{
	if (!conga_port_up(port)) {
		conga_announce_reset(port);
		return;
	}
	local_bh_disable();
	conga_announce_send(port, params);
	local_bh_enable();
}

/* The enum conga_neighbour of the port's link, 0 if it announces nothing */
static u8 conga_announce_neighbour(struct conga_port *port, u64 now)
{
	u8 state;

	spin_lock_bh(&port->adjacency_lock);
	state = conga_adjacency_state(&port->adjacency, now);
	spin_unlock_bh(&port->adjacency_lock);
	return state;
}

/* Is it known of each uplink that works that no node with conga is at its other end? An uplink
 * by which it is not known yet may lead to such a node.
 */
static bool conga_announce_unmarked(struct conga_fabric *fabric, u64 now)
{
	struct conga_port *port;
	bool none = false;

	list_for_each_entry_rcu(port, &fabric->ports, list) {
		if (port->role != CONGA_ROLE_UPLINK || !conga_port_up(port))
			continue;
		if (conga_announce_neighbour(port, now) != CONGA_NEIGHBOUR_NONE)
			return false;
		none = true;
	}
	return none;
}

/* conga_announce_tick - send announcements if they are due; only the work of the tick calls it */
void conga_announce_tick(struct conga_fabric *fabric)
{
	u64 now = ktime_get_ns(), before = READ_ONCE(fabric->announced);
	const struct conga_params *params;
	struct conga_port *port;

	if (before && now - before < CONGA_ADJACENCY_EVERY_NS)
		return;
	WRITE_ONCE(fabric->announced, now);
	/* Parameters that are published after they are read below reset this time again.
	 * Paired with conga_announce_forget().
	 */
	smp_mb();
	rcu_read_lock();
	params = rcu_dereference(fabric->params);
	if (params->hello)
		list_for_each_entry_rcu(port, &fabric->ports, list)
			conga_announce_port(port, params);
	WRITE_ONCE(fabric->unmarked, conga_announce_unmarked(fabric, now));
	rcu_read_unlock();
}

/* conga_announce_forget - hello was switched off, or the terms of this node changed: neighbours
 * must learn the new ones at the next tick, and are judged anew
 */
void conga_announce_forget(struct conga_fabric *fabric)
{
	struct conga_port *port;

	conga_assert_locked(fabric);
	/* Paired with conga_announce_tick(). */
	smp_mb();
	WRITE_ONCE(fabric->announced, 0);
	list_for_each_entry(port, &fabric->ports, list)
		conga_announce_reset(port);
}

/* --- received --- */

static void conga_announce_judge(const struct conga_control_source *source,
				 const struct conga_control_header *header,
				 struct conga_adjacency_news *news)
{
	const struct conga_hello_terms ours = conga_control_terms(source->params);

	*news = (struct conga_adjacency_news) {
		.id	= be32_to_cpu(header->id),
		.reason	= CONGA_LEAF_VERSION,
	};
	if (header->version != CONGA_CONTROL_VERSION)
		return;
	news->theirs = conga_control_terms_read(header);
	news->reason = conga_hello_terms_compare(&ours, &news->theirs);
}

static enum conga_attr_stats conga_announce_hear(const struct conga_control_source *source)
{
	struct conga_port *port = source->port;
	struct conga_control_payload payload;
	struct conga_adjacency_news news;

	if (conga_packet_hops(source->skb, source->packet) != CONGA_CONTROL_LINK_HOPS)
		return CONGA_A_STATS_ANNOUNCE_DISTANT;
	if (!conga_control_read(source, &payload))
		return CONGA_A_STATS_CONTROL_MALFORMED;
	conga_announce_judge(source, &payload.header, &news);
	spin_lock(&port->adjacency_lock);
	conga_adjacency_hear(&port->adjacency, &news, ktime_get_ns());
	spin_unlock(&port->adjacency_lock);
	return CONGA_A_STATS_ANNOUNCE_HEARD;
}

/* conga_announce_receive - a control packet came to all systems of a link; softirq, RCU */
void conga_announce_receive(struct conga_control_source *source)
{
	if (conga_control_type(source) == CONGA_CONTROL_ANNOUNCE)
		conga_stats_inc(source->fabric->stats, conga_announce_hear(source));
	else
		conga_extension_receive(source);
}
