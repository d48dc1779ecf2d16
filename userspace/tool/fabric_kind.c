// SPDX-License-Identifier: GPL-2.0
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <linux/conga.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include "common/status.h"
#include "common/units.h"
#include "tool/args.h"
#include "tool/fabric_kind.h"
#include "tool/grammar.h"

/* Only the kernel knows the parameters, and which of them are times; its error lists them. */
static int conga_fabric_kind_put_param(struct nl_msg *msg, const char *name, const char *text)
{
	unsigned long long value;
	const char *why = conga_units_parse_size(text, &value);
	bool time = why && !conga_units_parse_time(text, &value);
	struct nlattr *nest;

	if (time)
		why = NULL;
	if (!why && value > UINT32_MAX)
		why = "too large";
	if (why)
		return conga_args_wrong(text, why);
	nest = nla_nest_start(msg, CONGA_A_FABRIC_PARAM);
	if (!nest || nla_put_string(msg, CONGA_A_PARAM_NAME, name) ||
	    nla_put_u32(msg, CONGA_A_PARAM_VALUE, value) ||
	    (time && nla_put_flag(msg, CONGA_A_PARAM_TIME)))
		return conga_args_stored(-1);
	nla_nest_end(msg, nest);
	return CONGA_OK;
}

/* Parses the policy's name, and pairs of words until a keyword follows. */
static int conga_fabric_kind_take_policy(struct conga_args *args, struct nl_msg *msg,
					 const struct conga_keyword *keyword, const char *name)
{
	int status = conga_args_stored(nla_put_string(msg, keyword->attr, name));

	while (!status && args->argc && !conga_args_is_word(args, *args->argv)) {
		const char *param = conga_args_next(args);

		if (!args->argc)
			return conga_args_incomplete(args);
		status = conga_fabric_kind_put_param(msg, param, conga_args_next(args));
	}
	return status;
}

/* VALUE/MASK is written as in nftables and tc; without a mask all bits of the mark are compared. */
static int conga_fabric_kind_put_mark(struct nl_msg *msg, const char *text)
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

static int conga_fabric_kind_put_dscp(struct nl_msg *msg, const char *text)
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

static int conga_fabric_kind_take_opt_out(struct conga_args *args, struct nl_msg *msg,
					  const struct conga_keyword *keyword, const char *what)
{
	bool mark = !strcmp(what, "mark");

	(void)keyword;
	if (!mark && strcmp(what, "dscp"))
		return conga_args_wrong(what, "opt-out is by mark or dscp");
	if (!args->argc)
		return conga_args_incomplete(args);
	return mark ? conga_fabric_kind_put_mark(msg, conga_args_next(args)) :
		      conga_fabric_kind_put_dscp(msg, conga_args_next(args));
}

/* Each family has one address; "off" removes both. */
static int conga_fabric_kind_put_local(struct nl_msg *msg, const struct conga_keyword *keyword,
				       const char *text)
{
	static const struct in6_addr none;

	if (strcmp(text, "off"))
		return conga_kind_addr.put(msg, keyword, text);
	return conga_args_stored(nla_put_u32(msg, CONGA_A_FABRIC_LOCAL4, 0) ||
				 nla_put(msg, CONGA_A_FABRIC_LOCAL6, sizeof(none), &none));
}

const struct conga_choice conga_fabric_kind_opt_outs[] = { { "mark", 0 }, { "dscp", 0 }, { } };
const struct conga_choice conga_fabric_kind_local_off[] = { { "off", 0 }, { } };
const struct conga_kind conga_fabric_kind_policy = { .take = conga_fabric_kind_take_policy };
const struct conga_kind conga_fabric_kind_opt_out = { .take = conga_fabric_kind_take_opt_out };
const struct conga_kind conga_fabric_kind_local = { .put = conga_fabric_kind_put_local };
