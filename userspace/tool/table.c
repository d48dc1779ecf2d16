// SPDX-License-Identifier: GPL-2.0
#include <stdbool.h>
#include <linux/conga.h>
#include <netlink/attr.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include "common/attr.h"
#include "tool/args.h"
#include "tool/choices_generated.h"
#include "tool/command.h"
#include "tool/grammar.h"
#include "tool/grammar_generated.h"
#include "tool/options.h"
#include "tool/print.h"
#include "tool/table.h"

#define CONGA_TABLE_INDENT	2
#define CONGA_TABLE_TAG_WIDTH	4
#define CONGA_TABLE_METRIC_WIDTH 7
#define CONGA_TABLE_AGE_WIDTH	9

static const char conga_table_usage[] =
	"Usage: conga table show TABLE [ leaf ADDR ]\n"
	"TABLE := { to-leaf | from-leaf }\n";

static const struct conga_keyword conga_table_words[] = {
	{ "leaf", CONGA_A_TABLE_ADDR4, &conga_kind_leaf, 0, NULL },
	{ "TABLE", CONGA_A_TABLE_KIND, &conga_kind_choice,
	  CONGA_KEYWORD_REQUIRED | CONGA_KEYWORD_NAMELESS, conga_choices_table },
	{ }
};

static void conga_table_print_heading(void)
{
	conga_print_line(CONGA_TABLE_INDENT);
	conga_print_pad(CONGA_TABLE_TAG_WIDTH);
	conga_print_text("tag");
	conga_print_pad(CONGA_TABLE_METRIC_WIDTH);
	conga_print_text("metric");
	conga_print_pad(CONGA_TABLE_AGE_WIDTH);
	conga_print_text("age");
}

static void conga_table_print_row(struct nlattr *attr, const struct nlattr *limit, bool from_leaf)
{
	struct nlattr *row[CONGA_A_ROW_MAX + 1];

	if (nla_parse_nested(row, CONGA_A_ROW_MAX, attr, conga_row_policy) < 0)
		return;
	conga_print_object(NULL);
	conga_print_line(CONGA_TABLE_INDENT);
	conga_print_pad(CONGA_TABLE_TAG_WIDTH);
	conga_print_uint("tag", "", row[CONGA_A_ROW_TAG]);
	conga_print_pad(CONGA_TABLE_METRIC_WIDTH);
	conga_print_metric("metric", "", row[CONGA_A_ROW_METRIC], limit);
	conga_print_pad(CONGA_TABLE_AGE_WIDTH);
	conga_print_age("age_ns", "", row[CONGA_A_ROW_AGE]);
	if (from_leaf)
		conga_print_flag("changed", "changed", row[CONGA_A_ROW_CHANGED]);
	if (conga_options.json)
		conga_print_object_end();
}

static void conga_table_print(struct nlattr **attrs, struct nl_msg *reply)
{
	bool from_leaf = conga_attr_number(attrs[CONGA_A_TABLE_KIND]) == CONGA_TABLE_FROM_LEAF;
	struct nlattr *attr;
	int rem;

	conga_print_choice("table", "", attrs[CONGA_A_TABLE_KIND], conga_choices_table);
	conga_print_leaf("leaf", "", attrs, CONGA_A_TABLE_ADDR4);
	conga_print_uint("metric_limit", NULL, attrs[CONGA_A_TABLE_METRIC_LIMIT]);
	if (attrs[CONGA_A_TABLE_ROW])
		conga_table_print_heading();
	else
		conga_print_text("(empty)");
	conga_print_array("rows");
	nlmsg_for_each_attr(attr, nlmsg_hdr(reply), GENL_HDRLEN, rem)
		if (nla_type(attr) == CONGA_A_TABLE_ROW)
			conga_table_print_row(attr, attrs[CONGA_A_TABLE_METRIC_LIMIT], from_leaf);
	conga_print_array_end();
}

static const struct conga_command conga_table_commands[] = {
	{ .name = "show", .run = conga_command_show, .cmd = CONGA_CMD_TABLE_GET,
	  .reply = CONGA_REPLY_DUMP, .words = conga_table_words },
	{ }
};

const struct conga_object conga_table_object = {
	.name = "table",
	.usage = conga_table_usage,
	.commands = conga_table_commands,
	.print = conga_table_print,
	.policy = conga_table_policy,
	.attr_max = CONGA_A_TABLE_MAX,
};
