/* SPDX-License-Identifier: GPL-2.0 */
/* Counters are an object; a sample has the values of all of them. */
#ifndef CONGA_TOOL_STATS_H
#define CONGA_TOOL_STATS_H

#include <linux/conga.h>
#include "tool/grammar.h"

struct conga_stats_sample {
	unsigned long long ns;		/* time of reading, of conga_repeat_now() */
	unsigned long long values[CONGA_A_STATS_MAX + 1];
};

extern const struct conga_object conga_stats_object;

/* conga_stats_read - read all counters; returns a status, and *@error as conga_nl_request() does */
int conga_stats_read(struct conga_stats_sample *sample, int *error);

/* conga_stats_change - the growth of a counter, 0 if it was reset */
unsigned long long conga_stats_change(unsigned long long before, unsigned long long after);

/* conga_stats_per_second - the rate of a @change in @ns */
double conga_stats_per_second(unsigned long long change, unsigned long long ns);

#endif /* CONGA_TOOL_STATS_H */
