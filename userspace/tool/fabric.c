// SPDX-License-Identifier: GPL-2.0
#include <stdbool.h>
#include <stdio.h>
#include <linux/conga.h>
#include <netlink/attr.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include "common/attr.h"
#include "common/status.h"
#include "common/units.h"
#include "tool/choices_generated.h"
#include "tool/command.h"
#include "tool/fabric.h"
#include "tool/grammar.h"
#include "tool/grammar_generated.h"
#include "tool/options.h"
#include "tool/print.h"

static const char *conga_fabric_label_unless(const char *label, const struct nlattr *attr,
					     unsigned long long value)
{
	if (conga_options.details || conga_attr_number(attr) != value)
		return label;
	return NULL;
}

static const char *conga_fabric_label(const char *label, const struct nlattr *attr)
{
	if (!attr)
		return NULL;
	return conga_fabric_label_unless(label, attr, conga_fabric_defaults[nla_type(attr)]);
}

static void conga_fabric_print_tdre(const struct nlattr *attr)
{
	const char *label = conga_fabric_label("tdre", attr);

	if (conga_attr_number(attr))
		conga_print_time("tdre_ns", label, attr);
	else if (attr)
		conga_print_string(NULL, label, "auto");
}

static void conga_fabric_print_dstports(struct nl_msg *reply)
{
	struct nlattr *attr;
	int rem, count = 0;

	nlmsg_for_each_attr(attr, nlmsg_hdr(reply), GENL_HDRLEN, rem)
		count += nla_type(attr) == CONGA_A_FABRIC_DSTPORT;
	if (!count)
		return;
	conga_print_array("dstports");
	nlmsg_for_each_attr(attr, nlmsg_hdr(reply), GENL_HDRLEN, rem)
		if (nla_type(attr) == CONGA_A_FABRIC_DSTPORT)
			conga_print_uint("", count > 1 ? "dstport" :
					 conga_fabric_label("dstport", attr),
					 attr);
	conga_print_array_end();
}

/* On screen the parameters follow the policy's name, as they are typed. */
static void conga_fabric_print_params(struct nl_msg *reply)
{
	struct nlattr *param[CONGA_A_PARAM_MAX + 1];
	struct nlattr *attr;
	int rem;

	conga_print_object("policy_params");
	nlmsg_for_each_attr(attr, nlmsg_hdr(reply), GENL_HDRLEN, rem) {
		if (nla_type(attr) != CONGA_A_FABRIC_PARAM ||
		    nla_parse_nested(param, CONGA_A_PARAM_MAX, attr, conga_param_policy) ||
		    !param[CONGA_A_PARAM_NAME])
			continue;
		conga_print_uint(nla_get_string(param[CONGA_A_PARAM_NAME]),
				 nla_get_string(param[CONGA_A_PARAM_NAME]),
				 param[CONGA_A_PARAM_VALUE]);
	}
	if (conga_options.json)
		conga_print_object_end();
}

static void conga_fabric_print_opt_out(struct nlattr **attrs)
{
	const struct nlattr *mark = attrs[CONGA_A_FABRIC_OPT_OUT_MARK];
	char text[2 * CONGA_UNITS_TEXT_MAX];

	if (mark && conga_options.json) {
		conga_print_uint("opt_out_mark", NULL, mark);
		conga_print_uint("opt_out_mask", NULL, attrs[CONGA_A_FABRIC_OPT_OUT_MASK]);
	} else if (mark) {
		snprintf(text, sizeof(text), "0x%llx/0x%llx", conga_attr_number(mark),
			 conga_attr_number(attrs[CONGA_A_FABRIC_OPT_OUT_MASK]));
		conga_print_string(NULL, "opt-out mark", text);
	}
	conga_print_uint("opt_out_dscp", "opt-out dscp", attrs[CONGA_A_FABRIC_OPT_OUT_DSCP]);
}

static void conga_fabric_print_local(struct nlattr **attrs)
{
	struct nlattr *v6[CONGA_A_FABRIC_MAX + 1] = {
		[CONGA_A_FABRIC_LOCAL6] = attrs[CONGA_A_FABRIC_LOCAL6],
	};

	if (attrs[CONGA_A_FABRIC_LOCAL4])
		conga_print_addr("local4", "local", attrs, CONGA_A_FABRIC_LOCAL4);
	conga_print_addr("local6", "local", v6, CONGA_A_FABRIC_LOCAL4);
}

