/* SPDX-License-Identifier: GPL-2.0 */
/* Counters: the object, and samples of all of them. */
#ifndef CONGA_TOOL_STATS_H
#define CONGA_TOOL_STATS_H

#include <linux/conga.h>
#include "tool/grammar.h"

struct conga_stats_sample {
	unsigned long long ns;		/* when they were read, of conga_repeat_now() */
	unsigned long long values[CONGA_A_STATS_MAX + 1];
};

extern const struct conga_object conga_stats_object;

/* conga_stats_read - a status; *@error as that of conga_nl_request() */
int conga_stats_read(struct conga_stats_sample *sample, int *error);

/* conga_stats_change - 0 if a counter began anew */
unsigned long long conga_stats_change(unsigned long long before, unsigned long long after);

/* conga_stats_per_second - of a @change in so many @ns */
double conga_stats_per_second(unsigned long long change, unsigned long long ns);

#endif /* CONGA_TOOL_STATS_H */
