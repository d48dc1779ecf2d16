// SPDX-License-Identifier: GPL-2.0
#include <stdbool.h>
#include <stdio.h>
#include <linux/conga.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include "common/attr.h"
#include "common/units.h"
#include "tool/args.h"
#include "tool/brief.h"
#include "tool/choices_generated.h"
#include "tool/command.h"
#include "tool/grammar.h"
#include "tool/grammar_generated.h"
#include "tool/leaf_reason.h"
#include "tool/options.h"
#include "tool/port.h"
#include "tool/print.h"

#define CONGA_PORT_STATISTICS_INDENT	4

static const char conga_port_usage[] =
	"Usage: conga port add [ dev ] DEV role uplink [ tag TAG ] [ rate { auto | RATE } ]\n"
	"                      [ drain { on | off } ] [ tier NUMBER ]\n"
	"       conga port add [ dev ] DEV role transit [ rate { auto | RATE } ] [ tier NUMBER ]\n"
	"       conga port set [ dev ] DEV [ rate { auto | RATE } ] [ drain { on | off } ]\n"
	"                      [ tier NUMBER ]\n"
	"       conga port del [ dev ] DEV\n"
	"       conga port [ show [ [ dev ] DEV ] ]\n"
	"RATE := NUMBER{ bit | kbit | mbit | gbit | tbit }\n";

static void conga_port_print_rate(struct nlattr **attrs)
{
	const struct nlattr *source = attrs[CONGA_A_PORT_RATE_SOURCE];
	const char *word = conga_args_choice_word(conga_choices_rate_source,
						  conga_attr_number(source));
	char text[CONGA_UNITS_TEXT_MAX];

	if (!source)
		return;
	if (conga_attr_number(attrs[CONGA_A_PORT_RATE]))
		conga_print_rate("rate_bps", "rate", attrs[CONGA_A_PORT_RATE]);
	else
		conga_print_string(NULL, "rate", "unknown");
	conga_print_choice("rate_source", NULL, source, conga_choices_rate_source);
	snprintf(text, sizeof(text), "(%s)", word ? word : "unknown");
	conga_print_text(text);
}

static void conga_port_print_drain(struct nlattr **attrs)
{
	const struct nlattr *drain = attrs[CONGA_A_PORT_DRAIN];
	bool show = conga_options.details || conga_attr_number(drain);

	conga_print_on_off("drain", show ? "drain" : NULL, drain);
	conga_print_uint("flowlets", "flowlets", attrs[CONGA_A_PORT_FLOWLETS]);
}

static void conga_port_print_tier(const struct nlattr *tier)
{
	bool show = conga_options.details || conga_attr_number(tier);

	conga_print_uint("tier", show ? "tier" : NULL, tier);
}

static enum conga_color conga_port_neighbour_color(struct nlattr **attrs)
{
	return conga_attr_number(attrs[CONGA_A_PORT_NEIGHBOUR]) == CONGA_NEIGHBOUR_MISMATCH ?
	       CONGA_COLOR_BAD : CONGA_COLOR_NONE;
}

/* What the node at the other end differs in stands in parentheses behind its state. */
static void conga_port_print_neighbour(struct nlattr **attrs)
{
	const struct nlattr *reason = attrs[CONGA_A_PORT_NEIGHBOUR_REASON];
	char sentence[CONGA_LEAF_REASON_MAX], text[CONGA_LEAF_REASON_MAX + 2];
	bool show = conga_options.details;

	conga_print_color(conga_port_neighbour_color(attrs));
	conga_print_choice("neighbour", "neighbour", attrs[CONGA_A_PORT_NEIGHBOUR],
			   conga_choices_neighbour);
	conga_print_id("neighbour_id", show ? "id" : NULL, attrs[CONGA_A_PORT_NEIGHBOUR_ID]);
	conga_print_choice("neighbour_reason", NULL, reason, conga_choices_leaf_reason);
	conga_print_uint("neighbour_term", NULL, attrs[CONGA_A_PORT_NEIGHBOUR_TERM]);
	if (!reason)
		return;
	conga_leaf_reason_differs(reason, attrs[CONGA_A_PORT_NEIGHBOUR_TERM], sentence);
	snprintf(text, sizeof(text), "(%s)", sentence);
	conga_print_text(text);
}

static void conga_port_print_details(struct nlattr **attrs)
{
	bool show = conga_options.details;

	conga_print_time("tdre_ns", show ? "tdre" : NULL, attrs[CONGA_A_PORT_TDRE]);
	conga_print_uint("dre_bytes", show ? "dre_bytes" : NULL, attrs[CONGA_A_PORT_DRE_BYTES]);
	conga_print_uint("ifindex", show ? "ifindex" : NULL, attrs[CONGA_A_PORT_IFINDEX]);
}

