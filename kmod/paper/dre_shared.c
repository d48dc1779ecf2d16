// SPDX-License-Identifier: GPL-2.0
/*
 * A DRE that all CPUs share (CONGA, section 3.2; dre.c has the formula)
 *
 * Goal: every packet of every CPU counts, and none of them writes a cache line that the
 * packets of another CPU write.
 *
 * Mechanism: every CPU adds to its own share. X at the start of a period is the
 * sum of the shares, which the first reader in a period computes and all others read; a
 * reader adds its own bytes since. So X lacks the bytes that other CPUs sent in the running
 * period, at most Tdre of their traffic, and has them in the next one.
 *
 * A CPU whose clock is a period behind computes the sum of its own period, and the others
 * compute theirs again. A reader in between may find the sum of the period before or after
 * its own, which is off by one decrement; the shares are never wrong.
 */
#include <asm/barrier.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/kernel.h>

#include "paper/dre_shared.h"

/* conga_dre_shared_setup - sets up an idle DRE; may sleep. Returns 0 or -ENOMEM */
int conga_dre_shared_setup(struct conga_dre_shared *shared)
{
	int cpu;

	init_llist_head(&shared->list);
	shared->sum = 0;
	shared->sum_period = 0;
	shared->shares = alloc_percpu(struct conga_dre_share);
	if (!shared->shares)
		return -ENOMEM;
	for_each_possible_cpu(cpu)
		seqcount_init(&per_cpu_ptr(shared->shares, cpu)->seq);
	return 0;
}

void conga_dre_shared_clean(struct conga_dre_shared *shared)
{
	free_percpu(shared->shares);
}

static u64 conga_dre_shared_of(const struct conga_dre_params *params,
			       const struct conga_dre_share *one,
			       u64 period)
{
	struct conga_dre_cell copy;
	unsigned int start;

	do {
		start = read_seqcount_begin(&one->seq);
		copy = one->cell;
	} while (read_seqcount_retry(&one->seq, start));
	return conga_dre_at(params, &copy, period);
}

/* conga_dre_shared_enlist - called for the first packet of this CPU; BH disabled */
void conga_dre_shared_enlist(struct conga_dre_shared *shared,
			     struct conga_dre_share *own)
{
	own->listed = true;
	llist_add(&own->node, &shared->list);
}

/* conga_dre_shared_sum - X at the start of @period; BH disabled
 *
 * Two CPUs may sum the same period at once: both write the same value.
 */
u64 conga_dre_shared_sum(const struct conga_dre_params *params,
			 struct conga_dre_shared *shared, u64 period)
{
	struct llist_node *node = READ_ONCE(shared->list.first);
	u64 sum = 0;

	for (; node; node = llist_next(node))
		sum += conga_dre_shared_of(params,
					   llist_entry(node, struct conga_dre_share,
						       node), period);
	WRITE_ONCE(shared->sum, sum);
	/* Paired with the acquire in conga_dre_shared_in(). */
	smp_store_release(&shared->sum_period, period);
	return sum;
}
