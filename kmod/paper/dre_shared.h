/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_DRE_SHARED_H
#define _CONGA_DRE_SHARED_H

/* Inline, because conga_link() adds every packet; conga_port_metric() reads the sum once a
 * flowlet.
 */
#include <asm/barrier.h>
#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/llist.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/seqlock.h>
#include <linux/types.h>

#include "paper/dre.h"

/* A CPU's share. The CPU writes it with BH and preemption disabled; the seqcount is for other
 * CPUs, which sum the shares. The share is in the list from the CPU's first packet on. It has a
 * cache line of its own, which other CPUs read once in a period: whatever else the allocator of
 * per-CPU memory put there would move along.
 */
struct conga_dre_share {
	seqcount_t		seq;
	bool			listed;
	struct conga_dre_cell	cell;
	struct llist_node	node;
} ____cacheline_aligned_in_smp;

/* One link's DRE, shared by all CPUs. Every packet reads all of it. One packet per period
 * writes the sum, which therefore has a cache line apart from the pointer and from the
 * neighbours of this structure.
 */
struct conga_dre_shared {
	struct conga_dre_share __percpu	*shares;
	struct llist_head		list;	/* shares of CPUs that ever sent */
	/* X at the start of sum_period; the first reader in a period writes it */
	u64		sum ____cacheline_aligned_in_smp;
	u64		sum_period;
};

int conga_dre_shared_setup(struct conga_dre_shared *shared);
void conga_dre_shared_clean(struct conga_dre_shared *shared);
void conga_dre_shared_enlist(struct conga_dre_shared *shared,
			     struct conga_dre_share *own);
u64 conga_dre_shared_sum(const struct conga_dre_params *params,
			 struct conga_dre_shared *shared, u64 period);

/* Has no other CPU ever sent by this link? Then the sum is our own share, and nobody needs it in
 * the line that CPUs share.
 */
static inline bool conga_dre_shared_alone(const struct conga_dre_shared *shared,
					  const struct conga_dre_share *own)
{
	return READ_ONCE(shared->list.first) == &own->node && !own->node.next;
}

static inline u64 conga_dre_shared_in(const struct conga_dre_params *params,
				      struct conga_dre_shared *shared,
				      const struct conga_dre_share *own,
				      u64 period)
{
	u64 x;

	if (conga_dre_shared_alone(shared, own))
		x = conga_dre_at(params, &own->cell, period);
	/* Paired with the release in conga_dre_shared_sum(). */
	else if (smp_load_acquire(&shared->sum_period) == period)
		x = READ_ONCE(shared->sum);
	else
		x = conga_dre_shared_sum(params, shared, period);
	return x + conga_dre_own(&own->cell, period);
}

/* conga_dre_shared_x - X in DRE units; BH disabled */
static inline u64 conga_dre_shared_x(const struct conga_dre_params *params,
				     struct conga_dre_shared *shared, u64 now)
{
	return conga_dre_shared_in(params, shared, this_cpu_ptr(shared->shares),
				   conga_dre_period(params, now));
}

/* conga_dre_shared_add - count @bytes; returns X with them. BH disabled
 *
 * With PREEMPT_RT that does not keep a task of a higher priority from this CPU. Readers on other
 * CPUs would wait until the writer runs again.
 */
static inline u64 conga_dre_shared_add(const struct conga_dre_params *params,
				       struct conga_dre_shared *shared,
				       u64 now, u32 bytes)
{
	struct conga_dre_share *own = this_cpu_ptr(shared->shares);
	u64 period = conga_dre_period(params, now);

	preempt_disable_nested();
	if (!own->listed)
		conga_dre_shared_enlist(shared, own);
	write_seqcount_begin(&own->seq);
	conga_dre_add(params, &own->cell, period, bytes);
	write_seqcount_end(&own->seq);
	preempt_enable_nested();
	return conga_dre_shared_in(params, shared, own, period);
}

#endif /* _CONGA_DRE_SHARED_H */
