/* SPDX-License-Identifier: GPL-2.0 */
/* A sample has everything that top shows, at one time. */
#ifndef CONGA_TOOL_TOP_SAMPLE_H
#define CONGA_TOOL_TOP_SAMPLE_H

#include <stdbool.h>
#include "tool/state.h"
#include "tool/stats.h"

/* A sample starts all zero. */
struct conga_top_sample {
	bool taken;
	bool present;		/* there is a fabric */
	struct conga_state state;	/* without paths */
	struct conga_replies tables;	/* to-leaf, in the order of leaves */
	struct conga_stats_sample stats;
};

/* conga_top_sample_take - take a sample; a missing fabric is a success; returns a status */
int conga_top_sample_take(struct conga_top_sample *sample);
void conga_top_sample_clean(struct conga_top_sample *sample);

#endif /* CONGA_TOOL_TOP_SAMPLE_H */
