/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_STATS_H
#define _CONGA_STATS_H

/* Inline, because every hook function counts its results for every packet. */
#include <linux/percpu.h>
#include <linux/u64_stats_sync.h>
#include <uapi/linux/conga.h>

/* The fabric's counters, indexed by enum conga_attr_stats. There is one structure per CPU:
 * the memory of two CPUs is pages apart, so that packets of different CPUs never write the
 * same cache line.
 */
struct conga_stats {
	struct u64_stats_sync	sync;
	u64_stats_t		count[CONGA_A_STATS_MAX + 1];
};

/* Softirq, or process context with BH disabled. */
static inline void conga_stats_add(struct conga_stats __percpu *stats,
				   enum conga_attr_stats counter, u64 count)
{
	struct conga_stats *mine = this_cpu_ptr(stats);

	u64_stats_update_begin(&mine->sync);
	u64_stats_add(&mine->count[counter], count);
	u64_stats_update_end(&mine->sync);
}

static inline void conga_stats_inc(struct conga_stats __percpu *stats,
				   enum conga_attr_stats counter)
{
	conga_stats_add(stats, counter, 1);
}

struct conga_stats __percpu *conga_stats_create(void);
u64 conga_stats_read(struct conga_stats __percpu *stats,
		     enum conga_attr_stats counter);

#endif /* _CONGA_STATS_H */
