// SPDX-License-Identifier: GPL-2.0
#include <stdbool.h>
#include <string.h>
#include "common/status.h"
#include "common/units.h"
#include "tool/args.h"
#include "tool/check.h"
#include "tool/check_counter.h"
#include "tool/check_leaf.h"
#include "tool/check_link.h"
#include "tool/check_neighbour.h"
#include "tool/check_node.h"
#include "tool/check_path.h"
#include "tool/check_queue.h"
#include "tool/check_reach.h"
#include "tool/check_report.h"
#include "tool/check_route.h"
#include "tool/check_tunnel.h"
#include "tool/grammar.h"

#define CONGA_CHECK_INTERVAL_NS	500000000ULL

static const char conga_check_usage[] =
	"Usage: conga check [ interval TIME ]\n"
	"Counters and queues are watched for so long, 500ms unless given. The exit status is 1 if\n"
	"there are errors or warnings.\n";

static const struct conga_check conga_checks[] = {
	{ "vxlan_local", CONGA_SEVERITY_WARNING, conga_check_vxlan_local },
	{ "vxlan_locals", CONGA_SEVERITY_WARNING, conga_check_vxlan_locals },
	{ "vxlan_gbp", CONGA_SEVERITY_WARNING, conga_check_vxlan_gbp },
	{ "mtu", CONGA_SEVERITY_ERROR, conga_check_mtu },
	{ "mtu_differs", CONGA_SEVERITY_WARNING, conga_check_mtu_differs },
	{ "stacked", CONGA_SEVERITY_WARNING, conga_check_stacked },
	{ "rate", CONGA_SEVERITY_WARNING, conga_check_rate },
	{ "neighbour_differs", CONGA_SEVERITY_WARNING, conga_check_neighbour_differs },
	{ "neighbour_none", CONGA_SEVERITY_WARNING, conga_check_neighbour_none },
	{ "uplink_unused", CONGA_SEVERITY_WARNING, conga_check_uplink_unused },
	{ "transit_unused", CONGA_SEVERITY_WARNING, conga_check_transit_unused },
	{ "no_port", CONGA_SEVERITY_WARNING, conga_check_no_port },
	{ "no_leaf", CONGA_SEVERITY_WARNING, conga_check_no_leaf },
	{ "dstport_unused", CONGA_SEVERITY_WARNING, conga_check_dstport_unused },
	{ "dstport_other", CONGA_SEVERITY_NOTE, conga_check_dstport_other },
	{ "queue_rate", CONGA_SEVERITY_WARNING, conga_check_queue_rate },
	{ "queue_drops", CONGA_SEVERITY_NOTE, conga_check_queue_drops },
	{ "leaf_no_path", CONGA_SEVERITY_WARNING, conga_check_leaf_no_path },
	{ "leaf_unheard", CONGA_SEVERITY_ERROR, conga_check_leaf_unheard },
	{ "leaf_differs", CONGA_SEVERITY_WARNING, conga_check_leaf_differs },
	{ "leaf_lost", CONGA_SEVERITY_WARNING, conga_check_leaf_lost },
	{ "leaf_bye", CONGA_SEVERITY_NOTE, conga_check_leaf_bye },
	{ "leaf_plain", CONGA_SEVERITY_WARNING, conga_check_leaf_plain },
	{ "leaf_id", CONGA_SEVERITY_WARNING, conga_check_leaf_id },
	{ "leaf_unprobed", CONGA_SEVERITY_WARNING, conga_check_leaf_unprobed },
	{ "path_silent", CONGA_SEVERITY_WARNING, conga_check_path_silent },
	{ "path_narrow", CONGA_SEVERITY_WARNING, conga_check_path_narrow },
	{ "path_unproven", CONGA_SEVERITY_NOTE, conga_check_path_unproven },
	{ "path_loss", CONGA_SEVERITY_WARNING, conga_check_path_loss },
	{ "path_alike", CONGA_SEVERITY_NOTE, conga_check_path_alike },
	{ "ecn_unmarked", CONGA_SEVERITY_NOTE, conga_check_ecn_unmarked },
	{ "hello_off", CONGA_SEVERITY_WARNING, conga_check_hello_off },
	{ "hash_policy", CONGA_SEVERITY_WARNING, conga_check_hash_policy },
	{ "linkdown", CONGA_SEVERITY_WARNING, conga_check_linkdown },
	{ "collisions", CONGA_SEVERITY_NOTE, conga_check_collisions },
	{ "counter", CONGA_SEVERITY_NONE, conga_check_counters },
};

static void conga_check_run_all(const struct conga_node *node, bool print)
{
	size_t i;

	conga_check_report_begin(print);
	for (i = 0; i < sizeof(conga_checks) / sizeof(*conga_checks); i++)
		conga_checks[i].run(&conga_checks[i], node);
	conga_check_report_end();
}

static int conga_check_node(unsigned long long ns, bool print)
{
	struct conga_node node;
	int status = conga_node_read(&node, ns);

	if (!status)
		status = conga_reach_read(&node);
	if (!status)
		conga_check_run_all(&node, print);
	conga_node_clean(&node);
	return status;
}

int conga_check_count(void)
{
	return conga_check_node(0, false);
}

static int conga_check_parse(struct conga_args *args, unsigned long long *ns)
{
	const char *word = conga_args_next(args), *value, *why;

	*ns = CONGA_CHECK_INTERVAL_NS;
	if (!word)
		return CONGA_OK;
	if (strcmp(word, "interval"))
		return conga_args_unknown(args, word);
	value = conga_args_next(args);
	if (!value)
		return conga_args_incomplete(args);
	why = conga_units_parse_time(value, ns);
	if (why)
		return conga_args_wrong(value, why);
	return args->argc ? conga_args_unknown(args, *args->argv) : CONGA_OK;
}

static int conga_check_run(struct conga_args *args)
{
	unsigned long long ns;
	int status = conga_check_parse(args, &ns);

	if (!status)
		status = conga_check_node(ns, true);
	if (status)
		return status;
	return conga_check_report_count(CONGA_SEVERITY_ERROR) +
	       conga_check_report_count(CONGA_SEVERITY_WARNING) ? CONGA_REFUSED : CONGA_OK;
}

static const char *const conga_check_bare[] = { "interval", NULL };

const struct conga_object conga_check_object = {
	.name = "check",
	.usage = conga_check_usage,
	.run = conga_check_run,
	.bare = conga_check_bare,
};
