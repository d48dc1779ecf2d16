// SPDX-License-Identifier: GPL-2.0
/*
 * The choice of an uplink for a packet: the uplink of its flowlet, if one is in progress;
 * otherwise the policy picks among the uplinks that lead to the leaf.
 */
#include <linux/bitops.h>
#include <linux/if_ether.h>
#include <linux/ktime.h>
#include <linux/prandom.h>
#include <linux/random.h>

#include "datapath/choose.h"
#include "datapath/extension.h"
#include "objects/backlog.h"
#include "packet/flowhash.h"
#include "packet/packet.h"
#include "trace.h"

static void conga_choose_count(const struct conga_choice *choice,
			       enum conga_attr_stats counter)
{
	conga_stats_inc(choice->fabric->stats, counter);
}

/* The usable uplinks for which the policy needs more than zeroes */
static u16 conga_choose_interesting(const struct conga_choice *choice,
				    const struct conga_view *view)
{
	u32 needs = choice->policy->needs;
	u16 found = 0;

	if (needs & CONGA_NEEDS_RATE)
		return view->usable;
	if (needs & CONGA_NEEDS_LOCAL)
		found |= atomic_long_read(&choice->fabric->loaded);
	if (needs & CONGA_NEEDS_REMOTE)
		found |= READ_ONCE(choice->leaf->to.loaded);
	return view->usable & found;
}

/* A view, and the data needed to read backlogs when the policy asks for them */
struct conga_choose_scene {
	struct conga_view	view;
	const struct conga_choice *choice;
	u16			looked;	/* a bit per LBTag */
};

/* Reads the backlog of each uplink once, since the policy may ask again. */
static u32 conga_choose_look(const struct conga_view *view, u8 tag)
{
	struct conga_choose_scene *scene = container_of((struct conga_view *)view,
							struct conga_choose_scene,
							view);
	u32 *backlog = &scene->view.uplink[tag].backlog;
	const struct conga_port *port;

	if (scene->looked & BIT(tag))
		return *backlog;
	scene->looked |= BIT(tag);
	port = conga_port_hop(scene->choice->fabric, tag);
	if (port)
		*backlog = conga_backlog_read(port->backlog, scene->choice->now);
	return *backlog;
}

/* The rate of a path in Mbit/s, never 0: the port's, or a part of it by the route's weight. */
static u32 conga_choose_rate(const struct conga_view *view,
			     const struct conga_view_uplink *uplink,
			     const struct conga_port *port)
{
	u64 rate = conga_port_mbits(port);

	if (!view->uneven)
		return rate;
	return max(rate * uplink->weight / CONGA_WEIGHT_FULL, 1ULL);
}

/* A path outlives its port by a grace period; a path without a port is not usable. */
static void conga_choose_view_uplink(const struct conga_choice *choice,
				     struct conga_view *view, u8 tag)
{
	struct conga_port *port = conga_port_hop(choice->fabric, tag);
	struct conga_view_uplink *uplink = &view->uplink[tag];
	u32 needs = choice->policy->needs;

	if (!port) {
		view->usable &= ~BIT(tag);
		return;
	}
	if (needs & CONGA_NEEDS_LOCAL)
		uplink->local = view->uneven ?
				conga_port_metric_of(port, choice->now, uplink->weight) :
				conga_port_metric(port, choice->now);
	if (needs & CONGA_NEEDS_REMOTE && conga_leaf_is_conga(choice->leaf))
		uplink->remote = conga_toleaf_metric(&choice->leaf->to, tag,
						     choice->now,
						     choice->params->tage,
						     choice->params->q);
	if (needs & CONGA_NEEDS_RATE)
		uplink->rate = conga_choose_rate(view, uplink, port);
	if (uplink->local || uplink->remote)
		view->loaded |= BIT(tag);
}

/* conga_choose_path_anew - find a route again, after the one of the path was given up */
struct dst_entry *conga_choose_path_anew(struct conga_choice *choice, u8 tag)
{
	const struct conga_paths *paths = conga_path_renew(choice->leaf, choice->paths);
	const struct conga_nexthop *nexthop;

	if (IS_ERR(paths))
		return NULL;
	choice->paths = paths;
	choice->mtu = 0;
	nexthop = conga_path_nexthop(paths, tag, choice->hash);
	return nexthop ? nexthop->dst : NULL;
}

/* IPv6 deletes routes without a new generation. */
static void conga_choose_refresh(struct conga_choice *choice)
{
	const struct conga_paths *paths;

	if (conga_leaf_is_v4(choice->leaf) ||
	    conga_path_holds_all(choice->leaf, choice->paths))
		return;
	paths = conga_path_renew(choice->leaf, choice->paths);
	if (!IS_ERR(paths))
		choice->paths = paths;
}

/* A packet that this node sends goes by uplinks; a packet that it forwards may go by any
 * port that leads to the leaf.
 */
static u16 conga_choose_usable(const struct conga_choice *choice)
{
	u16 usable = choice->paths->routed & ~conga_leaf_shut(choice->leaf);

	if (choice->passing)
		return usable;
	return usable & ~READ_ONCE(choice->fabric->transit);
}

