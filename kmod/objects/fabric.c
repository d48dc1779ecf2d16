// SPDX-License-Identifier: GPL-2.0
/* The fabric of a network namespace: its locks and its parameters. */
#include <linux/rtnetlink.h>
#include <net/netns/generic.h>
#include <uapi/linux/conga.h>

#include "objects/fabric.h"

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

/* conga_fabric_invalidate_paths - a port's or a neighbour's state changed; any context */
void conga_fabric_invalidate_paths(struct conga_fabric *fabric)
{
	atomic_inc(&fabric->path_epoch);
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
