/* SPDX-License-Identifier: GPL-2.0 */
/* A sample has the objects and the counters at one time. */
#ifndef CONGA_TOOL_SAMPLE_H
#define CONGA_TOOL_SAMPLE_H

#include <stdbool.h>
#include "tool/state.h"
#include "tool/stats.h"

/* A sample starts all zero. */
struct conga_sample {
	bool taken;
	bool present;		/* there is a fabric */
	struct conga_state state;
	struct conga_replies tables;	/* to-leaf, in the order of leaves */
	struct conga_stats_sample stats;
};

/* A sample has either all paths or all tables. */
enum conga_sample_part {
	CONGA_SAMPLE_PATHS,
	CONGA_SAMPLE_TABLES,
};

/* conga_sample_take - take a sample; a missing fabric is a success; returns a status */
int conga_sample_take(struct conga_sample *sample, enum conga_sample_part part);
void conga_sample_clean(struct conga_sample *sample);

#endif /* CONGA_TOOL_SAMPLE_H */
