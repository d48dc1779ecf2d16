// SPDX-License-Identifier: GPL-2.0
#include <string.h>
#include <linux/conga.h>
#include "tool/counters.h"

const struct conga_counter *conga_counters_find(const char *name)
{
	int i;

	for (i = 1; i <= CONGA_A_STATS_MAX; i++)
		if (conga_counters[i].name && !strcmp(conga_counters[i].name, name))
			return &conga_counters[i];
	return NULL;
}
