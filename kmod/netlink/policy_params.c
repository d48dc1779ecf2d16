// SPDX-License-Identifier: GPL-2.0
/*
 * Policies and their parameters, as the user names them. Valid values depend on the
 * policies that exist, so the sentences about them are made once, when the module is
 * loaded: they must persist, because the kernel sends them after the request has been
 * released.
 */
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "netlink/family.h"
#include "netlink/policy_params.h"
#include "netlink/reply.h"
#include "netlink/rules.h"
#include "netlink/rules_generated.h"
#include "objects/fabric.h"

#define CONGA_SENTENCE_MAX	160
#define CONGA_NAMES_MAX		400
#define CONGA_LIMIT_MAX		16

struct conga_netlink_sentences {
	char	unknown[CONGA_SENTENCE_MAX];	/* no such parameter */
	char	range[CONGA_POLICY_PARAMS][CONGA_SENTENCE_MAX];
};

static char conga_netlink_names[CONGA_NAMES_MAX] __ro_after_init;
static struct conga_netlink_sentences
conga_netlink_sentences[CONGA_POLICIES_MAX] __ro_after_init;

/* Appends @word to @text: "@text @word", or "@text, @word" from the second word on. */
static void __init conga_netlink_append(char *text, size_t size, bool first,
					const char *word)
{
	size_t used = strlen(text);

	scnprintf(text + used, size - used, "%s %s", first ? "" : ",", word);
}

/* Writes a limit of @param as sentences have it: "16", or "4 us" in the largest unit. */
static void __init conga_netlink_write_limit(char text[CONGA_LIMIT_MAX],
					     const struct conga_policy_param *param, u32 value)
{
	if (!param->time)
		snprintf(text, CONGA_LIMIT_MAX, "%u", value);
	else if (!(value % NSEC_PER_SEC))
		snprintf(text, CONGA_LIMIT_MAX, "%lu s", value / NSEC_PER_SEC);
	else if (!(value % NSEC_PER_MSEC))
		snprintf(text, CONGA_LIMIT_MAX, "%lu ms", value / NSEC_PER_MSEC);
	else if (!(value % NSEC_PER_USEC))
		snprintf(text, CONGA_LIMIT_MAX, "%lu us", value / NSEC_PER_USEC);
	else
		snprintf(text, CONGA_LIMIT_MAX, "%u ns", value);
}

static void __init conga_netlink_describe_range(char range[CONGA_SENTENCE_MAX],
						const struct conga_policy *policy,
						const struct conga_policy_param *param)
{
	char min[CONGA_LIMIT_MAX], max[CONGA_LIMIT_MAX];

	conga_netlink_write_limit(min, param, param->min);
	conga_netlink_write_limit(max, param, param->max);
	snprintf(range, CONGA_SENTENCE_MAX, "%s of policy %s must be %sfrom %s to %s",
		 param->name, policy->name, param->time ? "a time " : "", min, max);
}

static void __init
conga_netlink_describe(struct conga_netlink_sentences *sentences,
		       const struct conga_policy *policy)
{
	const struct conga_policy_param *param = policy->param;
	char *unknown = sentences->unknown;
	unsigned int i;

	snprintf(unknown, CONGA_SENTENCE_MAX, param->name ?
		 "Policy %s has no parameter of this name; valid names:" :
		 "Policy %s has no parameters", policy->name);
	for (i = 0; param[i].name; i++) {
		conga_netlink_append(unknown, CONGA_SENTENCE_MAX, !i,
				     param[i].name);
		conga_netlink_describe_range(sentences->range[i], policy, &param[i]);
	}
}

void __init conga_netlink_policy_init(void)
{
	const struct conga_policy *policy;
	unsigned int i;

	strscpy(conga_netlink_names, "There is no policy of this name; valid names:",
		CONGA_NAMES_MAX);
	for (i = 0; (policy = conga_policy_get(i)); i++) {
		if (WARN_ON(i == CONGA_POLICIES_MAX))
			break;
		conga_netlink_append(conga_netlink_names, CONGA_NAMES_MAX, !i,
				     policy->name);
		conga_netlink_describe(&conga_netlink_sentences[i], policy);
	}
}

static unsigned int conga_netlink_number(const struct conga_policy *policy)
{
	unsigned int i = 0;

	while (conga_policy_get(i) != policy)
		i++;
	return i;
}

/* The value must have the unit of the parameter, so that nobody takes 150 for another time. */
static bool conga_netlink_param_valid(const struct conga_policy_param *param,
				      struct nlattr *attrs[])
{
	u32 value = nla_get_u32(attrs[CONGA_A_PARAM_VALUE]);

	return nla_get_flag(attrs[CONGA_A_PARAM_TIME]) == param->time &&
	       value >= param->min && value <= param->max;
}

static int conga_netlink_read_param(struct conga_params *params,
				    const struct nlattr *nest,
				    struct netlink_ext_ack *extack)
{
	const struct conga_policy *policy = params->policy;
	struct nlattr *attrs[CONGA_A_PARAM_MAX + 1];
	const struct conga_netlink_sentences *sentences;
	unsigned int i;
	int err;