/* The draw needs no cryptographic quality: it only spreads flowlets. */
static u32 conga_choose_random(const struct conga_choice *choice)
{
	return prandom_u32_state(this_cpu_ptr(choice->fabric->random));
}

/* A route's weights are statements about capacity: the port with the largest weight has its
 * own rate towards the leaf, the others a part of theirs.
 */
static void conga_choose_view_weights(const struct conga_choice *choice,
				      struct conga_view *view)
{
	const struct conga_path *path = choice->paths->path;
	u32 most = 0;
	u8 tag;

	view->uneven = true;
	for (tag = 0; tag < CONGA_TAGS_MAX; tag++)
		most = max(most, path[tag].weight);
	for (tag = 0; tag < CONGA_TAGS_MAX; tag++)
		view->uplink[tag].weight = DIV_ROUND_UP(path[tag].weight * CONGA_WEIGHT_FULL,
							most);
}

/* The view must be zeroed before; it is large, because it has all uplinks. */
static void conga_choose_view(const struct conga_choice *choice,
			      struct conga_view *view, u8 previous)
{
	u16 interesting;

	view->now = choice->now;
	view->hash = choice->hash;
	view->bytes = choice->bytes;
	view->usable = conga_choose_usable(choice);
	view->previous = previous;
	view->recent = this_cpu_read(*choice->fabric->recent);
	view->sum = choice->params->metric == CONGA_METRIC_SUM;
	view->param = choice->params->policy_param;
	view->flow = choice->flow;
	if (choice->policy->needs & CONGA_NEEDS_RANDOM)
		view->random = conga_choose_random(choice);
	conga_extension_view(view, choice->policy, choice->leaf, choice->params,
			     choice->asking);
	if (choice->policy->needs & CONGA_NEEDS_BACKLOG)
		view->look = conga_choose_look;
	if (unlikely(choice->paths->uneven))
		conga_choose_view_weights(choice, view);
	interesting = conga_choose_interesting(choice, view);
	for (; interesting; interesting &= interesting - 1)
		conga_choose_view_uplink(choice, view, __ffs(interesting));
}

/* Asks the policy. False if no uplink leads to the leaf, or the policy picks none. A path
 * that has just gone down is detected only when it is picked.
 */
static bool conga_choose_pick(struct conga_choice *choice, u8 previous)
{
	struct conga_choose_scene scene = { .choice = choice };
	struct conga_view *view = &scene.view;

	conga_choose_refresh(choice);
	conga_choose_view(choice, view, previous);
	choice->tag = 0;
	while (view->usable) {
		choice->tag = choice->policy->pick(view);
		if (choice->tag == CONGA_TAG_NONE)
			return false;
		choice->dst = conga_choose_path(choice, choice->tag);
		if (choice->dst) {
			if (!choice->asking)
				trace_conga_choice(choice->leaf, view, choice->tag);
			return true;
		}
		view->usable &= ~BIT(choice->tag);
	}
	return false;
}

/* True if the flow's flowlet is in progress, with its uplink; otherwise @previous is set to
 * the uplink that the flow had last.
 */
static bool conga_choose_ask_flowlet(struct conga_choice *choice, u8 *previous)
{
	conga_choose_read(choice);
	choice->tag = conga_flowlet_tag(choice->entry);
	switch (choice->state) {
	case CONGA_FLOWLET_LIVE:
		return conga_choose_path(choice, choice->tag);
	case CONGA_FLOWLET_COLLISION:
		if (conga_choose_path(choice, choice->tag))
			return true;
		choice->policy = conga_policy_opt_out();
		return false;
	case CONGA_FLOWLET_EXPIRED:
		*previous = choice->tag;
		return false;
	default:
		return false;
	}
}

/*
 * conga_choose_ask - the uplink that a packet to @leaf would get now; no state changes
 *
 * BH disabled, RCU. The packet is of full size; if @flow is NULL it begins a new flow.
 * *@tag is set to the uplink's LBTag, unless the packet would be left to the kernel.
 */
enum conga_decision conga_choose_ask(struct conga_leaf *leaf,
				     const struct conga_flow *flow, u8 *tag)
{
	struct conga_choice choice = {
		.fabric	= leaf->fabric,
		.params	= rcu_dereference(leaf->fabric->params),
		.leaf	= leaf,
		.now	= ktime_get_ns(),
		.hash	= get_random_u32(),
		.bytes	= ETH_DATA_LEN,
		.asking	= true,
	};
	enum conga_decision decision = CONGA_DECISION_NEW;
	u8 state[CONGA_POLICY_FLOW_SIZE] __aligned(8) = {};
	u8 previous = CONGA_TAG_NONE;

	choice.paths = conga_path_main(leaf);
	*tag = 0;
	if (!choice.paths)
		return CONGA_DECISION_KERNEL;
	choice.policy = conga_choose_policy(&choice);
	choice.flow = state;
	if (flow) {
		choice.hash = conga_flow_hash(flow, choice.fabric->hash_seed ^
						    leaf->index);
		if (choice.policy->flow_size)
			memcpy(state, conga_flow_state(choice.params, choice.hash),
			       choice.policy->flow_size);
	}
	if (flow && choice.policy->needs & CONGA_NEEDS_MEMORY &&
	    conga_choose_ask_flowlet(&choice, &previous))
		decision = CONGA_DECISION_FLOWLET;
	else if (!conga_choose_pick(&choice, previous))
		decision = CONGA_DECISION_KERNEL;
	*tag = choice.tag;
	return decision;
}

