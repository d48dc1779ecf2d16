// SPDX-License-Identifier: GPL-2.0
/* Leaves: the remote tunnel endpoints. */
#include "tool.h"

static const char conga_leaf_usage[] =
	"Usage: conga leaf { add | set } ADDR mode { conga | plain }\n"
	"       conga leaf del ADDR\n"
	"       conga leaf [ show [ ADDR ] ]\n"
	"ADDR := outer IPv4 or IPv6 address of a remote tunnel endpoint\n";

const struct conga_choice conga_leaf_modes[] = {
	{ "conga", CONGA_MODE_CONGA },
	{ "plain", CONGA_MODE_PLAIN },
	{ }
};

static const struct conga_keyword conga_leaf_mode_words[] = {
	{ "ADDR", CONGA_A_LEAF_ADDR4, &conga_kind_addr,
	  CONGA_KEYWORD_REQUIRED | CONGA_KEYWORD_NAMELESS, NULL },
	{ "mode", CONGA_A_LEAF_MODE, &conga_kind_choice, CONGA_KEYWORD_REQUIRED,
	  conga_leaf_modes },
	{ }
};

static const struct conga_keyword conga_leaf_del_words[] = {
	{ "ADDR", CONGA_A_LEAF_ADDR4, &conga_kind_addr,
	  CONGA_KEYWORD_REQUIRED | CONGA_KEYWORD_NAMELESS, NULL },
	{ }
};

static const struct conga_keyword conga_leaf_show_words[] = {
	{ "ADDR", CONGA_A_LEAF_ADDR4, &conga_kind_addr, CONGA_KEYWORD_NAMELESS, NULL },
	{ }
};

static const struct nla_policy conga_leaf_policy[CONGA_A_LEAF_MAX + 1] = {
	[CONGA_A_LEAF_ADDR4] = { .type = NLA_U32 },
	[CONGA_A_LEAF_ADDR6] = { .minlen = 16 },
	[CONGA_A_LEAF_MODE] = { .type = NLA_U32 },
	[CONGA_A_LEAF_STATE] = { .type = NLA_U32 },
	[CONGA_A_LEAF_PATHS] = { .type = NLA_U32 },
};

static void conga_leaf_print(struct nlattr **attrs, struct nl_msg *reply)
{
	(void)reply;
	conga_print_addr("addr", "", attrs, CONGA_A_LEAF_ADDR4);
	conga_print_choice("mode", "mode", attrs[CONGA_A_LEAF_MODE], conga_leaf_modes);
	conga_print_choice("state", "state", attrs[CONGA_A_LEAF_STATE], conga_leaf_modes);
	conga_print_uint("paths", "paths", attrs[CONGA_A_LEAF_PATHS]);
}

static const struct conga_command conga_leaf_commands[] = {
	{ .name = "show", .run = conga_command_show, .cmd = CONGA_CMD_LEAF_GET,
	  .reply = CONGA_REPLY_ONE_OR_DUMP, .words = conga_leaf_show_words },
	{ .name = "add", .run = conga_command_change, .cmd = CONGA_CMD_LEAF_NEW,
	  .words = conga_leaf_mode_words, .privilege = CONGA_PRIVILEGE_CHANGE },
	{ .name = "set", .run = conga_command_change, .cmd = CONGA_CMD_LEAF_SET,
	  .words = conga_leaf_mode_words, .privilege = CONGA_PRIVILEGE_CHANGE },
	{ .name = "del", .run = conga_command_change, .cmd = CONGA_CMD_LEAF_DEL,
	  .words = conga_leaf_del_words, .privilege = CONGA_PRIVILEGE_CHANGE },
	{ }
};

const struct conga_object conga_leaf_object = {
	.name = "leaf",
	.usage = conga_leaf_usage,
	.commands = conga_leaf_commands,
	.print = conga_leaf_print,
	.policy = conga_leaf_policy,
	.attr_max = CONGA_A_LEAF_MAX,
};
