// SPDX-License-Identifier: GPL-2.0
/*
 * TR: each packet goes by the time at which it will arrive at the next leaf
 *
 * Goal: packets of a flow may take any uplink, and still arrive in order; short flows
 * wait as little as possible, and long ones keep out of their way.
 *
 * Mechanism: for each usable uplink the Time to Next Leaf is
 *
 *	TNL = now + pd + lql/lqw + sql/sqw
 *
 * where lql waits in the uplink's own queue, whose rate is lqw; sql/sqw is the time that
 * a packet waits at the spine in the queue towards the leaf, as the marks in packets of the
 * leaf tell (queue.c); and pd is the delay of the path when it is idle, as hellos measure
 * it (ahead.c). An uplink on which a packet would arrive before the flow's previous packet
 * is not used, except for the uplink of that previous packet, on which order is kept
 * whatever the estimates are. With correct estimates this exception makes no difference;
 * with a queue read a moment too late the flow would be driven to the longest queue. If no
 * uplink is left, since the flow's own is gone, the one with the latest arrival does least
 * harm.
 *
 * What a spine tells of its queue is as old as the reply path is long, and other leaves send
 * to the same queue meanwhile. So a flow changes its uplink only if the packet would arrive
 * some time ("margin") later than the previous one. The paper's rule is a margin of 0.
 *
 * A flow is short until it has sent so many bytes ("short"). Its packets take the least
 * TNL. Packets of a long flow take the uplink with the fewest short flows that sent by it
 * within the last RTT (tr.c), if its queues are at most some time ("wait") longer than the
 * shortest ones. The paper does not look at queues here: its rule is a wait of 1 s. But short
 * flows seldom use the longer paths, so that all long flows would crowd on these and leave
 * the others empty, above half of the load with queues that overflow. Among equal
 * uplinks, of which there are usually several, that of the shortest queues is taken. The
 * paper does not say which of these to take. It must not be that of the least TNL: the
 * senders' congestion control keeps queues shorter than the differences of delays, so that
 * long flows would crowd on the paths of the least delay. Among uplinks that are still equal
 * the flow's own is kept; otherwise one is drawn. A flow that is idle for longer ("idle") is
 * a new one afterwards.
 *
 * Packets without data, as acknowledgements, draw their uplink among all that keep their
 * order. If they took the least TNL, none would come back by the longer paths, and the other
 * leaf would know no queue of those.
 *
 * The paper carries the spine's queue in bits of the TTL; this module carries it in byte 3
 * of the VXLAN header, which is part of the wire format (Documentation/developer/rationale.md). A
 * path whose delay is not known yet is taken to be as short as the shortest one. TR is for
 * two tiers: if there are several nodes on the way, only the last one's queue is known.
 *
 * TNL is in ns, of 64 bits; the sum that is added to the time is below 2^46. When two CPUs
 * send packets of a flow at the same time, the TNL of either is stored; a packet may
 * overtake another then, as it may within the node.
 *
 * Zhang et al., "TR", Journal of Cloud Computing 10:37, 2021.
 */
#include <linux/bitops.h>
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/minmax.h>

#include "paper/ahead.h"
#include "paper/queue.h"
#include "paper/tr.h"
#include "paper/wire.h"
#include "policies/policy.h"

#define CONGA_TR_SHORT		100000	/* bytes, the paper's */
#define CONGA_TR_RTT		150000	/* ns, that of the paper's longer paths */
#define CONGA_TR_IDLE		5000000	/* ns, more than pauses of TCP without a timeout */
#define CONGA_TR_MARGIN		100000	/* ns, the age of what is known of a spine's queue */
#define CONGA_TR_TIME_MIN	4000	/* ns, so that a slot is 1 us or more */
#define CONGA_TR_TIME_MAX	1000000000	/* ns */

enum {
	CONGA_TR_PARAM_SHORT,
	CONGA_TR_PARAM_RTT,
	CONGA_TR_PARAM_IDLE,
	CONGA_TR_PARAM_MARGIN,
	CONGA_TR_PARAM_WAIT,
};

