// SPDX-License-Identifier: GPL-2.0
#include <stdbool.h>
#include <stdio.h>
#include <linux/conga.h>
#include <netlink/attr.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include "common/attr.h"
#include "common/units.h"
#include "tool/args.h"
#include "tool/brief.h"
#include "tool/choices_generated.h"
#include "tool/command.h"
#include "tool/grammar.h"
#include "tool/grammar_generated.h"
#include "tool/leaf.h"
#include "tool/leaf_reason.h"
#include "tool/options.h"
#include "tool/print.h"

static const char conga_leaf_usage[] =
	"Usage: conga leaf add ADDR [ mode MODE ]\n"
	"       conga leaf set ADDR mode MODE\n"
	"       conga leaf del ADDR\n"
	"       conga leaf [ show [ ADDR ] ]\n"
	"ADDR := outer IPv4 or IPv6 address of a remote tunnel endpoint\n"
	"MODE := { auto | conga | plain }, default auto: conga while the leaf answers hellos\n";

/* The usual reason is not shown. */
static void conga_leaf_print_reason(struct nlattr **attrs)
{
	unsigned int value = conga_attr_number(attrs[CONGA_A_LEAF_REASON]);
	char sentence[CONGA_LEAF_REASON_MAX], text[CONGA_LEAF_REASON_MAX + 2];

	conga_print_choice("reason", NULL, attrs[CONGA_A_LEAF_REASON],
			   conga_choices_leaf_reason);
	if (!attrs[CONGA_A_LEAF_REASON])
		return;
	if (!conga_options.details &&
	    (value == CONGA_LEAF_ORDERED || value == CONGA_LEAF_ANSWERS))
		return;
	conga_leaf_reason(attrs, sentence);
	snprintf(text, sizeof(text), "(%s)", sentence);
	conga_print_text(text);
}

/* On screen "2/4": usable ones, and all. */
static void conga_leaf_format_paths(struct nlattr **attrs, char *text, size_t size)
{
	snprintf(text, size, "paths %llu/%llu", conga_attr_number(attrs[CONGA_A_LEAF_PATHS]),
		 conga_attr_number(attrs[CONGA_A_LEAF_PATHS_ALL]));
}

static void conga_leaf_print_paths(struct nlattr **attrs)
{
	char text[2 * CONGA_UNITS_TEXT_MAX];

	conga_print_uint("paths", NULL, attrs[CONGA_A_LEAF_PATHS]);
	conga_print_uint("paths_all", NULL, attrs[CONGA_A_LEAF_PATHS_ALL]);
	if (conga_options.json || !attrs[CONGA_A_LEAF_PATHS])
		return;
	conga_leaf_format_paths(attrs, text, sizeof(text));
	conga_print_text(text);
}

/* These fields come from probes. */
static void conga_leaf_print_best(struct nlattr **attrs)
{
	bool show = conga_options.details;

	conga_print_dev("best", "best", attrs[CONGA_A_LEAF_BEST]);
	conga_print_uint("utilisation", "utilisation", attrs[CONGA_A_LEAF_UTILISATION]);
	conga_print_time("probe_age_ns", show ? "probe_age" : NULL,
			 attrs[CONGA_A_LEAF_PROBE_AGE]);
}

/* The leaf is conga at these UDP ports. */
static void conga_leaf_print_ports(struct nl_msg *reply)
{
	struct nlattr *attr;
	int left;

	conga_print_array("ports");
	nlmsg_for_each_attr(attr, nlmsg_hdr(reply), GENL_HDRLEN, left)
		if (nla_type(attr) == CONGA_A_LEAF_PORT)
			conga_print_uint("", conga_options.details ? "port" : NULL, attr);
	conga_print_array_end();
}

static enum conga_color conga_leaf_color(struct nlattr **attrs)
{
	return conga_attr_number(attrs[CONGA_A_LEAF_STATE]) == CONGA_LEAF_STATE_CONGA ?
	       CONGA_COLOR_GOOD : CONGA_COLOR_WARNING;
}

static void conga_leaf_print(struct nlattr **attrs, struct nl_msg *reply)
{
	conga_print_leaf("addr", "", attrs, CONGA_A_LEAF_ADDR4);
	conga_print_choice("mode", "mode", attrs[CONGA_A_LEAF_MODE], conga_choices_mode);
	conga_print_color(conga_leaf_color(attrs));
	conga_print_choice("state", "state", attrs[CONGA_A_LEAF_STATE], conga_choices_leaf_state);
	conga_leaf_print_reason(attrs);
	conga_print_uint("unanswered", NULL, attrs[CONGA_A_LEAF_UNANSWERED]);
	conga_print_age("heard_age_ns", conga_options.details ? "heard" : NULL,
			attrs[CONGA_A_LEAF_HEARD]);
	conga_print_uint("term", NULL, attrs[CONGA_A_LEAF_TERM]);
	conga_leaf_print_paths(attrs);
	conga_leaf_print_ports(reply);
	conga_print_on_off("ecn", "ecn", attrs[CONGA_A_LEAF_ECN]);
	conga_print_name("policy", "policy", attrs[CONGA_A_LEAF_POLICY]);
	conga_print_id("id", "id", attrs[CONGA_A_LEAF_ID]);
	conga_leaf_print_best(attrs);
	conga_print_origin(attrs[CONGA_A_LEAF_ORIGIN]);
}

static void conga_leaf_brief(struct nlattr **attrs)
{
	char paths[2 * CONGA_UNITS_TEXT_MAX];

	conga_brief_leaf(attrs, CONGA_A_LEAF_ADDR4);
	conga_brief_choice(attrs[CONGA_A_LEAF_STATE], conga_choices_leaf_state,
			   conga_leaf_color(attrs));
	conga_leaf_format_paths(attrs, paths, sizeof(paths));
	conga_brief_text(paths, CONGA_COLOR_NONE);
	conga_brief_choice(attrs[CONGA_A_LEAF_MODE], conga_choices_mode, CONGA_COLOR_NONE);
}

static const struct conga_command conga_leaf_commands[] = {
	{ .name = "show", .run = conga_command_show, .cmd = CONGA_CMD_LEAF_GET,
	  .reply = CONGA_REPLY_ONE_OR_DUMP, .words = conga_leaf_show_words },
	{ .name = "add", .run = conga_command_change, .cmd = CONGA_CMD_LEAF_NEW,
	  .words = conga_leaf_add_words, .privilege = CONGA_PRIVILEGE_CHANGE },
	{ .name = "set", .run = conga_command_change, .cmd = CONGA_CMD_LEAF_SET,
	  .words = conga_leaf_set_words, .privilege = CONGA_PRIVILEGE_CHANGE },
	{ .name = "del", .run = conga_command_change, .cmd = CONGA_CMD_LEAF_DEL,
	  .words = conga_leaf_del_words, .privilege = CONGA_PRIVILEGE_CHANGE },
	{ }
};

const struct conga_object conga_leaf_object = {
	.name = "leaf",
	.usage = conga_leaf_usage,
	.commands = conga_leaf_commands,
	.print = conga_leaf_print,
	.brief = conga_leaf_brief,
	.policy = conga_leaf_policy,
	.attr_max = CONGA_A_LEAF_MAX,
	.defaults = conga_leaf_defaults,
};
