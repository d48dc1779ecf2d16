// SPDX-License-Identifier: GPL-2.0
#include <stdbool.h>
#include <linux/conga.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include "tool/args.h"
#include "tool/command.h"
#include "tool/flowlet.h"
#include "tool/grammar.h"
#include "tool/grammar_generated.h"
#include "tool/print.h"

static const char conga_flowlet_usage[] =
	"Usage: conga flowlet [ show [ leaf ADDR ] [ port DEV ] ]\n"
	"       conga flowlet flush\n";

static const struct conga_keyword conga_flowlet_words[] = {
	{ "leaf", CONGA_A_FLOWLET_ADDR4, &conga_kind_leaf, 0, NULL },
	{ "port", CONGA_A_FLOWLET_IFINDEX, &conga_kind_dev, 0, NULL },
	{ }
};

static void conga_flowlet_print(struct nlattr **attrs, struct nl_msg *reply)
{
	(void)reply;
	conga_print_uint("hash", "hash", attrs[CONGA_A_FLOWLET_HASH]);
	conga_print_leaf("leaf", "leaf", attrs, CONGA_A_FLOWLET_ADDR4);
	conga_print_dev("dev", "dev", attrs[CONGA_A_FLOWLET_IFINDEX]);
	conga_print_age("idle_ns", "idle", attrs[CONGA_A_FLOWLET_IDLE]);
}

static const struct conga_command conga_flowlet_commands[] = {
	{ .name = "show", .run = conga_command_show, .cmd = CONGA_CMD_FLOWLET_GET,
	  .reply = CONGA_REPLY_DUMP, .words = conga_flowlet_words,
	  .privilege = "reading the flowlet table", .streams = true },
	{ .name = "flush", .run = conga_command_change, .cmd = CONGA_CMD_FLOWLET_FLUSH,
	  .privilege = CONGA_PRIVILEGE_CHANGE },
	{ }
};

const struct conga_object conga_flowlet_object = {
	.name = "flowlet",
	.usage = conga_flowlet_usage,
	.commands = conga_flowlet_commands,
	.print = conga_flowlet_print,
	.policy = conga_flowlet_policy,
	.attr_max = CONGA_A_FLOWLET_MAX,
};
