// SPDX-License-Identifier: GPL-2.0
/*
 * A DRE that all CPUs share (CONGA, section 3.2; dre.c has the formula)
 *
 * Goal: every packet of every CPU counts, and none of them writes a cache line
 * that another CPU's packets write, too.
 *
 * Mechanism: every CPU adds to its own share. X at the start of a period is the
 * sum of the shares, made once a period by whoever needs it first and read by
 * all; a reader adds its own bytes since. So X lacks what other CPUs sent in
 * the running period, at most Tdre of their traffic, and has it in the next.
 *
 * A CPU whose clock is a period behind makes the sum of its own period, and
 * the others make theirs again. A reader in between may meet the sum of the
 * period before or after its own, a decrement off; shares are never wrong.
 */
#include <asm/barrier.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/kernel.h>

#include "dre_shared.h"

/* conga_dre_shared_setup - idle; may sleep. 0 or -ENOMEM */
int conga_dre_shared_setup(struct conga_dre_shared *shared)
{
	int cpu;

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

/* Two CPUs may sum the same period at once: both write the same value. */
static u64 conga_dre_shared_sum(const struct conga_dre_params *params,
				struct conga_dre_shared *shared,
				const struct conga_dre_share *own, u64 period)
{
	u64 sum = conga_dre_at(params, &own->cell, period);
	int cpu;

	for_each_possible_cpu(cpu) {
		const struct conga_dre_share *one;

		one = per_cpu_ptr(shared->shares, cpu);
		if (one != own)
			sum += conga_dre_shared_of(params, one, period);
	}
	WRITE_ONCE(shared->sum, sum);
	/* Paired with the acquire in conga_dre_shared_x(). */
	smp_store_release(&shared->sum_period, period);
	return sum;
}

static u64 conga_dre_shared_in(const struct conga_dre_params *params,
			       struct conga_dre_shared *shared,
			       const struct conga_dre_share *own, u64 period)
{
	u64 x;

	/* Paired with the release in conga_dre_shared_sum(). */
	if (smp_load_acquire(&shared->sum_period) == period)
		x = READ_ONCE(shared->sum);
	else
		x = conga_dre_shared_sum(params, shared, own, period);
	return x + conga_dre_own(&own->cell, period);
}

/* conga_dre_shared_x - X in DRE units; BH disabled */
u64 conga_dre_shared_x(const struct conga_dre_params *params,
		       struct conga_dre_shared *shared, u64 now)
{
	return conga_dre_shared_in(params, shared, this_cpu_ptr(shared->shares),
				   conga_dre_period(params, now));
}

/* conga_dre_shared_add - count @bytes; returns X with them. BH disabled */
u64 conga_dre_shared_add(const struct conga_dre_params *params,
			 struct conga_dre_shared *shared, u64 now, u32 bytes)
{
	struct conga_dre_share *own = this_cpu_ptr(shared->shares);
	u64 period = conga_dre_period(params, now);

	write_seqcount_begin(&own->seq);
	conga_dre_add(params, &own->cell, period, bytes);
	write_seqcount_end(&own->seq);
	return conga_dre_shared_in(params, shared, own, period);
}
