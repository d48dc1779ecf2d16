/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_CHOOSE_H
#define _CONGA_CHOOSE_H

/* The continuation of a flowlet is inline, because conga_tx() and conga_forward() do that
 * for every packet but the first of a flowlet.
 */
#include "objects/fabric.h"
#include "objects/flowlets.h"
#include "objects/leaf.h"
#include "objects/path_dst.h"
#include "objects/port.h"
#include "policies/policy.h"

struct conga_flow;

/* The question about one packet, and the answer */
struct conga_choice {
	struct conga_fabric		*fabric;
	const struct conga_params	*params;
	struct conga_leaf		*leaf;	/* its destination */
	const struct conga_paths	*paths;	/* the paths that it may take */
	u64				now;	/* ns */
	u32				hash;	/* of the inner flow */
	u32				bytes;	/* of the packet */
	bool				opted_out; /* exempted by the user */
	bool				passing; /* sent by another node */
	bool				asking;	/* no packet is sent */

	const struct conga_policy	*policy; /* decides about the packet */
	conga_flowlet_t			*slot;	/* of the flow in the flowlet table */
	conga_flowlet_t			entry;	/* that slot's content, read once */
	enum conga_flowlet_state	state;	/* of the entry, for this packet */
	bool				stale;	/* the entry's time is not this packet's grain */
	void				*flow;	/* the policy's state of the flow */
	u8				tag;	/* of the chosen uplink */
	u8				draw;	/* of the flowlet, if the policy rehashes */
	struct dst_entry		*dst;	/* the route by it; no reference */
	u32				mtu;	/* of that route, in bytes; 0: call dst_mtu() */
};

/* The fabric's policy, unless the user exempted the packet, or the policy needs feedback
 * that tells more than this leaf's does; then another policy.
 */
static inline const struct conga_policy *
conga_choose_policy(const struct conga_choice *choice)
{
	const struct conga_policy *policy = choice->params->policy;

	if (choice->opted_out)
		return conga_policy_opt_out();
	if (policy->plain && !conga_leaf_informs(choice->leaf))
		return policy->plain;
	return policy;
}

/* choose.c: like conga_choose_path(), after a route was given up */
struct dst_entry *conga_choose_path_anew(struct conga_choice *choice, u8 tag);

/* The route by the uplink @tag, NULL if that uplink is not usable now */
static inline struct dst_entry *conga_choose_path(struct conga_choice *choice, u8 tag)
{
	const struct conga_port *port = conga_port_hop(choice->fabric, tag);
	const struct conga_nexthop *nexthop;

	if (!port || !conga_port_up(port) || conga_leaf_is_silent(choice->leaf, tag))
		return NULL;
	nexthop = conga_path_nexthop(choice->paths, tag, choice->hash);
	if (!nexthop)
		return NULL;
	/* A nexthop of IPv6 has a cookie in its place. */
	choice->mtu = likely(conga_leaf_is_v4(choice->leaf)) ? nexthop->mtu : 0;
	if (likely(conga_path_holds(choice->leaf, nexthop->dst, nexthop->cookie)))
		return nexthop->dst;
	return conga_choose_path_anew(choice, tag);
}

/* A policy that decides for each packet has no flowlets: every packet is as after a pause. */
static inline void conga_choose_read(struct conga_choice *choice)
{
	struct conga_flowlets *flowlets;
	u64 tfl = choice->policy->needs & CONGA_NEEDS_FLOWLET ?
		  choice->params->tfl : 0;

	flowlets = rcu_dereference(choice->fabric->flowlets);
	choice->slot = &flowlets->entry[choice->hash & flowlets->mask];
	choice->entry = READ_ONCE(*choice->slot);
	choice->state = conga_flowlet_state(choice->entry, choice->leaf->index,
					    choice->now, tfl);
	choice->stale = conga_flowlet_stale(choice->entry, choice->now);
}

/* Writes that a flowlet begins with this packet. */
static inline void conga_choose_write(const struct conga_choice *choice)
{
	conga_flowlet_t entry = conga_flowlet_make(choice->tag, choice->leaf->index,
						   choice->now);

	WRITE_ONCE(*choice->slot, conga_flowlet_with_draw(entry, choice->draw));
}

/* Writes that the flowlet in the entry continues with this packet. */
static inline void conga_choose_go_on(const struct conga_choice *choice)
{
	if (likely(choice->stale))
		WRITE_ONCE(*choice->slot, conga_flowlet_renew(choice->entry,
							      choice->now));
}

/* The packet takes the uplink of the entry, if that path is usable. */
static inline bool conga_choose_follow(struct conga_choice *choice)
{
	choice->tag = conga_flowlet_tag(choice->entry);
	choice->draw = conga_flowlet_draw(choice->entry);
	choice->dst = conga_choose_path(choice, choice->tag);
	if (!choice->dst)
		return false;
	conga_choose_go_on(choice);
	return true;
}

/* A flowlet in progress keeps its uplink while the path is usable. */
static inline bool conga_choose_continue(struct conga_choice *choice)
{
	conga_choose_read(choice);
	return likely(choice->state == CONGA_FLOWLET_LIVE) && conga_choose_follow(choice);
}

/* BH disabled, RCU */
bool conga_choose_anew(struct conga_choice *choice);
enum conga_decision conga_choose_ask(struct conga_leaf *leaf,
				     const struct conga_flow *flow, u8 *tag);

/*
 * conga_choose - sets the uplink of a packet, and the route by it
 *
 * BH disabled, RCU. If no uplink leads to the leaf, this is counted, and the result is
 * false.
 */
static inline bool conga_choose(struct conga_choice *choice)
{
	choice->policy = conga_choose_policy(choice);
	if (likely(choice->policy->needs & CONGA_NEEDS_FLOWLET) &&
	    likely(conga_choose_continue(choice)))
		return true;
	return conga_choose_anew(choice);
}

#endif /* _CONGA_CHOOSE_H */
