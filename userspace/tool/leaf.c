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
#include "tool/leaf.h"
#include "tool/options.h"
#include "tool/print.h"

static const char conga_leaf_usage[] =
	"Usage: conga leaf add ADDR [ mode MODE ]\n"
	"       conga leaf set ADDR mode MODE\n"
	"       conga leaf del ADDR\n"
	"       conga leaf [ show [ ADDR ] ]\n"
	"ADDR := outer IPv4 or IPv6 address of a remote tunnel endpoint\n"
	"MODE := { auto | conga | plain }, default auto: conga while the leaf answers hellos\n";

const struct conga_choice conga_leaf_sentences[] = {
	{ "set by the operator", CONGA_LEAF_ORDERED },
	{ "answers hellos", CONGA_LEAF_ANSWERS },
	{ "has not answered the last three hellos", CONGA_LEAF_SILENT },
	{ "sent a goodbye message", CONGA_LEAF_BYE },
	{ "uses another version of control packets", CONGA_LEAF_VERSION },
	{ "has another q", CONGA_LEAF_Q },
	{ "uses byte 3 of the VXLAN header differently", CONGA_LEAF_BYTE3 },
	{ "has another metric", CONGA_LEAF_METRIC },
	{ "two nodes answer for its address by turns", CONGA_LEAF_ALTERNATES },
	{ "hello is off here", CONGA_LEAF_HELLO_OFF },
	{ }
};

/* The usual reason is not shown. */
static void conga_leaf_print_reason(const struct nlattr *reason)
{
	unsigned int value = conga_attr_number(reason);

	conga_print_choice("reason", NULL, reason, conga_choices_leaf_reason);
	if (conga_options.details ||
	    (value != CONGA_LEAF_ORDERED && value != CONGA_LEAF_ANSWERS))
		conga_print_sentence(reason, conga_leaf_sentences);
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

static void conga_leaf_print(struct nlattr **attrs, struct nl_msg *reply)
{
	conga_print_addr("addr", "", attrs, CONGA_A_LEAF_ADDR4);
	conga_print_choice("mode", "mode", attrs[CONGA_A_LEAF_MODE], conga_choices_mode);
	conga_print_color(conga_attr_number(attrs[CONGA_A_LEAF_STATE]) == CONGA_MODE_CONGA ?
			  CONGA_COLOR_GOOD : CONGA_COLOR_WARNING);
	conga_print_choice("state", "state", attrs[CONGA_A_LEAF_STATE], conga_choices_mode);
	conga_leaf_print_reason(attrs[CONGA_A_LEAF_REASON]);
	conga_print_uint("paths", "paths", attrs[CONGA_A_LEAF_PATHS]);
	conga_leaf_print_ports(reply);
	conga_print_id("id", "id", attrs[CONGA_A_LEAF_ID]);
	conga_leaf_print_best(attrs);
	conga_print_origin(attrs[CONGA_A_LEAF_ORIGIN]);
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
	.policy = conga_leaf_policy,
	.attr_max = CONGA_A_LEAF_MAX,
	.defaults = conga_leaf_defaults,
};