static void conga_port_print_statistics(struct nlattr **attrs)
{
	bool show = conga_options.statistics;

	if (show)
		conga_print_line(CONGA_PORT_STATISTICS_INDENT);
	conga_print_uint("tx_packets", show ? "tx_packets" : NULL,
			 attrs[CONGA_A_PORT_TX_PACKETS]);
	conga_print_uint("tx_bytes", show ? "tx_bytes" : NULL, attrs[CONGA_A_PORT_TX_BYTES]);
}

/* The event of a removed port has only the device. */
static void conga_port_print_dev(struct nlattr **attrs)
{
	conga_print_dev("dev", "", attrs[CONGA_A_PORT_IFINDEX]);
	if (attrs[CONGA_A_PORT_ROLE])
		conga_print_append(":");
}

static enum conga_color conga_port_color(struct nlattr **attrs)
{
	return conga_attr_number(attrs[CONGA_A_PORT_STATE]) == CONGA_PORT_UP ? CONGA_COLOR_GOOD :
									       CONGA_COLOR_BAD;
}

static void conga_port_print(struct nlattr **attrs, struct nl_msg *reply)
{
	(void)reply;
	conga_port_print_dev(attrs);
	conga_print_choice("role", "role", attrs[CONGA_A_PORT_ROLE], conga_choices_role);
	conga_print_uint("tag", "tag", attrs[CONGA_A_PORT_TAG]);
	conga_port_print_tier(attrs[CONGA_A_PORT_TIER]);
	conga_port_print_rate(attrs);
	conga_print_color(conga_port_color(attrs));
	conga_print_choice("state", "state", attrs[CONGA_A_PORT_STATE], conga_choices_port_state);
	conga_print_metric("metric", "metric", attrs[CONGA_A_PORT_METRIC],
			   attrs[CONGA_A_PORT_METRIC_LIMIT]);
	conga_print_uint("metric_limit", NULL, attrs[CONGA_A_PORT_METRIC_LIMIT]);
	conga_port_print_neighbour(attrs);
	conga_port_print_drain(attrs);
	conga_print_uint("short_flows", "short_flows", attrs[CONGA_A_PORT_SHORT_FLOWS]);
	conga_print_origin(attrs[CONGA_A_PORT_ORIGIN]);
	conga_port_print_details(attrs);
	conga_port_print_statistics(attrs);
}

static void conga_port_brief(struct nlattr **attrs)
{
	bool drains = conga_attr_number(attrs[CONGA_A_PORT_DRAIN]);

	conga_brief_dev(attrs[CONGA_A_PORT_IFINDEX]);
	conga_brief_choice(attrs[CONGA_A_PORT_STATE], conga_choices_port_state,
			   conga_port_color(attrs));
	conga_brief_choice(attrs[CONGA_A_PORT_ROLE], conga_choices_role, CONGA_COLOR_NONE);
	conga_brief_number("tag", attrs[CONGA_A_PORT_TAG]);
	conga_brief_rate(attrs[CONGA_A_PORT_RATE]);
	conga_brief_number("metric", attrs[CONGA_A_PORT_METRIC]);
	conga_brief_text(drains ? "drain" : "", CONGA_COLOR_WARNING);
}

static const struct conga_command conga_port_commands[] = {
	{ .name = "show", .run = conga_command_show, .cmd = CONGA_CMD_PORT_GET,
	  .reply = CONGA_REPLY_ONE_OR_DUMP, .words = conga_port_show_words },
	{ .name = "add", .run = conga_command_change, .cmd = CONGA_CMD_PORT_NEW,
	  .words = conga_port_add_words, .privilege = CONGA_PRIVILEGE_CHANGE },
	{ .name = "set", .run = conga_command_change, .cmd = CONGA_CMD_PORT_SET,
	  .words = conga_port_set_words, .privilege = CONGA_PRIVILEGE_CHANGE },
	{ .name = "del", .run = conga_command_change, .cmd = CONGA_CMD_PORT_DEL,
	  .words = conga_port_del_words, .privilege = CONGA_PRIVILEGE_CHANGE },
	{ }
};

const struct conga_object conga_port_object = {
	.name = "port",
	.usage = conga_port_usage,
	.commands = conga_port_commands,
	.print = conga_port_print,
	.brief = conga_port_brief,
	.policy = conga_port_policy,
	.attr_max = CONGA_A_PORT_MAX,
	.defaults = conga_port_defaults,
};
