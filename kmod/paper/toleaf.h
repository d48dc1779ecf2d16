/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_TOLEAF_H
#define _CONGA_TOLEAF_H

#include <uapi/linux/conga.h>

#include "paper/sample.h"

/* Congestion-To-Leaf of one leaf: the metrics of our uplinks that it fed back */
struct conga_toleaf {
	u16		loaded;	/* entries of heard whose metric is not 0, a bit per LBTag */
	conga_sample_t	heard[CONGA_TAGS_MAX];	/* by our LBTag */
};

void conga_toleaf_learn(struct conga_toleaf *table, u8 tag, u8 metric, u64 now);
u8 conga_toleaf_metric(const struct conga_toleaf *table, u8 tag, u64 now,
		       u64 tage, u8 q);
void conga_toleaf_flush(struct conga_toleaf *table);

#endif /* _CONGA_TOLEAF_H */