	err = nla_parse_nested(attrs, CONGA_A_PARAM_MAX, nest,
			       conga_netlink_fabric_param_policy, extack);
	if (err)
		return err;
	if (!attrs[CONGA_A_PARAM_NAME] || !attrs[CONGA_A_PARAM_VALUE]) {
		NL_SET_ERR_MSG_ATTR(extack, nest,
				    "A policy parameter must have a name and a value");
		return -EINVAL;
	}
	sentences = &conga_netlink_sentences[conga_netlink_number(policy)];
	for (i = 0; policy->param[i].name; i++)
		if (!nla_strcmp(attrs[CONGA_A_PARAM_NAME],
				policy->param[i].name))
			break;
	if (!policy->param[i].name) {
		conga_netlink_refuse(extack, attrs[CONGA_A_PARAM_NAME],
				     sentences->unknown);
		return -ENOENT;
	}
	if (!conga_netlink_param_valid(&policy->param[i], attrs)) {
		conga_netlink_refuse(extack, attrs[CONGA_A_PARAM_VALUE],
				     sentences->range[i]);
		return -ERANGE;
	}
	params->policy_param[i] = nla_get_u32(attrs[CONGA_A_PARAM_VALUE]);
	return 0;
}

static void conga_netlink_param_defaults(struct conga_params *params)
{
	unsigned int i;

	for (i = 0; i < CONGA_POLICY_PARAMS; i++)
		params->policy_param[i] = params->policy->param[i].initial;
}

static int conga_netlink_read_name(struct conga_params *params,
				   const struct nlattr *attr,
				   struct netlink_ext_ack *extack)
{
	const struct conga_policy *policy = conga_policy_find(nla_data(attr));

	if (!policy) {
		conga_netlink_refuse(extack, attr, conga_netlink_names);
		return -ENOENT;
	}
	if (policy == params->policy)
		return 0;
	params->policy = policy;
	conga_netlink_param_defaults(params);
	return 0;
}

/*
 * conga_netlink_read_policy - the policy that a request asks for
 *
 * Parameters belong to the policy that is current afterwards; a changed policy starts with
 * its defaults.
 */
int conga_netlink_read_policy(struct conga_params *params,
			      struct genl_info *info)
{
	struct nlattr *attr = info->attrs[CONGA_A_FABRIC_POLICY];
	int left, err = 0;

	if (attr)
		err = conga_netlink_read_name(params, attr, info->extack);
	if (err)
		return err;
	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, left) {
		if (nla_type(attr) == CONGA_A_FABRIC_PARAM)
			err = conga_netlink_read_param(params, attr,
						       info->extack);
		if (err)
			break;
	}
	return err;
}

static int conga_netlink_put_param_time(struct sk_buff *skb,
					const struct conga_policy_param *param)
{
	return param->time ? nla_put_flag(skb, CONGA_A_PARAM_TIME) : 0;
}

/* conga_netlink_put_params - the current values of the policy's own parameters */
int conga_netlink_put_params(struct sk_buff *skb,
			     const struct conga_params *params)
{
	const struct conga_policy_param *param = params->policy->param;
	struct nlattr *nest;
	unsigned int i;

	for (i = 0; param[i].name; i++) {
		nest = nla_nest_start(skb, CONGA_A_FABRIC_PARAM);
		if (!nest ||
		    nla_put_string(skb, CONGA_A_PARAM_NAME, param[i].name) ||
		    nla_put_u32(skb, CONGA_A_PARAM_VALUE,
				params->policy_param[i]) ||
		    conga_netlink_put_param_time(skb, &param[i]))
			return -EMSGSIZE;
		nla_nest_end(skb, nest);
	}
	return 0;
}

static int conga_netlink_put_param(struct sk_buff *skb,
				   const struct conga_policy_param *param)
{
	struct nlattr *nest = nla_nest_start(skb, CONGA_A_POLICY_PARAM);

	if (!nest || nla_put_string(skb, CONGA_A_PARAM_NAME, param->name) ||
	    nla_put_string(skb, CONGA_A_PARAM_SUMMARY, param->summary) ||
	    nla_put_u32(skb, CONGA_A_PARAM_MIN, param->min) ||
	    nla_put_u32(skb, CONGA_A_PARAM_LIMIT, param->max) ||
	    nla_put_u32(skb, CONGA_A_PARAM_VALUE, param->initial) ||
	    conga_netlink_put_param_time(skb, param))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int conga_netlink_put_policy(struct sk_buff *skb,
				    const struct conga_policy *policy)
{
	u64 tfl = policy->tfl ?: CONGA_FABRIC_FLOWLET_TIMEOUT_USUAL;
	const struct conga_policy_param *param;
	int err = 0;

	if (nla_put_string(skb, CONGA_A_POLICY_NAME, policy->name) ||
	    nla_put_string(skb, CONGA_A_POLICY_SUMMARY, policy->summary) ||
	    (policy->needs & CONGA_NEEDS_FLOWLET &&
	     nla_put_u64_64bit(skb, CONGA_A_POLICY_FLOWLET_TIMEOUT, tfl,
			       CONGA_A_POLICY_PAD)))
		return -EMSGSIZE;
	for (param = policy->param; param->name && !err; param++)
		err = conga_netlink_put_param(skb, param);
	return err;
}

/* The module's policies are the same with or without a fabric. */
int conga_netlink_policy_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	unsigned long *number = &conga_netlink_cursor(cb)->object;
	const struct conga_policy *policy;
	void *header;

	for (; (policy = conga_policy_get(*number)); (*number)++) {
		header = conga_netlink_begin(skb, cb, CONGA_CMD_POLICY_GET);
		if (!header ||
		    conga_netlink_end(skb, header,
				      conga_netlink_put_policy(skb, policy)))
			break;
	}
	return skb->len;
}