/* The properties of the uplinks for a packet */
struct conga_tr_view {
	u64	tnl[CONGA_TAGS_MAX];	/* ns, for usable uplinks; likewise wait */
	u64	wait[CONGA_TAGS_MAX];	/* ns in queues, which is what TNL has beside the delay */
	struct conga_tr_packet packet;
	bool	has_data;
	bool	is_short;		/* the flow, with this packet */
};

/* The LBTags of @set with the least value */
static u16 conga_policy_tr_least(u16 set, const u64 *value)
{
	u64 least = U64_MAX;
	u16 best = 0;

	for (; set; set &= set - 1) {
		u8 tag = __ffs(set);

		if (value[tag] > least)
			continue;
		if (value[tag] < least)
			best = 0;
		least = value[tag];
		best |= BIT(tag);
	}
	return best;
}

/* The uplinks on which the packet keeps its place behind its flow's previous packet */
static u16 conga_policy_tr_in_order(const struct conga_view *view, const u64 *tnl)
{
	const struct conga_tr_flow *flow = view->flow;
	u64 after = READ_ONCE(flow->tnl) + view->param[CONGA_TR_PARAM_MARGIN];
	u16 set = view->usable, in_order = 0;

	for (; set; set &= set - 1) {
		u8 tag = __ffs(set);

		if (tnl[tag] >= after || tag == view->previous)
			in_order |= BIT(tag);
	}
	return in_order;
}

/* The delay in ns of the shortest known path; 0 if no delay is known */
static u32 conga_policy_tr_shortest(const struct conga_view *view)
{
	u16 set = view->usable;
	u32 shortest = 0;

	for (; set; set &= set - 1) {
		u32 delay = conga_ahead_delay(view->extension.ahead, __ffs(set));

		if (delay && (!shortest || delay < shortest))
			shortest = delay;
	}
	return shortest;
}

static void conga_policy_tr_look(const struct conga_view *view,
				 struct conga_tr_view *tr)
{
	u32 shortest = view->extension.ahead ? conga_policy_tr_shortest(view) : 0;
	u16 set = view->usable;

	for (; set; set &= set - 1) {
		u8 tag = __ffs(set);
		u32 delay = 0, queue = 0;

		if (view->extension.ahead) {
			delay = conga_ahead_delay(view->extension.ahead, tag) ?: shortest;
			queue = conga_ahead_queue(view->extension.ahead, tag, view->now,
						  view->extension.tage);
		}
		tr->wait[tag] = conga_tr_wait(conga_view_backlog(view, tag),
					      view->uplink[tag].rate, queue);
		tr->tnl[tag] = view->now + delay + tr->wait[tag];
	}
}

static void conga_policy_tr_look_at_flow(const struct conga_view *view,
					 struct conga_tr_view *tr)
{
	u32 rtt = view->param[CONGA_TR_PARAM_RTT];

	tr->packet = (struct conga_tr_packet) {
		.slot	= conga_tr_slot(view->now, rtt),
		.bytes	= view->bytes,
		.limit	= view->param[CONGA_TR_PARAM_SHORT],
		.idle	= conga_tr_idle(view->param[CONGA_TR_PARAM_IDLE], rtt),
	};
	tr->has_data = conga_tr_has_data(view->bytes);
	tr->is_short = conga_tr_is_short(view->flow, &tr->packet);
}

/* The LBTags of @set whose queues are at most so many ns longer than the shortest ones */
static u16 conga_policy_tr_near_least(u16 set, const u64 *wait, u32 more)
{
	u64 most = wait[__ffs(conga_policy_tr_least(set, wait))] + more;
	u16 near = 0;

	for (; set; set &= set - 1)
		if (wait[__ffs(set)] <= most)
			near |= BIT(__ffs(set));
	return near;
}

/* The LBTags of @set with the fewest active short flows. A flow that has become long with
 * this packet is no longer among these.
 */
static u16 conga_policy_tr_calm(const struct conga_view *view, u16 set, u64 slot)
{
	u64 flows[CONGA_TAGS_MAX];
	u16 left = set;

	for (; left; left &= left - 1) {
		u8 tag = __ffs(left);

		flows[tag] = conga_tr_short_flows(view->extension.shared, tag, slot);
		if (flows[tag] && conga_tr_is_counted(view->flow, tag, slot))
			flows[tag]--;
	}
	return conga_policy_tr_least(set, flows);
}

