/* SPDX-License-Identifier: GPL-2.0 */
/* The counters in words. */
#ifndef CONGA_TOOL_COUNTERS_H
#define CONGA_TOOL_COUNTERS_H

#include <linux/conga.h>

struct conga_counter {
	const char *name;
	const char *meaning;
	const char *advice;
};

/* By attribute; those without a name are none. */
extern const struct conga_counter conga_counters[CONGA_A_STATS_MAX + 1];

/* conga_counters_find - NULL if there is none of that name */
const struct conga_counter *conga_counters_find(const char *name);

#endif /* CONGA_TOOL_COUNTERS_H */
