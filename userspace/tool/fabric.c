// SPDX-License-Identifier: GPL-2.0
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <linux/conga.h>
#include <netlink/attr.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include "common/attr.h"
#include "common/status.h"
#include "common/units.h"
#include "tool/args.h"
#include "tool/choices_generated.h"
#include "tool/command.h"
#include "tool/fabric.h"
#include "tool/grammar.h"
#include "tool/options.h"
#include "tool/print.h"

/* These are the defaults of the kernel's manual; values that equal them are shown with -d only. */
static const unsigned long long conga_fabric_defaults[CONGA_A_FABRIC_MAX + 1] = {
	[CONGA_A_FABRIC_Q] = 3,
	[CONGA_A_FABRIC_ALPHA] = 100000,
	[CONGA_A_FABRIC_FLOWLET_TIMEOUT] = CONGA_FLOWLET_TIMEOUT_AUTO,
	[CONGA_A_FABRIC_AGE] = 10000000,
	[CONGA_A_FABRIC_DSTPORT] = 4789,
	[CONGA_A_FABRIC_FLOWLETS] = 65536,
	[CONGA_A_FABRIC_METRIC] = CONGA_METRIC_MAX,
	[CONGA_A_FABRIC_HELLO] = 300000000,
	[CONGA_A_FABRIC_EXPLICIT_FEEDBACK] = true,
	[CONGA_A_FABRIC_OPT_OUT_DSCP] = CONGA_DSCP_NONE,
	[CONGA_A_FABRIC_PROBE] = CONGA_PROBE_AUTO,
};

/* These defaults apply to a policy without defaults of its own. */
#define CONGA_FABRIC_FLOWLET_TIMEOUT	500000ULL

unsigned long long conga_fabric_default(int attr)
{
	return conga_fabric_defaults[attr];
}

static const char conga_fabric_usage[] =
	"Usage: conga fabric { add | set } [ policy NAME [ PARAM VALUE ]... ] [ q BITS ]\n"
	"                    [ metric { max | sum } ] [ tdre { auto | TIME } ] [ alpha FRACTION ]\n"
	"                    [ flowlet-timeout { auto | TIME } ] [ age TIME ]\n"
	"                    [ dstport PORT ]... [ flowlets ENTRIES ] [ hello { TIME | off } ]\n"
	"                    [ probe { auto | TIME | off } ]\n"
	"                    [ explicit-feedback { on | off } ] [ leaf-id NUMBER ]\n"
	"                    [ opt-out mark { VALUE[/MASK] | off } ]\n"
	"                    [ opt-out dscp { NUMBER | off } ]\n"
	"                    [ local { ADDR | off } ]...\n"
	"       conga fabric [ show ]\n"
	"       conga fabric del\n"
	"TIME := NUMBER[ ns | us | ms | s ], a bare number is microseconds\n"
	"Policies and their parameters: conga policy list\n";

/* Only the kernel knows the parameters; its error lists them. */
static int conga_fabric_put_param(struct nl_msg *msg, const char *name, const char *text)
{
	unsigned long long value;
	const char *why = conga_units_parse_size(text, &value);
	struct nlattr *nest;

	if (!why && value > UINT32_MAX)
		why = "too large";
	if (why)
		return conga_args_wrong(text, why);
	nest = nla_nest_start(msg, CONGA_A_FABRIC_PARAM);
	if (!nest || nla_put_string(msg, CONGA_A_PARAM_NAME, name) ||
	    nla_put_u32(msg, CONGA_A_PARAM_VALUE, value))
		return conga_args_stored(-1);
	nla_nest_end(msg, nest);
	return CONGA_OK;
}

/* Parses the policy's name, and pairs of words until a keyword follows. */
static int conga_fabric_take_policy(struct conga_args *args, struct nl_msg *msg,
				    const struct conga_keyword *keyword, const char *name)
{
	int status = conga_args_stored(nla_put_string(msg, keyword->attr, name));

	while (!status && args->argc && !conga_args_is_word(args, *args->argv)) {
		const char *param = conga_args_next(args);

		if (!args->argc)
			return conga_args_incomplete(args);
		status = conga_fabric_put_param(msg, param, conga_args_next(args));
	}
	return status;
}

