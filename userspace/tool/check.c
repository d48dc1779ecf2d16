// SPDX-License-Identifier: GPL-2.0
#include "common/status.h"
#include "tool/args.h"
#include "tool/check.h"
#include "tool/check_leaf.h"
#include "tool/check_link.h"
#include "tool/check_node.h"
#include "tool/check_report.h"
#include "tool/check_route.h"
#include "tool/grammar.h"

static const char conga_check_usage[] =
	"Usage: conga check\n"
	"The exit status is 1 if there are findings.\n";

static const struct conga_check conga_checks[] = {
	{ "vxlan_local", "warning", conga_check_vxlan_local },
	{ "vxlan_locals", "warning", conga_check_vxlan_locals },
	{ "vxlan_gbp", "warning", conga_check_vxlan_gbp },
	{ "mtu", "error", conga_check_mtu },
	{ "mtu_differs", "warning", conga_check_mtu_differs },
	{ "stacked", "warning", conga_check_stacked },
	{ "rate", "warning", conga_check_rate },
	{ "uplink_unused", "warning", conga_check_uplink_unused },
	{ "leaf_no_path", "warning", conga_check_leaf_no_path },
	{ "leaf_unheard", "error", conga_check_leaf_unheard },
	{ "leaf_differs", "warning", conga_check_leaf_differs },
	{ "hello_off", "warning", conga_check_hello_off },
	{ "hash_policy", "warning", conga_check_hash_policy },
	{ "linkdown", "warning", conga_check_linkdown },
};

static int conga_check_run_all(const struct conga_node *node)
{
	unsigned int findings;
	size_t i;

	conga_check_report_begin();
	for (i = 0; i < sizeof(conga_checks) / sizeof(*conga_checks); i++)
		conga_checks[i].run(&conga_checks[i], node);
	findings = conga_check_report_end();
	return findings ? CONGA_REFUSED : CONGA_OK;
}

static int conga_check_run(struct conga_args *args)
{
	struct conga_node node;
	int status;

	if (args->argc)
		return conga_args_unknown(args, *args->argv);
	status = conga_node_read(&node);
	if (!status)
		status = conga_check_run_all(&node);
	conga_node_clean(&node);
	return status;
}

const struct conga_object conga_check_object = {
	.name = "check",
	.usage = conga_check_usage,
	.run = conga_check_run,
};
