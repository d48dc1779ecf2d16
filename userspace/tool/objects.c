// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>
#include "common/status.h"
#include "tool/abbreviation.h"
#include "tool/args.h"
#include "tool/check.h"
#include "tool/command.h"
#include "tool/complete.h"
#include "tool/fabric.h"
#include "tool/flowlet.h"
#include "tool/grammar.h"
#include "tool/keep.h"
#include "tool/leaf.h"
#include "tool/metrics.h"
#include "tool/monitor.h"
#include "tool/objects.h"
#include "tool/options.h"
#include "tool/overview.h"
#include "tool/path.h"
#include "tool/ping.h"
#include "tool/policy.h"
#include "tool/port.h"
#include "tool/stats.h"
#include "tool/table.h"
#include "tool/top.h"

static const struct conga_object *const conga_objects[] = {
	&conga_fabric_object,
	&conga_port_object,
	&conga_leaf_object,
	&conga_path_object,
	&conga_table_object,
	&conga_flowlet_object,
	&conga_policy_object,
	&conga_stats_object,
	&conga_check_object,
	&conga_monitor_object,
	&conga_ping_object,
	&conga_top_object,
	&conga_metrics_object,
	&conga_save_object,
	&conga_restore_object,
	&conga_sync_object,
};

static const char *conga_objects_name(const void *table, size_t i)
{
	const struct conga_object *const *objects = table;

	return i < sizeof(conga_objects) / sizeof(*conga_objects) ? objects[i]->name : NULL;
}

static int conga_objects_dispatch(const struct conga_object *object, struct conga_args *args)
{
	if (!conga_options.interval || object->repeats)
		return conga_command_dispatch(object, args);
	fputs("Error: option \"-i\" is wrong: only \"stats show\" and \"top\" take it\n",
	      stderr);
	return CONGA_USAGE;
}

int conga_objects_run(int argc, char **argv)
{
	struct conga_args args = { .argc = argc, .argv = argv };
	const char *name = conga_args_next(&args);
	int i;

	if (!name)
		return conga_overview_show();
	if (!strcmp(name, "help")) {
		conga_options_help(stdout);
		return CONGA_OK;
	}
	i = conga_abbreviation_find(name, conga_objects_name, conga_objects);
	if (i >= 0)
		return conga_objects_dispatch(conga_objects[i], &args);
	if (!conga_abbreviation_told("Object", name, conga_objects_name, conga_objects))
		fprintf(stderr, "Object \"%s\" is unknown, try \"conga help\".\n", name);
	return CONGA_USAGE;
}

/* Completes an object, or the words that follow it. */
void conga_objects_complete(const struct conga_args *args)
{
	struct conga_args rest = { .argc = args->argc - 1, .argv = args->argv + 1 };
	int i;

	if (rest.argc) {
		i = conga_abbreviation_find(*args->argv, conga_objects_name, conga_objects);
		if (i >= 0)
			conga_complete_object(conga_objects[i], &rest);
		return;
	}
	for (i = 0; conga_objects_name(conga_objects, i); i++)
		conga_complete_say(*args->argv, conga_objects[i]->name);
	conga_complete_say(*args->argv, "help");
}

