// SPDX-License-Identifier: GPL-2.0
#include <stdbool.h>
#include <linux/conga.h>
#include <netlink/attr.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include "tool/command.h"
#include "tool/grammar.h"
#include "tool/grammar_generated.h"
#include "tool/policy.h"
#include "tool/options.h"
#include "tool/print.h"

#define CONGA_POLICY_INDENT	4

static const char conga_policy_usage[] =
	"Usage: conga policy [ list ]\n";

/* The values of a parameter that is a time have keys of their own, since keys have the unit. */
static void conga_policy_print_limits(struct nlattr **param)
{
	bool time = param[CONGA_A_PARAM_TIME];
	void (*print)(const char *key, const char *label, const struct nlattr *attr) =
		time ? conga_print_time : conga_print_uint;

	print(time ? "min_ns" : "min", "from", param[CONGA_A_PARAM_MIN]);
	print(time ? "max_ns" : "max", "to", param[CONGA_A_PARAM_LIMIT]);
	conga_print_append(",");
	print(time ? "default_ns" : "default", "default", param[CONGA_A_PARAM_VALUE]);
}

static void conga_policy_print_param(struct nlattr *attr)
{
	struct nlattr *param[CONGA_A_PARAM_MAX + 1];

	if (nla_parse_nested(param, CONGA_A_PARAM_MAX, attr, conga_param_policy) < 0)
		return;
	conga_print_object(NULL);
	conga_print_line(CONGA_POLICY_INDENT);
	conga_print_name("name", "", param[CONGA_A_PARAM_NAME]);
	conga_print_append(":");
	conga_print_name("summary", "", param[CONGA_A_PARAM_SUMMARY]);
	conga_print_append(",");
	conga_policy_print_limits(param);
	if (conga_options.json)
		conga_print_object_end();
}

static void conga_policy_print_params(struct nl_msg *reply)
{
	struct nlattr *attr;
	int rem;

	conga_print_array("params");
	nlmsg_for_each_attr(attr, nlmsg_hdr(reply), GENL_HDRLEN, rem)
		if (nla_type(attr) == CONGA_A_POLICY_PARAM)
			conga_policy_print_param(attr);
	conga_print_array_end();
}

static void conga_policy_print(struct nlattr **attrs, struct nl_msg *reply)
{
	conga_print_name("name", "", attrs[CONGA_A_POLICY_NAME]);
	conga_print_append(":");
	conga_print_name("summary", "", attrs[CONGA_A_POLICY_SUMMARY]);
	conga_print_time("flowlet_timeout_ns", NULL, attrs[CONGA_A_POLICY_FLOWLET_TIMEOUT]);
	conga_policy_print_params(reply);
}

/* "list" is another word for "show" everywhere. */
static const struct conga_command conga_policy_commands[] = {
	{ .name = "show", .run = conga_command_show, .cmd = CONGA_CMD_POLICY_GET,
	  .reply = CONGA_REPLY_DUMP },
	{ }
};

const struct conga_object conga_policy_object = {
	.name = "policy",
	.usage = conga_policy_usage,
	.commands = conga_policy_commands,
	.print = conga_policy_print,
	.policy = conga_policy_policy,
	.attr_max = CONGA_A_POLICY_MAX,
};
