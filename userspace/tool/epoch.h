/* SPDX-License-Identifier: GPL-2.0 */
/* An epoch is the time at which the counters of "stats show" begin. The kernel's counters go on; a
 * file has what they were then.
 */
#ifndef CONGA_TOOL_EPOCH_H
#define CONGA_TOOL_EPOCH_H

#include <stdbool.h>
#include <linux/conga.h>

struct conga_epoch {
	unsigned long long time;	/* ns since 1970 */
	unsigned long long values[CONGA_A_STATS_MAX + 1];
};

/* conga_epoch_begin - begin an epoch with these counters, whose indices are their attributes;
 * returns a status, after the reason was printed
 */
int conga_epoch_begin(const unsigned long long *values);

/* conga_epoch_read - read the epoch of these counters; returns false, with @epoch undefined, if
 * there is none, or only one of an earlier boot or fabric
 */
bool conga_epoch_read(struct conga_epoch *epoch, const unsigned long long *values);

#endif /* CONGA_TOOL_EPOCH_H */
