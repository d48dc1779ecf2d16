// SPDX-License-Identifier: GPL-2.0
/*
 * Probes (HULA, SOSR 2016, section 3): this file sends, receives and hands on probes.
 * hula.c judges them.
 *
 * A leaf sends one by each uplink every Tp. A node that gets a probe by a port adds the
 * utilisation of that port in the direction of the traffic, which is opposite to the
 * probe's. It hands on the best that it knows: after a probe from below to all other ports,
 * after a probe from above to ports below. So a probe never goes down and up again. A probe
 * is accepted only if the port is a nexthop of the route to its origin, so that it makes no
 * loop. The hop limit is a second guard against loops.
 *
 * A node keeps only probes about known leaves, and hands on at most one per leaf and Tp.
 */
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/netdevice.h>
#include <net/ipv6.h>

#include "control/control_read.h"
#include "control/control_send.h"
#include "control/probe.h"
#include "objects/leaf_table.h"
#include "objects/own.h"
#include "objects/port.h"
#include "packet/packet.h"
#include "trace.h"

#define CONGA_PROBE_LATE	4	/* 1 / 4 of Tp counts as late */

static void conga_probe_count(const struct conga_fabric *fabric,
			      enum conga_attr_stats counter)
{
	conga_stats_inc(fabric->stats, counter);
}

static void conga_probe_send(struct conga_port *port,
			     const struct conga_params *params,
			     struct conga_control_payload *payload,
			     enum conga_attr_stats counter)
{
	const struct conga_control_way way = {
		.params	= params,
		.port	= port,
		.tag	= port->tag,
	};

	if (!conga_port_up(port))
		return;
	conga_probe_count(port->fabric,
			  conga_control_outcome(conga_control_send_link(&way, payload),
						counter));
}

/* --- a leaf's own probes --- */

static void conga_probe_originate(struct conga_port *port,
				  const struct conga_params *params, bool v4)
{
	struct conga_control_payload payload;
	struct in6_addr own;

	if (!conga_own_origin(port, params, v4, &own))
		return;
	conga_control_fill(&payload, params, CONGA_CONTROL_PROBE);
	payload.probe = (struct conga_control_probe) { .hops = CONGA_PROBE_HOPS };
	memcpy(payload.probe.origin, &own, sizeof(own));
	conga_probe_send(port, params, &payload, CONGA_A_STATS_PROBE_SENT);
}

static void conga_probe_originate_all(const struct conga_fabric *fabric,
				      const struct conga_params *params)
{
	struct conga_port *port;
	u8 tag;

	for (tag = 0; tag < CONGA_TAGS_MAX; tag++) {
		port = conga_port_uplink(fabric, tag);
		if (!port)
			continue;
		conga_probe_originate(port, params, true);
		conga_probe_originate(port, params, false);
	}
}

/* Counts how late the timer is. */
static void conga_probe_note_lateness(struct conga_fabric *fabric, u64 tp)
{
	struct conga_lateness *lateness = &fabric->extension.lateness;
	s64 late = ktime_to_ns(ktime_sub(ktime_get(),
					 hrtimer_get_expires(&fabric->extension.probe_timer)));

	late = max(late, 0LL);
	if (late > tp / CONGA_PROBE_LATE)
		conga_probe_count(fabric, CONGA_A_STATS_PROBE_LATE);
	WRITE_ONCE(lateness->sum, lateness->sum + late);
	WRITE_ONCE(lateness->rounds, lateness->rounds + 1);
	if (late > lateness->most)
		WRITE_ONCE(lateness->most, late);
}

/* In a fabric of a user without privileges pace.c keeps rounds apart. Returns the number of
 * rounds that are left out.
 */
static u64 conga_probe_round_bounded(struct conga_fabric *fabric,
				     const struct conga_params *params, u64 tp)
{
	struct conga_pace *pace = &fabric->extension.probe_pace;
	u64 began = ktime_get_ns(), skipped = 1;
	ktime_t until;

	if (!conga_pace_wait(pace)) {
		conga_probe_originate_all(fabric, params);
		conga_pace_spent(pace, fabric->net, ktime_get_ns() - began);
		skipped = 0;
	}
	until = ktime_add_ns(ktime_get(), conga_pace_wait(pace));
	return skipped + hrtimer_forward(&fabric->extension.probe_timer, until,
					 ns_to_ktime(tp));
}

/* Sets the time of the next round. Returns the number of rounds that were missed or are
 * left out.
 */
static u64 conga_probe_round(struct conga_fabric *fabric,
			     const struct conga_params *params, u64 tp)
{
	u64 missed = hrtimer_forward_now(&fabric->extension.probe_timer, ns_to_ktime(tp)) - 1;

	if (conga_pace_bounds(fabric->net))
		return missed + conga_probe_round_bounded(fabric, params, tp);
	conga_probe_originate_all(fabric, params);
	return missed;
}