/* VALUE/MASK is written as in nftables and tc; without a mask all bits of the mark are compared. */
static int conga_fabric_put_mark(struct nl_msg *msg, const char *text)
{
	unsigned long long value = 0, mask = UINT32_MAX;
	char mark[CONGA_UNITS_TEXT_MAX] = "";
	size_t length = strcspn(text, "/");
	const char *why = NULL;

	if (!strcmp(text, "off")) {
		mask = 0;
	} else if (length >= sizeof(mark)) {
		why = "too long";
	} else {
		memcpy(mark, text, length);
		why = conga_units_parse_id(mark, &value);
		if (!why && text[length])
			why = conga_units_parse_id(text + length + 1, &mask);
		if (!why && (value > UINT32_MAX || mask > UINT32_MAX))
			why = "too large";
		if (!why && !mask)
			why = "the mask has no bit, to exempt no packet use \"off\"";
	}
	if (why)
		return conga_args_wrong(text, why);
	return conga_args_stored(nla_put_u32(msg, CONGA_A_FABRIC_OPT_OUT_MARK, value) ||
				 nla_put_u32(msg, CONGA_A_FABRIC_OPT_OUT_MASK, mask));
}

static int conga_fabric_put_dscp(struct nl_msg *msg, const char *text)
{
	unsigned long long value = CONGA_DSCP_NONE;
	const char *why = NULL;

	if (strcmp(text, "off")) {
		why = conga_units_parse_id(text, &value);
		if (!why && value >= CONGA_DSCP_NONE)
			why = "a DSCP is a number from 0 to 63";
	}
	if (why)
		return conga_args_wrong(text, why);
	return conga_args_stored(nla_put_u32(msg, CONGA_A_FABRIC_OPT_OUT_DSCP, value));
}

static int conga_fabric_take_opt_out(struct conga_args *args, struct nl_msg *msg,
				     const struct conga_keyword *keyword, const char *what)
{
	bool mark = !strcmp(what, "mark");

	(void)keyword;
	if (!mark && strcmp(what, "dscp"))
		return conga_args_wrong(what, "opt-out is by mark or dscp");
	if (!args->argc)
		return conga_args_incomplete(args);
	return mark ? conga_fabric_put_mark(msg, conga_args_next(args)) :
		      conga_fabric_put_dscp(msg, conga_args_next(args));
}

/* Each family has one address; "off" removes both. */
static int conga_fabric_put_local(struct nl_msg *msg, const struct conga_keyword *keyword,
				  const char *text)
{
	static const struct in6_addr none;

	if (strcmp(text, "off"))
		return conga_kind_addr.put(msg, keyword, text);
	return conga_args_stored(nla_put_u32(msg, CONGA_A_FABRIC_LOCAL4, 0) ||
				 nla_put(msg, CONGA_A_FABRIC_LOCAL6, sizeof(none), &none));
}

const struct conga_kind conga_fabric_kind_policy = { .take = conga_fabric_take_policy };
const struct conga_kind conga_fabric_kind_opt_out = { .take = conga_fabric_take_opt_out };
static const struct conga_kind conga_fabric_kind_local = { .put = conga_fabric_put_local };
static const struct conga_choice conga_fabric_opt_outs[] = { { "mark", 0 }, { "dscp", 0 }, { } };
static const struct conga_choice conga_fabric_off[] = { { "off", 0 }, { } };

static const struct conga_keyword conga_fabric_words[] = {
	{ "policy", CONGA_A_FABRIC_POLICY, &conga_fabric_kind_policy, 0, NULL },
	{ "q", CONGA_A_FABRIC_Q, &conga_kind_u32, 0, NULL },
	{ "metric", CONGA_A_FABRIC_METRIC, &conga_kind_choice, 0, conga_choices_metric },
	{ "tdre", CONGA_A_FABRIC_TDRE, &conga_kind_time, 0, conga_choices_fabric_tdre },
	{ "alpha", CONGA_A_FABRIC_ALPHA, &conga_kind_fraction, 0, NULL },
	{ "flowlet-timeout", CONGA_A_FABRIC_FLOWLET_TIMEOUT, &conga_kind_time, 0,
	  conga_choices_fabric_flowlet_timeout },
	{ "age", CONGA_A_FABRIC_AGE, &conga_kind_time, 0, NULL },
	{ "dstport", CONGA_A_FABRIC_DSTPORT, &conga_kind_u16, CONGA_KEYWORD_REPEATED, NULL },
	{ "flowlets", CONGA_A_FABRIC_FLOWLETS, &conga_kind_u32, 0, NULL },
	{ "hello", CONGA_A_FABRIC_HELLO, &conga_kind_time, 0, conga_choices_fabric_hello },
	{ "probe", CONGA_A_FABRIC_PROBE, &conga_kind_time, 0, conga_choices_fabric_probe },
	{ "explicit-feedback", CONGA_A_FABRIC_EXPLICIT_FEEDBACK, &conga_kind_choice, 0,
	  conga_args_on_off },
	{ "leaf-id", CONGA_A_FABRIC_LEAF_ID, &conga_kind_id, 0, NULL },
	{ "opt-out", CONGA_A_FABRIC_OPT_OUT_MARK, &conga_fabric_kind_opt_out,
	  CONGA_KEYWORD_REPEATED, conga_fabric_opt_outs },
	{ "local", CONGA_A_FABRIC_LOCAL4, &conga_fabric_kind_local, CONGA_KEYWORD_REPEATED,
	  conga_fabric_off },
	{ }
};

