/* SPDX-License-Identifier: GPL-2.0 */
/* An epoch is the time at which the counters of "stats show" begin. The kernel's counters go on; a
 * file has what they were then.
 */
#ifndef CONGA_TOOL_EPOCH_H
#define CONGA_TOOL_EPOCH_H

#include <stdbool.h>
#include "tool/stats.h"

struct conga_epoch {
	unsigned long long time;	/* ns since 1970 */
	struct conga_stats_sample stats;
};

/* conga_epoch_begin - begin an epoch with these counters; returns a status, after the reason was
 * printed
 */
int conga_epoch_begin(const struct conga_stats_sample *stats);

/* conga_epoch_read - read the epoch of these counters; returns false, with @epoch undefined, if
 * there is none, or only one of an earlier boot or fabric
 */
bool conga_epoch_read(struct conga_epoch *epoch, const struct conga_stats_sample *stats);

/* conga_epoch_forget - a fabric that was created begins to count at zero */
void conga_epoch_forget(void);

#endif /* CONGA_TOOL_EPOCH_H */
