// SPDX-License-Identifier: GPL-2.0
/*
 * Which uplink does a packet take? That of its flowlet, if one is in progress, or
 * what the policy picks among the uplinks that lead to the leaf.
 */
#include <linux/bitops.h>
#include <linux/if_ether.h>
#include <linux/ktime.h>
#include <linux/random.h>

#include "choose.h"
#include "leaf.h"
#include "packet.h"
#include "port.h"

static void conga_choose_count(const struct conga_choice *choice,
			       enum conga_attr_stats counter)
{
	conga_stats_inc(choice->fabric->stats, counter);
}

/* The fabric's policy, unless the user exempted the packet, or it needs feedback that
 * this leaf does not give.
 */
static const struct conga_policy *
conga_choose_policy(const struct conga_choice *choice)
{
	const struct conga_policy *policy = choice->params->policy;

	if (choice->opted_out)
		return conga_policy_opt_out();
	if (policy->plain && !conga_leaf_is_conga(choice->leaf))
		return policy->plain;
	return policy;
}

static struct dst_entry *conga_choose_path(const struct conga_choice *choice,
					   u8 tag)
{
	struct conga_port *port = conga_port_hop(choice->fabric, tag);

	if (!port || conga_leaf_is_silent(choice->leaf, tag))
		return NULL;
	return conga_path_dst(choice->leaf, port);
}

static conga_flowlet_t *conga_choose_slot(const struct conga_choice *choice)
{
	struct conga_flowlets *flowlets;

	flowlets = rcu_dereference(choice->fabric->flowlets);
	return &flowlets->entry[choice->hash & flowlets->mask];
}

/* Which usable uplinks may have more to say than zeroes? */
static u16 conga_choose_interesting(const struct conga_choice *choice,
				    const struct conga_view *view)
{
	u32 needs = choice->policy->needs;
	u16 found = 0;

	if (needs & (CONGA_NEEDS_RATE | CONGA_NEEDS_BACKLOG))
		return view->usable;
	if (needs & CONGA_NEEDS_LOCAL)
		found |= READ_ONCE(choice->fabric->loaded);
	if (needs & CONGA_NEEDS_REMOTE)
		found |= READ_ONCE(choice->leaf->to.loaded);
	return view->usable & found;
}

static void conga_choose_view_uplink(const struct conga_choice *choice,
				     struct conga_view *view, u8 tag)
{
	struct conga_port *port = conga_port_hop(choice->fabric, tag);
	struct conga_view_uplink *uplink = &view->uplink[tag];
	u32 needs = choice->policy->needs;

	if (needs & CONGA_NEEDS_LOCAL && port)
		uplink->local = conga_port_metric(port, choice->now);
	if (needs & CONGA_NEEDS_REMOTE && conga_leaf_is_conga(choice->leaf))
		uplink->remote = conga_toleaf_metric(&choice->leaf->to, tag,
						     choice->now,
						     choice->params->tage,
						     choice->params->q);
	if (needs & CONGA_NEEDS_RATE && port)
		uplink->rate = conga_port_mbits(port);
	if (needs & CONGA_NEEDS_BACKLOG && port)
		uplink->backlog = conga_port_backlog(port);
	if (uplink->local || uplink->remote)
		view->loaded |= BIT(tag);
}

/* What this box sends goes by uplinks; what passes it, by any port that leads there. */
static u16 conga_choose_usable(const struct conga_choice *choice)
{
	u16 usable = conga_path_routed(choice->leaf) &
		     ~conga_leaf_shut(choice->leaf);

	if (choice->passing)
		return usable;
	return usable & ~READ_ONCE(choice->fabric->transit);
}

static u8 conga_choose_best(const struct conga_choice *choice)
{
	return conga_hula_hop(READ_ONCE(choice->leaf->hula.best), choice->now,
			      conga_params_tfail(choice->params));
}

static void conga_choose_view(const struct conga_choice *choice,
			      struct conga_view *view, u8 previous)
{
	u16 interesting;

	*view = (struct conga_view) {
		.now		= choice->now,
		.hash		= choice->hash,
		.bytes		= choice->bytes,
		.usable		= conga_choose_usable(choice),
		.previous	= previous,
		.recent		= this_cpu_read(*choice->fabric->recent),
		.sum		= choice->params->metric == CONGA_METRIC_SUM,
		.param		= choice->params->policy_param,
		.flow		= choice->flow,
	};
	if (choice->policy->needs & CONGA_NEEDS_RANDOM)
		view->random = get_random_u32();
	if (choice->policy->needs & CONGA_NEEDS_PROBES)
		view->best = conga_choose_best(choice);
	interesting = conga_choose_interesting(choice, view);
	for (; interesting; interesting &= interesting - 1)
		conga_choose_view_uplink(choice, view, __ffs(interesting));
}

/* Ask the policy. False if no uplink leads to the leaf, or the policy knows none. One
 * that went down this moment is found out only when it is picked.
 */
static bool conga_choose_pick(struct conga_choice *choice, u8 previous)
{
	struct conga_view view;

	conga_choose_view(choice, &view, previous);
	choice->tag = 0;
	while (view.usable) {
		choice->tag = choice->policy->pick(&view);
		if (choice->tag == CONGA_TAG_NONE)
			return false;
		choice->dst = conga_choose_path(choice, choice->tag);
		if (choice->dst)
			return true;
		view.usable &= ~BIT(choice->tag);
	}
	return false;
}

/* Whoever decides for each packet has no flowlets: its flow is as if it had paused. */
static __always_inline enum conga_flowlet_state
conga_choose_state(const struct conga_choice *choice, conga_flowlet_t entry)
{
	u64 tfl = choice->policy->needs & CONGA_NEEDS_FLOWLET ?
		  choice->params->tfl : 0;

	return conga_flowlet_state(entry, choice->leaf->index, choice->now, tfl);
}

