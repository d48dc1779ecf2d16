// SPDX-License-Identifier: GPL-2.0
/* Tables by the hash of a flow: its flowlet, and the state that the policy keeps for it. */
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/rtnetlink.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "objects/fabric.h"
#include "objects/flowlets.h"
#include "policies/policy.h"

/* The user chooses the size of tables. If there is no memory, the reply reports it; the
 * kernel's log gets no backtrace. Where a control group limits the memory, the same reply
 * reports it, and no program of the group is killed.
 */
#define CONGA_FLOWLETS_GFP	(GFP_KERNEL_ACCOUNT | __GFP_NOWARN | __GFP_RETRY_MAYFAIL)

/* conga_flowlets_create - an empty table of @size entries, a power of two */
struct conga_flowlets *conga_flowlets_create(u32 size)
{
	struct conga_flowlets *flowlets = kzalloc(sizeof(*flowlets),
						  GFP_KERNEL_ACCOUNT);

	if (!flowlets)
		return NULL;
	flowlets->mask = size - 1;
	flowlets->entry = kvcalloc(size, sizeof(*flowlets->entry),
				   CONGA_FLOWLETS_GFP);
	if (flowlets->entry)
		return flowlets;
	kfree(flowlets);
	return NULL;
}

/* conga_flowlets_free - free a table that was never published, or after RCU; NULL is allowed */
void conga_flowlets_free(struct conga_flowlets *flowlets)
{
	if (!flowlets)
		return;
	kvfree(flowlets->entry);
	kfree(flowlets);
}

/* This runs in softirq, where vfree() leaves the work to a worker of its own. */
static void conga_flowlets_free_rcu(struct rcu_head *rcu)
{
	conga_flowlets_free(container_of(rcu, struct conga_flowlets, rcu));
}

/* conga_flowlets_publish - takes @flowlets over, frees the old table after RCU */
void conga_flowlets_publish(struct conga_fabric *fabric,
			    struct conga_flowlets *flowlets)
{
	struct conga_flowlets *old;

	conga_assert_locked(fabric);
	old = rcu_replace_pointer(fabric->flowlets, flowlets, true);
	call_rcu(&old->rcu, conga_flowlets_free_rcu);
}

#define CONGA_FLOWLETS_FLUSH_STEP	4096	/* entries, before other tasks may have the
						 * processor
						 */

/* conga_flowlets_flush - every flow decides anew; the locks are held, may sleep */
void conga_flowlets_flush(struct conga_fabric *fabric)
{
	struct conga_flowlets *flowlets;
	u32 i;

	conga_assert_locked(fabric);
	flowlets = rtnl_dereference(fabric->flowlets);
	for (i = 0; i <= flowlets->mask; i++) {
		WRITE_ONCE(flowlets->entry[i], 0);
		if (!(i % CONGA_FLOWLETS_FLUSH_STEP))
			cond_resched();
	}
}

/*
 * conga_flow_states_create - create the state that the policy of @params keeps for each
 * flow
 *
 * May sleep. Returns 0, or -ENOMEM and leaves @params as they were.
 */
int conga_flow_states_create(struct conga_params *params)
{
	size_t all = (size_t)params->flowlets * params->policy->flow_size;
	size_t shared = params->policy->extension.shared_size;
	struct conga_flow_states *states = NULL;

	if (shared)
		shared += SMP_CACHE_BYTES;
	if (all) {
		states = kvzalloc(struct_size(states, state, all + shared),
				  CONGA_FLOWLETS_GFP);
		if (!states)
			return -ENOMEM;
		states->mask = params->flowlets - 1;
		states->size = params->policy->flow_size;
		states->shared = PTR_ALIGN(&states->state[all], SMP_CACHE_BYTES);
	}
	params->flow_states = states;
	return 0;
}
