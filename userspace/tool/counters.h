/* SPDX-License-Identifier: GPL-2.0 */
/* Each counter has a meaning, and advice for the operator. */
#ifndef CONGA_TOOL_COUNTERS_H
#define CONGA_TOOL_COUNTERS_H

#include <linux/conga.h>
#include "tool/severity.h"

struct conga_counter {
	const char *name;
	const char *meaning;
	const char *advice;
	enum conga_severity severity;	/* if it grows; CONGA_SEVERITY_NONE: no finding */
};

/* The index is the attribute; entries without a name are not counters. The table is generated,
 * see counters_generated.c.
 */
extern const struct conga_counter conga_counters[CONGA_A_STATS_MAX + 1];

/* conga_counters_find - find a counter by name; returns NULL if there is none */
const struct conga_counter *conga_counters_find(const char *name);

#endif /* CONGA_TOOL_COUNTERS_H */
