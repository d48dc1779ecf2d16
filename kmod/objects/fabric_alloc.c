// SPDX-License-Identifier: GPL-2.0
/* The memory of a fabric, and the parameters with which it begins. */
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <uapi/linux/conga.h>

#include "objects/extension.h"
#include "objects/fabric.h"
#include "objects/fabric_alloc.h"
#include "objects/flowlets.h"
#include "objects/leaf_table.h"

/* A random id, but never 0, which stands for an id that is not known yet. */
static u32 conga_fabric_draw_id(void)
{
	u32 id;

	do {
		id = get_random_u32();
	} while (!id);
	return id;
}

/* conga_params_setup - sets the defaults in @net; netlink/params_generated.c has those of
 * plain parameters
 */
void conga_params_setup(struct conga_params *params, const struct net *net)
{
	*params = (struct conga_params) {
		.policy		= &conga_policy_conga,
		.tfl		= CONGA_FABRIC_FLOWLET_TIMEOUT_USUAL,
		.opt_out_dscp	= CONGA_FABRIC_OPT_OUT_DSCP_DEFAULT,
		.leaf_id	= conga_fabric_draw_id(),
		.dstports	= { .port = { htons(CONGA_FABRIC_DSTPORT_DEFAULT) }, .count = 1 },
	};
	conga_extension_setup_params(params, net);
}

static int conga_fabric_alloc(struct conga_fabric *fabric,
			      const struct conga_params *params)
{
	struct conga_flowlets *flowlets = conga_flowlets_create(params->flowlets);
	struct conga_params *copy = kmemdup(params, sizeof(*params), GFP_KERNEL);
	int cpu;

	RCU_INIT_POINTER(fabric->flowlets, flowlets);
	RCU_INIT_POINTER(fabric->params, copy);
	fabric->stats = conga_stats_create();
	fabric->recent = alloc_percpu(u8);
	fabric->random = alloc_percpu(struct rnd_state);
	if (!flowlets || !copy || !fabric->stats || !fabric->recent ||
	    !fabric->random || conga_flow_states_create(copy))
		return -ENOMEM;
	prandom_seed_full_state(fabric->random);
	for_each_possible_cpu(cpu) {
		u8 *recent = per_cpu_ptr(fabric->recent, cpu);

		*recent = CONGA_TAG_NONE;
	}
	return conga_leaf_table_setup(fabric);
}

static void conga_fabric_release(struct conga_fabric *fabric)
{
	struct conga_params *params = rcu_dereference_raw(fabric->params);

	free_percpu(fabric->random);
	free_percpu(fabric->recent);
	free_percpu(fabric->stats);
	conga_flowlets_free(rcu_dereference_raw(fabric->flowlets));
	if (params)
		kvfree(params->flow_states);
	kfree(params);
	kfree(fabric);
}

/*
 * conga_fabric_create - create a fabric of @net that is not published yet
 *
 * May sleep. Returns an ERR_PTR without memory.
 */
struct conga_fabric *conga_fabric_create(struct net *net,
					 const struct conga_params *params)
{
	struct conga_fabric *fabric = kzalloc(sizeof(*fabric), GFP_KERNEL);
	int err;

	if (!fabric)
		return ERR_PTR(-ENOMEM);
	fabric->net = net;
	fabric->hash_seed = get_random_u32();
	INIT_LIST_HEAD(&fabric->ports);
	xa_init_flags(&fabric->leaf_index, XA_FLAGS_ALLOC1);
	err = conga_fabric_alloc(fabric, params);
	if (err) {
		conga_fabric_release(fabric);
		return ERR_PTR(err);
	}
	return fabric;
}

/* conga_fabric_free - after a grace period since it was made dead */
void conga_fabric_free(struct conga_fabric *fabric)
{
	conga_leaf_free_all(fabric);
	conga_fabric_release(fabric);
}
