// SPDX-License-Identifier: GPL-2.0
/* Per-CPU counters: the datapath writes them, and only readers sum them. */
#include <linux/cpumask.h>

#include "objects/stats.h"

/* conga_stats_create - zeroed counters, NULL without memory; may sleep */
struct conga_stats __percpu *conga_stats_create(void)
{
	struct conga_stats __percpu *stats = alloc_percpu(struct conga_stats);
	int cpu;

	if (!stats)
		return NULL;
	for_each_possible_cpu(cpu)
		u64_stats_init(&per_cpu_ptr(stats, cpu)->sync);
	return stats;
}

/* conga_stats_read - the sum of one counter over all CPUs; any context */
u64 conga_stats_read(struct conga_stats __percpu *stats,
		     enum conga_attr_stats counter)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu) {
		const struct conga_stats *one = per_cpu_ptr(stats, cpu);
		unsigned int start;
		u64 count;

		do {
			start = u64_stats_fetch_begin(&one->sync);
			count = u64_stats_read(&one->count[counter]);
		} while (u64_stats_fetch_retry(&one->sync, start));
		sum += count;
	}
	return sum;
}