static u8 conga_policy_tr_latest(const struct conga_view *view, const u64 *tnl)
{
	u16 left = view->usable;
	u8 latest = __ffs(left);

	for (; left; left &= left - 1)
		if (tnl[__ffs(left)] > tnl[latest])
			latest = __ffs(left);
	return latest;
}

static u16 conga_policy_tr_for_long(const struct conga_view *view,
				    const struct conga_tr_view *tr, u16 set)
{
	set = conga_policy_tr_near_least(set, tr->wait, view->param[CONGA_TR_PARAM_WAIT]);
	set = conga_policy_tr_calm(view, set, tr->packet.slot);
	return conga_policy_tr_least(set, tr->wait);
}

static u8 conga_policy_tr_choose(const struct conga_view *view,
				 const struct conga_tr_view *tr)
{
	u16 set = conga_policy_tr_in_order(view, tr->tnl);

	if (!set)
		return conga_policy_tr_latest(view, tr->tnl);
	if (!tr->has_data)
		return conga_policy_share(view, set, view->random);
	set = tr->is_short ? conga_policy_tr_least(set, tr->tnl) :
			     conga_policy_tr_for_long(view, tr, set);
	return conga_policy_keep_or_draw(view, set);
}

static u8 conga_policy_tr_pick(const struct conga_view *view)
{
	struct conga_tr_flow *flow = view->flow;
	struct conga_tr_view tr;

	conga_policy_tr_look(view, &tr);
	conga_policy_tr_look_at_flow(view, &tr);
	tr.packet.tag = conga_policy_tr_choose(view, &tr);
	if (view->extension.asking)
		return tr.packet.tag;
	WRITE_ONCE(flow->tnl, tr.tnl[tr.packet.tag]);
	if (tr.has_data)
		conga_tr_send(flow, view->extension.shared, &tr.packet);
	return tr.packet.tag;
}

static u8 conga_policy_tr_mark(u32 backlog, u32 mbits)
{
	return conga_wire_queue(conga_queue_code(conga_queue_time(backlog, mbits)));
}

static u32 conga_policy_tr_flows(const void *shared, u8 tag, u64 now, const u32 *param)
{
	return conga_tr_short_flows(shared, tag,
				    conga_tr_slot(now, param[CONGA_TR_PARAM_RTT]));
}

const struct conga_policy conga_policy_tr = {
	.name		= "tr",
	.summary	= "per packet, the uplink of earliest arrival, in order (TR, JoCC 2021)",
	.needs		= CONGA_NEEDS_FLOW | CONGA_NEEDS_RATE |
			  CONGA_NEEDS_BACKLOG | CONGA_NEEDS_RANDOM,
	.flow_size	= sizeof(struct conga_tr_flow),
	.param		= {
		{ "short", "bytes after which a flow is long", 1000,
		  16000000, CONGA_TR_SHORT },
		{ "rtt", "time without a packet, after which a short flow is not active",
		  CONGA_TR_TIME_MIN, CONGA_TR_TIME_MAX, CONGA_TR_RTT, .time = true },
		{ "idle", "time without a packet, after which a flow is new, and short",
		  CONGA_TR_TIME_MIN, CONGA_TR_TIME_MAX, CONGA_TR_IDLE, .time = true },
		{ "margin", "time by which a packet must arrive later to take another uplink",
		  0, CONGA_TR_TIME_MAX, CONGA_TR_MARGIN, .time = true },
		{ "wait", "time that long flows wait longer in queues to avoid short flows",
		  0, CONGA_TR_TIME_MAX, 0, .time = true },
	},
	.pick		= conga_policy_tr_pick,
	.extension	= {
		.shared_size	= sizeof(struct conga_tr_counts),
		.mark		= conga_policy_tr_mark,
		.absorb		= conga_ahead_learn,
		.flows		= conga_policy_tr_flows,
	},
};