static void conga_choose_count_flowlet(const struct conga_choice *choice,
				       u8 previous)
{
	if (choice->state == CONGA_FLOWLET_LIVE) {
		conga_choose_count(choice, CONGA_A_STATS_FLOWLETS_REROUTED);
		return;
	}
	conga_choose_count(choice, CONGA_A_STATS_FLOWLETS_STARTED);
	if (choice->state == CONGA_FLOWLET_EXPIRED)
		conga_choose_count(choice, choice->tag == previous ?
				   CONGA_A_STATS_FLOWLETS_KEPT :
				   CONGA_A_STATS_FLOWLETS_MOVED);
}

/* A draw that differs from the flow's previous one, or 0, by which the packet keeps its port */
static u8 conga_choose_draw(const struct conga_choice *choice)
{
	if (!choice->policy->rehash)
		return 0;
	return conga_flowlet_redraw(conga_flowlet_draw(choice->entry),
				    conga_choose_random(choice));
}

/* The hash of the flow decides, so that its packets stay in order without any state. */
static bool conga_choose_by_hash(struct conga_choice *choice)
{
	choice->policy = conga_policy_opt_out();
	return conga_choose_pick(choice, CONGA_TAG_NONE);
}

/* The entry of the flow has a flowlet in progress towards another leaf. The flows share its
 * uplink, which costs an opportunity, never order (section 3.4, remark 1). If that uplink
 * does not lead to this leaf, the flow goes by its hash until both flows pause: if a pause
 * of one were enough, the other would change its uplink without a pause.
 */
static bool conga_choose_by_other(struct conga_choice *choice)
{
	conga_choose_count(choice, CONGA_A_STATS_FLOWLET_COLLISIONS);
	if (conga_choose_follow(choice))
		return true;
	conga_choose_go_on(choice);
	return conga_choose_by_hash(choice);
}

/* One decision per flowlet, sections 3.4 and 3.5 */
static bool conga_choose_by_flowlet(struct conga_choice *choice)
{
	u8 previous = CONGA_TAG_NONE;

	if (choice->state == CONGA_FLOWLET_COLLISION)
		return conga_choose_by_other(choice);
	if (choice->state == CONGA_FLOWLET_EXPIRED)
		previous = conga_flowlet_tag(choice->entry);
	if (!conga_choose_pick(choice, previous))
		return false;
	choice->draw = conga_choose_draw(choice);
	conga_choose_write(choice);
	conga_choose_count_flowlet(choice, previous);
	return true;
}

/* One decision per packet, with the uplink of the flow's previous packet. Flows are
 * identified as flowlets are; a flowlet is counted as started only where the flow moves.
 */
static bool conga_choose_by_flow(struct conga_choice *choice)
{
	u8 previous = CONGA_TAG_NONE;

	conga_choose_read(choice);
	if (choice->state == CONGA_FLOWLET_EXPIRED)
		previous = conga_flowlet_tag(choice->entry);
	if (choice->policy->flow_size)
		choice->flow = conga_flow_state(choice->params, choice->hash);
	if (!conga_choose_pick(choice, previous))
		return false;
	if (choice->tag == previous && !choice->stale)
		return true;
	conga_choose_write(choice);
	if (choice->tag != previous)
		conga_choose_count_flowlet(choice, previous);
	return true;
}

/* One decision per packet, without any flow */
static bool conga_choose_by_packet(struct conga_choice *choice)
{
	if (!conga_choose_pick(choice, CONGA_TAG_NONE))
		return false;
	if (choice->policy->needs & CONGA_NEEDS_RECENT)
		this_cpu_write(*choice->fabric->recent, choice->tag);
	return true;
}

/*
 * conga_choose_anew - sets the uplink of a packet that continues no flowlet
 *
 * conga_choose() must have set the policy, and read the flowlet if there is one. Returns
 * what conga_choose() returns.
 */
bool conga_choose_anew(struct conga_choice *choice)
{
	bool chosen;

	choice->flow = NULL;
	choice->draw = 0;
	if (choice->policy->needs & CONGA_NEEDS_FLOWLET)
		chosen = conga_choose_by_flowlet(choice);
	else if (choice->policy->needs & CONGA_NEEDS_FLOW)
		chosen = conga_choose_by_flow(choice);
	else
		chosen = conga_choose_by_packet(choice);
	if (!chosen)
		conga_choose_count(choice, choice->tag == CONGA_TAG_NONE ?
					   CONGA_A_STATS_FALLBACK_NO_PROBE :
					   CONGA_A_STATS_FALLBACK_NO_PATH);
	return chosen;
}
