// SPDX-License-Identifier: GPL-2.0
/* The fabric of a network namespace: its locks and its parameters. */
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <net/netns/generic.h>
#include <uapi/linux/conga.h>

#include "objects/extension.h"
#include "objects/fabric.h"
#include "objects/flowlets.h"
#include "objects/leaf.h"

static unsigned int conga_net_id __read_mostly;

struct conga_net *conga_net(const struct net *net)
{
	return net_generic(net, conga_net_id);
}

static int __net_init conga_net_init(struct net *net)
{
	mutex_init(&conga_net(net)->lock);
	return 0;
}

static struct pernet_operations conga_net_ops = {
	.init	= conga_net_init,
	.id	= &conga_net_id,
	.size	= sizeof(struct conga_net),
};

/* conga_fabric_init - allocates the memory of every network namespace */
int conga_fabric_init(void)
{
	return register_pernet_subsys(&conga_net_ops);
}

void conga_fabric_exit(void)
{
	unregister_pernet_subsys(&conga_net_ops);
}

/* conga_lock - takes the locks for a change; may sleep. See DOC: Locking. */
void conga_lock(struct net *net)
{
	rtnl_lock();
	mutex_lock(&conga_net(net)->lock);
}

void conga_unlock(struct net *net)
{
	mutex_unlock(&conga_net(net)->lock);
	rtnl_unlock();
}

void conga_assert_locked(const struct conga_fabric *fabric)
{
	ASSERT_RTNL();
	lockdep_assert_held(&conga_net(fabric->net)->lock);
}

/* conga_fabric_get_locked - the fabric, under the mutex; NULL if there is none */
struct conga_fabric *conga_fabric_get_locked(struct net *net)
{
	struct conga_net *cnet = conga_net(net);

	return rcu_dereference_protected(cnet->fabric,
					 lockdep_is_held(&cnet->lock));
}

/* conga_fabric_params - the parameters, under the mutex or RCU */
struct conga_params *conga_fabric_params(const struct conga_fabric *fabric)
{
	struct conga_net *cnet = conga_net(fabric->net);

	return rcu_dereference_check(fabric->params,
				     lockdep_is_held(&cnet->lock));
}

/* A look for news walks all leaves. With many leaves, looks are so far apart that they take
 * a bounded fraction of the time, however often objects change: 256 ms for 65,535 leaves,
 * and nearly 0 for a few.
 */
#define CONGA_FABRIC_LEAVES_PER_MS	256

/* conga_fabric_changed - there may be news to report; any context */
void conga_fabric_changed(struct conga_fabric *fabric)
{
	u64 ms = READ_ONCE(fabric->leaf_count) / CONGA_FABRIC_LEAVES_PER_MS;

	if (!READ_ONCE(fabric->leaving))
		queue_delayed_work(system_wq, &fabric->event_work,
				   conga_pace_jiffies(&fabric->event_pace,
						      ms * NSEC_PER_MSEC));
}

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

/* conga_fabric_publish - from now on events find it, and packets find it once its hooks are
 * attached
 */
void conga_fabric_publish(struct conga_fabric *fabric)
{
	conga_assert_locked(fabric);
	conga_pace_enter(fabric->net);
	rcu_assign_pointer(conga_net(fabric->net)->fabric, fabric);
}

/* conga_fabric_make_dead - unpublish; its hooks and ports must be gone already */
void conga_fabric_make_dead(struct conga_fabric *fabric)
{
	conga_assert_locked(fabric);
	RCU_INIT_POINTER(conga_net(fabric->net)->fabric, NULL);
	conga_pace_leave(fabric->net);
}

/* conga_fabric_free - after a grace period since it was made dead */
void conga_fabric_free(struct conga_fabric *fabric)
{
	conga_leaf_table_clean(fabric);
	conga_fabric_release(fabric);
}
