// SPDX-License-Identifier: GPL-2.0
#include <stdbool.h>
#include <stdio.h>
#include <linux/conga.h>
#include <netlink/attr.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include "common/attr.h"
#include "common/units.h"
#include "tool/fabric_print.h"
#include "tool/grammar_generated.h"
#include "tool/options.h"
#include "tool/print.h"

static void conga_fabric_print_param(struct nlattr **param)
{
	const char *name = nla_get_string(param[CONGA_A_PARAM_NAME]);
	char key[CONGA_POLICY_NAME_MAX + sizeof("_ns")];

	if (!param[CONGA_A_PARAM_TIME]) {
		conga_print_uint(name, name, param[CONGA_A_PARAM_VALUE]);
		return;
	}
	snprintf(key, sizeof(key), "%s_ns", name);
	conga_print_time(key, name, param[CONGA_A_PARAM_VALUE]);
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
		conga_fabric_print_param(param);
	}
	if (conga_options.json)
		conga_print_object_end();
}

void conga_fabric_print_policy(struct nlattr **attrs, struct nl_msg *reply)
{
	conga_print_name("policy", "policy", attrs[CONGA_A_FABRIC_POLICY]);
	if (attrs[CONGA_A_FABRIC_POLICY])
		conga_fabric_print_params(reply);
}

/* One port that is the default is shown with -d only. */
static bool conga_fabric_print_has_label(const struct nlattr *port, int count)
{
	return count > 1 || conga_options.details ||
	       conga_attr_number(port) != CONGA_FABRIC_DSTPORT_DEFAULT;
}

void conga_fabric_print_dstports(struct nlattr **attrs, struct nl_msg *reply)
{
	struct nlattr *attr;
	int rem, count = 0;

	(void)attrs;
	nlmsg_for_each_attr(attr, nlmsg_hdr(reply), GENL_HDRLEN, rem)
		count += nla_type(attr) == CONGA_A_FABRIC_DSTPORT;
	if (!count)
		return;
	conga_print_array("dstports");
	nlmsg_for_each_attr(attr, nlmsg_hdr(reply), GENL_HDRLEN, rem)
		if (nla_type(attr) == CONGA_A_FABRIC_DSTPORT)
			conga_print_uint("", conga_fabric_print_has_label(attr, count) ? "dstport" :
					 NULL, attr);
	conga_print_array_end();
}

void conga_fabric_print_opt_out(struct nlattr **attrs, struct nl_msg *reply)
{
	const struct nlattr *mark = attrs[CONGA_A_FABRIC_OPT_OUT_MARK];
	char text[2 * CONGA_UNITS_TEXT_MAX];

	(void)reply;
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

void conga_fabric_print_local(struct nlattr **attrs, struct nl_msg *reply)
{
	struct nlattr *v6[CONGA_A_FABRIC_MAX + 1] = {
		[CONGA_A_FABRIC_LOCAL6] = attrs[CONGA_A_FABRIC_LOCAL6],
	};

	(void)reply;
	if (attrs[CONGA_A_FABRIC_LOCAL4])
		conga_print_addr("local4", "local", attrs, CONGA_A_FABRIC_LOCAL4);
	conga_print_addr("local6", "local", v6, CONGA_A_FABRIC_LOCAL4);
}