static const struct nla_policy conga_fabric_policy[CONGA_A_FABRIC_MAX + 1] = {
	[CONGA_A_FABRIC_POLICY] = { .type = NLA_STRING },
	[CONGA_A_FABRIC_Q] = { .type = NLA_U32 },
	[CONGA_A_FABRIC_TDRE] = { .type = NLA_U64 },
	[CONGA_A_FABRIC_ALPHA] = { .type = NLA_U32 },
	[CONGA_A_FABRIC_FLOWLET_TIMEOUT] = { .type = NLA_U64 },
	[CONGA_A_FABRIC_AGE] = { .type = NLA_U64 },
	[CONGA_A_FABRIC_DSTPORT] = { .type = NLA_U16 },
	[CONGA_A_FABRIC_FLOWLETS] = { .type = NLA_U32 },
	[CONGA_A_FABRIC_METRIC] = { .type = NLA_U32 },
	[CONGA_A_FABRIC_PORTS] = { .type = NLA_U32 },
	[CONGA_A_FABRIC_LEAVES] = { .type = NLA_U32 },
	[CONGA_A_FABRIC_HELLO] = { .type = NLA_U64 },
	[CONGA_A_FABRIC_EXPLICIT_FEEDBACK] = { .type = NLA_U32 },
	[CONGA_A_FABRIC_LEAF_ID] = { .type = NLA_U32 },
	[CONGA_A_FABRIC_PARAM] = { .type = NLA_NESTED },
	[CONGA_A_FABRIC_FLOWLET_TIMEOUT_SOURCE] = { .type = NLA_U32 },
	[CONGA_A_FABRIC_OPT_OUT_MARK] = { .type = NLA_U32 },
	[CONGA_A_FABRIC_OPT_OUT_MASK] = { .type = NLA_U32 },
	[CONGA_A_FABRIC_OPT_OUT_DSCP] = { .type = NLA_U32 },
	[CONGA_A_FABRIC_PROBE] = { .type = NLA_U64 },
	[CONGA_A_FABRIC_PROBE_LATE] = { .type = NLA_U64 },
	[CONGA_A_FABRIC_PROBE_LATEST] = { .type = NLA_U64 },
	[CONGA_A_FABRIC_BYTE3] = { .type = NLA_U32 },
	[CONGA_A_FABRIC_PROBE_SOURCE] = { .type = NLA_U32 },
	[CONGA_A_FABRIC_LEAF_ID_ORIGIN] = { .type = NLA_U32 },
	[CONGA_A_FABRIC_LOCAL4] = { .type = NLA_U32 },
	[CONGA_A_FABRIC_LOCAL6] = { .minlen = 16 },
};

static const struct nla_policy conga_fabric_param_policy[CONGA_A_PARAM_MAX + 1] = {
	[CONGA_A_PARAM_NAME] = { .type = NLA_STRING },
	[CONGA_A_PARAM_VALUE] = { .type = NLA_U32 },
};

static const char *conga_fabric_label_unless(const char *label, const struct nlattr *attr,
					     unsigned long long value)
{
	if (conga_options.details || conga_attr_number(attr) != value)
		return label;
	return NULL;
}

static const char *conga_fabric_label(const char *label, const struct nlattr *attr)
{
	return attr ? conga_fabric_label_unless(label, attr, conga_fabric_default(nla_type(attr))) :
		NULL;
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
		    nla_parse_nested(param, CONGA_A_PARAM_MAX, attr, conga_fabric_param_policy) ||
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
						   CONGA_FABRIC_FLOWLET_TIMEOUT), timeout);
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
};
