/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_FLOWLETS_H
#define _CONGA_FLOWLETS_H

/*
 * conga_flow_state() is inline, because policies that keep state for each flow decide for
 * every packet, so that conga_tx() and conga_forward() look it up for every packet
 * (choose.c).
 */
#include <linux/cache.h>
#include <linux/rcupdate.h>
#include <linux/types.h>

#include "objects/fabric.h"
#include "paper/flowlet.h"

/* The table is an allocation of its own: with a header in it, a table of a power of two
 * would take one page more, or twice as many. Every packet reads this structure, so that it
 * shares no cache line with data that others write.
 */
struct conga_flowlets {
	conga_flowlet_t	*entry;		/* by the lower bits of the flow hash */
	u32		mask;
	struct rcu_head	rcu;
} ____cacheline_aligned_in_smp;

/* The state that the policy keeps for each flow, by the lower bits of the flow hash, and
 * for all flows together. New parameters take it over if policy, its parameters and the
 * size stay the same.
 */
struct conga_flow_states {
	u32		mask;
	u8		size;	/* bytes of one flow's state */
	void		*shared; /* behind the flows' states, in cache lines of its own */
	struct rcu_head	rcu;
	u8		state[] __aligned(8);
};

/* The locks are held */
struct conga_flowlets *conga_flowlets_create(u32 size);
void conga_flowlets_free(struct conga_flowlets *flowlets);
void conga_flowlets_publish(struct conga_fabric *fabric,
			    struct conga_flowlets *flowlets);
void conga_flowlets_flush(struct conga_fabric *fabric);
int conga_flow_states_create(struct conga_params *params);

/* conga_flow_state - the state of the flow with @hash; the policy must keep some */
static inline void *conga_flow_state(const struct conga_params *params, u32 hash)
{
	struct conga_flow_states *states = params->flow_states;

	return &states->state[(hash & states->mask) * states->size];
}

#endif /* _CONGA_FLOWLETS_H */
