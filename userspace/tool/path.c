// SPDX-License-Identifier: GPL-2.0
#include <linux/conga.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include "tool/args.h"
#include "tool/command.h"
#include "tool/grammar.h"
#include "tool/grammar_generated.h"
#include "tool/path.h"
#include "tool/path_get.h"
#include "tool/path_print.h"
#include "tool/print.h"

static const char conga_path_usage[] =
	"Usage: conga path [ show [ leaf ADDR ] ]\n"
	"       conga path get [ leaf ] ADDR [ FLOW ]\n"
	"FLOW := from ADDR to ADDR [ proto { tcp | udp | NUMBER } ] [ sport PORT ] [ dport PORT ]\n"
	"        addresses, protocol (default tcp) and ports inside the tunnel\n";

static const struct conga_keyword conga_path_words[] = {
	{ "leaf", CONGA_A_PATH_ADDR4, &conga_kind_leaf, 0, NULL },
	{ }
};

static void conga_path_print(struct nlattr **attrs, struct nl_msg *reply)
{
	conga_print_leaf("leaf", "", attrs, CONGA_A_PATH_ADDR4);
	conga_path_print_tail(attrs, reply);
}

static const struct conga_command conga_path_commands[] = {
	{ .name = "show", .run = conga_command_show, .cmd = CONGA_CMD_PATH_GET,
	  .reply = CONGA_REPLY_DUMP, .words = conga_path_words },
	{ .name = "get", .run = conga_path_get, .cmd = CONGA_CMD_PATH_GET,
	  .reply = CONGA_REPLY_ONE, .all_words = conga_path_get_words },
	{ }
};

const struct conga_object conga_path_object = {
	.name = "path",
	.usage = conga_path_usage,
	.commands = conga_path_commands,
	.print = conga_path_print,
	.brief = conga_path_print_brief,
	.policy = conga_path_policy,
	.attr_max = CONGA_A_PATH_MAX,
};
