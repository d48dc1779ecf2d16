// SPDX-License-Identifier: GPL-2.0
/* The policies that the loaded module knows. */
#include "tool.h"

static const char conga_policy_usage[] =
	"Usage: conga policy [ list ]\n";

static const struct nla_policy conga_policy_policy[CONGA_A_POLICY_MAX + 1] = {
	[CONGA_A_POLICY_NAME] = { .type = NLA_STRING },
	[CONGA_A_POLICY_SUMMARY] = { .type = NLA_STRING },
};

static void conga_policy_print(struct nlattr **attrs, struct nl_msg *reply)
{
	(void)reply;
	conga_print_name("name", "", attrs[CONGA_A_POLICY_NAME]);
	conga_print_append(":");
	conga_print_name("summary", "", attrs[CONGA_A_POLICY_SUMMARY]);
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