/* The uplink of the flow's flowlet, if that is in progress; else @previous is the
 * one that it had last.
 */
static bool conga_choose_ask_flowlet(struct conga_choice *choice, u8 *previous)
{
	conga_flowlet_t entry = READ_ONCE(*conga_choose_slot(choice));

	choice->tag = conga_flowlet_tag(entry);
	switch (conga_choose_state(choice, entry)) {
	case CONGA_FLOWLET_LIVE:
		return conga_choose_path(choice, choice->tag);
	case CONGA_FLOWLET_EXPIRED:
		*previous = choice->tag;
		return false;
	default:
		return false;
	}
}

/*
 * conga_choose_ask - what would a packet to @leaf get now? Nothing changes by it.
 *
 * BH disabled, RCU. Of a full packet; without @flow of any new flow. *@tag is the
 * uplink's, unless the packet would be left to the kernel.
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
	};
	enum conga_decision decision = CONGA_DECISION_NEW;
	u8 state[CONGA_POLICY_FLOW_SIZE] __aligned(8) = {};
	u8 previous = CONGA_TAG_NONE;

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
				       enum conga_flowlet_state state,
				       u8 previous)
{
	if (state == CONGA_FLOWLET_LIVE) {
		conga_choose_count(choice, CONGA_A_STATS_FLOWLETS_REROUTED);
		return;
	}
	conga_choose_count(choice, CONGA_A_STATS_FLOWLETS_STARTED);
	if (state == CONGA_FLOWLET_COLLISION)
		conga_choose_count(choice, CONGA_A_STATS_FLOWLET_COLLISIONS);
	else if (state == CONGA_FLOWLET_EXPIRED)
		conga_choose_count(choice, choice->tag == previous ?
				   CONGA_A_STATS_FLOWLETS_KEPT :
				   CONGA_A_STATS_FLOWLETS_MOVED);
}

/* A flowlet in progress keeps its uplink while the path is usable. */
static bool conga_choose_continue(struct conga_choice *choice,
				  conga_flowlet_t *slot,
				  conga_flowlet_t entry)
{
	choice->tag = conga_flowlet_tag(entry);
	choice->draw = conga_flowlet_draw(entry);
	choice->dst = conga_choose_path(choice, choice->tag);
	if (!choice->dst)
		return false;
	if (conga_flowlet_stale(entry, choice->now))
		WRITE_ONCE(*slot, conga_flowlet_renew(entry, choice->now));
	return true;
}

/* Another one than the flow had, or none, which leaves the packet its port. */
static u8 conga_choose_draw(const struct conga_choice *choice, conga_flowlet_t entry)
{
	if (!choice->policy->rehash)
		return 0;
	return conga_flowlet_redraw(conga_flowlet_draw(entry), get_random_u32());
}

/* Per flowlet, section 3.4 and 3.5. */
static bool conga_choose_by_flowlet(struct conga_choice *choice)
{
	conga_flowlet_t *slot = conga_choose_slot(choice);
	conga_flowlet_t entry = READ_ONCE(*slot);
	enum conga_flowlet_state state;
	u8 previous = CONGA_TAG_NONE;

	state = conga_choose_state(choice, entry);
	if (state == CONGA_FLOWLET_LIVE &&
	    conga_choose_continue(choice, slot, entry))
		return true;
	if (state == CONGA_FLOWLET_EXPIRED)
		previous = conga_flowlet_tag(entry);
	if (!conga_choose_pick(choice, previous))
		return false;
	choice->draw = conga_choose_draw(choice, entry);
	entry = conga_flowlet_make(choice->tag, choice->leaf->index, choice->now);
	WRITE_ONCE(*slot, conga_flowlet_with_draw(entry, choice->draw));
	conga_choose_count_flowlet(choice, state, previous);
	return true;
}

/* Per packet, knowing which uplink the flow's last one took. A flow is told apart as
 * a flowlet is; only where it moves is that counted as the start of one.
 */
static bool conga_choose_by_flow(struct conga_choice *choice)
{
	conga_flowlet_t *slot = conga_choose_slot(choice);
	conga_flowlet_t entry = READ_ONCE(*slot);
	enum conga_flowlet_state state = conga_choose_state(choice, entry);
	u8 previous = CONGA_TAG_NONE;

	if (state == CONGA_FLOWLET_EXPIRED)
		previous = conga_flowlet_tag(entry);
	if (choice->policy->flow_size)
		choice->flow = conga_flow_state(choice->params, choice->hash);
	if (!conga_choose_pick(choice, previous))
		return false;
	if (choice->tag == previous && !conga_flowlet_stale(entry, choice->now))
		return true;
	WRITE_ONCE(*slot, conga_flowlet_make(choice->tag, choice->leaf->index,
					     choice->now));
	if (choice->tag != previous)
		conga_choose_count_flowlet(choice, state, previous);
	return true;
}

/* Per packet, whatever the flow. */
static bool conga_choose_by_packet(struct conga_choice *choice)
{
	if (!conga_choose_pick(choice, CONGA_TAG_NONE))
		return false;
	if (choice->policy->needs & CONGA_NEEDS_RECENT)
		this_cpu_write(*choice->fabric->recent, choice->tag);
	return true;
}

/*
 * conga_choose - sets the uplink of a packet, and the way by it
 *
 * False, and counted, if no uplink leads to the leaf.
 */
bool conga_choose(struct conga_choice *choice)
{
	bool chosen;

	choice->policy = conga_choose_policy(choice);
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
