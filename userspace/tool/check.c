// SPDX-License-Identifier: GPL-2.0
/* What will hurt, and what to do about it. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "tool/check.h"

#define CONGA_CHECK_TEXT_MAX	256

static const char conga_check_usage[] =
	"Usage: conga check\n"
	"Exit status 1 if it finds anything.\n";

/* An error loses packets, a warning balances badly. */
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

/* Of the command that is running. */
static unsigned int conga_check_findings;

static void conga_check_print(const struct conga_check *check, const char *object,
			      const char *finding, const char *advice)
{
	conga_print_object(NULL);
	conga_print_string("check", NULL, check->name);
	conga_print_string("severity", "", check->severity);
	conga_print_append(":");
	conga_print_string("object", "", object);
	conga_print_append(":");
	conga_print_string("finding", "", finding);
	conga_print_append(";");
	conga_print_string("advice", "", advice);
	conga_print_object_end();
}

void conga_check_report(const struct conga_check *check, const char *object,
			const char *format, ...)
{
	char text[CONGA_CHECK_TEXT_MAX], *advice;
	va_list values;

	va_start(values, format);
	vsnprintf(text, sizeof(text), format, values);
	va_end(values);
	conga_check_findings++;
	advice = strstr(text, "; ");
	if (advice)
		*advice = '\0';
	conga_check_print(check, object, text, advice ? advice + strlen("; ") : "");
}

static int conga_check_run_all(const struct conga_node *node)
{
	size_t i;

	conga_check_findings = 0;
	conga_print_begin();
	for (i = 0; i < sizeof(conga_checks) / sizeof(*conga_checks); i++)
		conga_checks[i].run(&conga_checks[i], node);
	conga_print_end();
	return conga_check_findings ? CONGA_REFUSED : CONGA_OK;
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
