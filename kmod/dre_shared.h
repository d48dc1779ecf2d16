/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_DRE_SHARED_H
#define _CONGA_DRE_SHARED_H

#include <linux/cache.h>
#include <linux/percpu.h>
#include <linux/seqlock.h>
#include <linux/types.h>

#include "dre.h"

/* A CPU's share, written there with BH disabled; the seqcount is for the
 * others, who sum the shares.
 */
struct conga_dre_share {
	seqcount_t		seq;
	struct conga_dre_cell	cell;
};

/* One link's DRE, shared by all CPUs. Every packet reads all of it. The sum is written once
 * a period, by one packet, so that it keeps away from the pointer, and from what stands
 * before and after.
 */
struct conga_dre_shared {
	struct conga_dre_share __percpu	*shares;
	/* X at the start of sum_period, written by who first needs it. */
	u64		sum ____cacheline_aligned_in_smp;
	u64		sum_period;
};

int conga_dre_shared_setup(struct conga_dre_shared *shared);
void conga_dre_shared_clean(struct conga_dre_shared *shared);
u64 conga_dre_shared_add(const struct conga_dre_params *params,
			 struct conga_dre_shared *shared, u64 now, u32 bytes);
u64 conga_dre_shared_x(const struct conga_dre_params *params,
		       struct conga_dre_shared *shared, u64 now);

#endif /* _CONGA_DRE_SHARED_H */