/* This runs in softirq. Missed rounds are not repeated. */
static enum hrtimer_restart conga_probe_tick(struct hrtimer *timer)
{
	struct conga_fabric *fabric = container_of(timer, struct conga_fabric,
						   extension.probe_timer);
	const struct conga_params *params;
	u64 tp, skipped;

	rcu_read_lock();
	params = rcu_dereference(fabric->params);
	tp = conga_extension_tp(params);
	if (tp) {
		conga_probe_note_lateness(fabric, tp);
		skipped = conga_probe_round(fabric, params, tp);
		if (skipped)
			conga_stats_add(fabric->stats, CONGA_A_STATS_PROBE_SKIPPED,
					skipped);
	}
	rcu_read_unlock();
	return tp ? HRTIMER_RESTART : HRTIMER_NORESTART;
}

/* --- received probes --- */

/* A probe that came by a port */
struct conga_probe {
	struct conga_control_source	*source;
	struct conga_control_payload	payload;
	u64				now;
	u8				utilisation;	/* including this node's own link */
};

/* Does this port lead to a lower tier? */
static bool conga_probe_is_below(const struct conga_port *port)
{
	return port->role == CONGA_ROLE_TRANSIT &&
	       READ_ONCE(port->extension.tier) <=
	       READ_ONCE(port->fabric->extension.lowest);
}

/* A probe from below goes to all other ports, a probe from above only down. */
static bool conga_probe_goes(const struct conga_port *from,
			     const struct conga_port *to)
{
	return from != to && (conga_probe_is_below(to) || conga_probe_is_below(from));
}

static void conga_probe_hand_on(struct conga_probe *probe, u8 utilisation)
{
	struct conga_control_source *source = probe->source;
	struct conga_control_probe body = probe->payload.probe;
	__be32 id = probe->payload.header.id;
	struct conga_port *port;

	if (!--body.hops) {
		conga_probe_count(source->fabric, CONGA_A_STATS_PROBE_HOPS);
		return;
	}
	body.utilisation = utilisation;
	body.zero = 0;
	conga_control_fill(&probe->payload, source->params, CONGA_CONTROL_PROBE);
	probe->payload.header.id = id;
	probe->payload.probe = body;
	list_for_each_entry_rcu(port, &source->fabric->ports, list)
		if (conga_probe_goes(source->port, port))
			conga_probe_send(port, source->params, &probe->payload,
					 CONGA_A_STATS_PROBE_HANDED_ON);
}

/* Counts and notifies paths that were given up, or came back; under the leaf's lock. */
static void conga_probe_settle(struct conga_leaf *leaf, u16 before)
{
	struct conga_stats __percpu *stats = leaf->fabric->stats;
	u16 out = leaf->extension.hula.out;

	conga_stats_add(stats, CONGA_A_STATS_PATH_UNPROBED, hweight16(out & ~before));
	conga_stats_add(stats, CONGA_A_STATS_PATH_PROBED, hweight16(before & ~out));
	conga_leaf_settle(leaf);
}

/* Sets the probe that the node hands on, if it does so now; true if the set of paths that
 * are out has changed.
 */
static bool conga_probe_learn(struct conga_probe *probe, u8 *utilisation,
			      struct conga_hula_step *step)
{
	const struct conga_control_source *source = probe->source;
	const struct conga_params *params = source->params;
	struct conga_leaf *leaf = source->leaf;
	struct conga_hula_probe heard = {
		.now		= probe->now,
		.tp		= conga_extension_tp(params),
		.tfail		= conga_extension_tfail(params),
		.usable		= conga_path_usable(leaf),
		.hop		= READ_ONCE(source->port->tag),
		.utilisation	= *utilisation,
		.near		= conga_extension_near(params),
	};
	u16 out;
	bool news;

	spin_lock(&leaf->hello_lock);
	out = leaf->extension.hula.out;
	if (heard.hop == CONGA_TAG_NONE) {
		*step = (struct conga_hula_step) {
			.hand_on = conga_hula_due(&leaf->extension.hula, &heard),
		};
	} else {
		conga_hula_hear(&leaf->extension.hula, &heard, step);
		*utilisation = conga_hula_utilisation(leaf->extension.hula.best);
	}
	news = out != leaf->extension.hula.out;
	if (news)
		conga_probe_settle(leaf, out);
	spin_unlock(&leaf->hello_lock);
	return news;
}