/* These settings control the packets that conga itself sends between nodes. */
static void conga_fabric_print_control(struct nlattr **attrs)
{
	const struct nlattr *hello = attrs[CONGA_A_FABRIC_HELLO];
	const struct nlattr *probe = attrs[CONGA_A_FABRIC_PROBE];
	const struct nlattr *explicit = attrs[CONGA_A_FABRIC_EXPLICIT_FEEDBACK];

	conga_print_time_or_off("hello_ns", conga_fabric_label("hello", hello),
				hello);
	conga_print_time_or_off("probe_ns", conga_fabric_label_unless("probe", probe, 0), probe);
	conga_print_time("probe_late_ns", conga_options.details ? "probe-late" : NULL,
			 attrs[CONGA_A_FABRIC_PROBE_LATE]);
	conga_print_time("probe_latest_ns", conga_options.details ? "probe-latest" : NULL,
			 attrs[CONGA_A_FABRIC_PROBE_LATEST]);
	conga_print_on_off("explicit_feedback",
			   conga_fabric_label("explicit-feedback", explicit), explicit);
	conga_print_id("leaf_id", "leaf-id", attrs[CONGA_A_FABRIC_LEAF_ID]);
}

/* The event of a deleted fabric has no attributes. */
static void conga_fabric_print(struct nlattr **attrs, struct nl_msg *reply)
{
	const struct nlattr *metric = attrs[CONGA_A_FABRIC_METRIC];
	const struct nlattr *byte3 = attrs[CONGA_A_FABRIC_BYTE3];
	const struct nlattr *alpha = attrs[CONGA_A_FABRIC_ALPHA];
	const struct nlattr *timeout = attrs[CONGA_A_FABRIC_FLOWLET_TIMEOUT];
	const struct nlattr *age = attrs[CONGA_A_FABRIC_AGE];
	const struct nlattr *flowlets = attrs[CONGA_A_FABRIC_FLOWLETS];

	conga_print_text(attrs[CONGA_A_FABRIC_POLICY] ? "fabric:" : "fabric");
	conga_print_name("policy", "policy", attrs[CONGA_A_FABRIC_POLICY]);
	if (attrs[CONGA_A_FABRIC_POLICY])
		conga_fabric_print_params(reply);
	conga_print_uint("q", "q", attrs[CONGA_A_FABRIC_Q]);
	conga_print_choice("metric", conga_fabric_label("metric", metric),
			   metric, conga_choices_metric);
	conga_print_choice("byte3", conga_fabric_label("byte3", byte3),
			   byte3, conga_choices_byte3);
	conga_fabric_print_tdre(attrs[CONGA_A_FABRIC_TDRE]);
	conga_print_fraction("alpha", conga_fabric_label("alpha", alpha),
			     alpha);
	conga_print_time("flowlet_timeout_ns",
			 conga_fabric_label_unless("flowlet-timeout", timeout,
						   CONGA_FABRIC_FLOWLET_TIMEOUT_USUAL), timeout);
	conga_print_choice("flowlet_timeout_source", NULL,
			   attrs[CONGA_A_FABRIC_FLOWLET_TIMEOUT_SOURCE],
			   conga_choices_timeout_source);
	conga_print_time("age_ns", conga_fabric_label("age", age), age);
	conga_fabric_print_dstports(reply);
	conga_print_uint("flowlets",
			 conga_fabric_label("flowlets", flowlets),
			 flowlets);
	conga_fabric_print_control(attrs);
	conga_fabric_print_opt_out(attrs);
	conga_fabric_print_local(attrs);
	conga_print_uint("ports", "ports", attrs[CONGA_A_FABRIC_PORTS]);
	conga_print_uint("leaves", "leaves", attrs[CONGA_A_FABRIC_LEAVES]);
}

/* "set" without a setting is an error, unlike "add". */
static int conga_fabric_set(const struct conga_command *command, struct conga_args *args)
{
	if (args->argc)
		return conga_command_change(command, args);
	fprintf(stderr, "Command line is not complete. Try option \"help\"\n%s",
		conga_fabric_usage);
	return CONGA_USAGE;
}

static const struct conga_command conga_fabric_commands[] = {
	{ .name = "show", .run = conga_command_show, .cmd = CONGA_CMD_FABRIC_GET,
	  .reply = CONGA_REPLY_ONE },
	{ .name = "add", .run = conga_command_change, .cmd = CONGA_CMD_FABRIC_NEW,
	  .words = conga_fabric_words, .privilege = CONGA_PRIVILEGE_CHANGE },
	{ .name = "set", .run = conga_fabric_set, .cmd = CONGA_CMD_FABRIC_SET,
	  .words = conga_fabric_words, .privilege = CONGA_PRIVILEGE_CHANGE },
	{ .name = "del", .run = conga_command_change, .cmd = CONGA_CMD_FABRIC_DEL,
	  .privilege = CONGA_PRIVILEGE_CHANGE },
	{ }
};

const struct conga_object conga_fabric_object = {
	.name = "fabric",
	.usage = conga_fabric_usage,
	.commands = conga_fabric_commands,
	.print = conga_fabric_print,
	.policy = conga_fabric_policy,
	.attr_max = CONGA_A_FABRIC_MAX,
	.defaults = conga_fabric_defaults,
};