static void conga_probe_tell_moved(const struct conga_probe *probe,
				   const struct conga_hula_step *step)
{
	const struct conga_control_source *source = probe->source;
	const struct conga_port *from = NULL;

	if (step->before != CONGA_TAG_NONE)
		from = conga_port_hop(source->fabric, step->before);
	conga_probe_count(source->fabric, CONGA_A_STATS_PROBE_MOVED);
	trace_conga_hop_changed(source->leaf, from, source->port,
				probe->utilisation);
}

static enum conga_attr_stats conga_probe_heed(struct conga_probe *probe)
{
	struct conga_fabric *fabric = probe->source->fabric;
	u8 utilisation = probe->utilisation;
	struct conga_hula_step step;

	if (conga_probe_learn(probe, &utilisation, &step))
		conga_fabric_changed(fabric);
	if (step.moved)
		conga_probe_tell_moved(probe, &step);
	if (step.hand_on)
		conga_probe_hand_on(probe, utilisation);
	return step.taken ? CONGA_A_STATS_PROBE_TAKEN :
			    CONGA_A_STATS_PROBE_NO_BETTER;
}

/* Is the leaf known, and does the port lead to it? */
static enum conga_attr_stats conga_probe_judge_origin(struct conga_probe *probe)
{
	struct conga_control_source *source = probe->source;
	struct in6_addr origin;

	probe->utilisation = max(probe->payload.probe.utilisation,
				 conga_port_utilisation(source->port, probe->now));
	if (probe->payload.header.id == cpu_to_be32(source->params->leaf_id))
		return CONGA_A_STATS_PROBE_OWN;
	memcpy(&origin, probe->payload.probe.origin, sizeof(origin));
	source->leaf = conga_leaf_find(source->fabric, &origin);
	if (!source->leaf)
		return CONGA_A_STATS_PROBE_UNKNOWN_LEAF;
	if (!conga_path_leads(source->leaf, source->port))
		return CONGA_A_STATS_PROBE_NOT_PATH;
	return conga_probe_heed(probe);
}

static bool conga_probe_read(struct conga_probe *probe)
{
	const struct conga_control_header *header = &probe->payload.header;

	if (!conga_control_read(probe->source, &probe->payload))
		return false;
	return header->version == CONGA_CONTROL_VERSION &&
	       header->type == CONGA_CONTROL_PROBE && probe->payload.probe.hops;
}

/* Handles a probe; returns the counter of the result. */
static enum conga_attr_stats conga_probe_judge(struct conga_probe *probe)
{
	const struct conga_control_source *source = probe->source;

	if (!(source->params->policy->extension.probes))
		return CONGA_A_STATS_PROBE_UNWANTED;
	if (conga_packet_hops(source->skb, source->packet) !=
	    CONGA_CONTROL_LINK_HOPS)
		return CONGA_A_STATS_PROBE_DISTANT;
	if (!conga_probe_read(probe))
		return CONGA_A_STATS_PROBE_MALFORMED;
	return conga_probe_judge_origin(probe);
}

/* conga_probe_receive - a control packet came to all systems of a link; softirq, RCU */
void conga_probe_receive(struct conga_control_source *source)
{
	struct conga_probe probe = { .source = source, .now = ktime_get_ns() };
	enum conga_attr_stats verdict = conga_probe_judge(&probe);

	conga_probe_count(source->fabric, verdict);
	trace_conga_probe(source->port, probe.payload.probe.origin,
			  probe.utilisation, verdict);
}

/* --- beginning and end --- */

/* conga_probe_setup - of a fabric that is not published yet */
void conga_probe_setup(struct conga_fabric *fabric)
{
	hrtimer_setup(&fabric->extension.probe_timer, conga_probe_tick, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_SOFT);
}

static void conga_probe_forget(struct conga_leaf *leaf)
{
	spin_lock_bh(&leaf->hello_lock);
	conga_hula_reset(&leaf->extension.hula);
	conga_leaf_settle(leaf);
	spin_unlock_bh(&leaf->hello_lock);
}

/* conga_probe_restart - the policy or the interval of probes changed */
void conga_probe_restart(struct conga_fabric *fabric)
{
	u64 tp = conga_extension_tp(conga_fabric_params(fabric));
	struct conga_leaf *leaf;
	unsigned long index = 0;

	conga_assert_locked(fabric);
	hrtimer_cancel(&fabric->extension.probe_timer);
	fabric->extension.lateness = (struct conga_lateness) {};
	for (; (leaf = conga_leaf_next(fabric, &index)); index++)
		conga_probe_forget(leaf);
	conga_fabric_changed(fabric);
	if (tp)
		hrtimer_start(&fabric->extension.probe_timer, ns_to_ktime(tp),
			      HRTIMER_MODE_REL_SOFT);
}

/* conga_probe_stop - stop probes before the fabric goes; sleeps */
void conga_probe_stop(struct conga_fabric *fabric)
{
	hrtimer_cancel(&fabric->extension.probe_timer);
}
