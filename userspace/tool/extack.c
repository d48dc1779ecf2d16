// SPDX-License-Identifier: GPL-2.0
/*
 * The extended ACK: why the kernel refuses. Read by hand, because libnl knows
 * nothing of it up to version 3.7.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <linux/netlink.h>
#include "tool/tool.h"

/* The attribute at @offset of what we sent. */
static int conga_extack_attr_at(const struct nlmsghdr *request, unsigned int offset)
{
	const struct nlattr *attr;

	if (offset < NLMSG_HDRLEN || request->nlmsg_len < sizeof(*attr) ||
	    offset > request->nlmsg_len - sizeof(*attr))
		return 0;
	attr = (const struct nlattr *)((const char *)request + offset);
	return nla_type(attr);
}

static bool conga_extack_bound(struct nlattr *attr, unsigned long long *bound)
{
	if (!attr || nla_len(attr) < (int)sizeof(uint64_t))
		return false;
	*bound = nla_get_u64(attr);
	return true;
}

/* The rule that was broken is there only if a rule was, not the module. */
static void conga_extack_parse_policy(struct conga_extack *extack, struct nlattr *policy)
{
	struct nlattr *tlv[NL_POLICY_TYPE_ATTR_MAX + 1];

	extack->by_policy = true;
	if (nla_parse_nested(tlv, NL_POLICY_TYPE_ATTR_MAX, policy, NULL) < 0)
		return;
	extack->has_range =
		conga_extack_bound(tlv[NL_POLICY_TYPE_ATTR_MIN_VALUE_U], &extack->min) &&
		conga_extack_bound(tlv[NL_POLICY_TYPE_ATTR_MAX_VALUE_U], &extack->max);
}

static unsigned int conga_extack_u32(const struct nlattr *attr)
{
	return attr && nla_len(attr) >= (int)sizeof(uint32_t) ?
		nla_get_u32((struct nlattr *)attr) : 0;
}

void conga_extack_parse(struct conga_extack *extack, struct nlattr *tlvs, int len,
			const struct nlmsghdr *request)
{
	struct nlattr *tlv[NLMSGERR_ATTR_MAX + 1];

	memset(extack, 0, sizeof(*extack));
	if (nla_parse(tlv, NLMSGERR_ATTR_MAX, tlvs, len, NULL) < 0)
		return;
	if (tlv[NLMSGERR_ATTR_MSG])
		nla_strlcpy(extack->text, tlv[NLMSGERR_ATTR_MSG], sizeof(extack->text));
	if (tlv[NLMSGERR_ATTR_OFFS])
		extack->bad_attr = conga_extack_attr_at(request,
							conga_extack_u32(tlv[NLMSGERR_ATTR_OFFS]));
	extack->missing_attr = conga_extack_u32(tlv[NLMSGERR_ATTR_MISS_TYPE]);
	if (tlv[NLMSGERR_ATTR_POLICY])
		conga_extack_parse_policy(extack, tlv[NLMSGERR_ATTR_POLICY]);
}

static const char *conga_extack_stop(const struct conga_extack *extack)
{
	size_t len = strlen(extack->text);

	return len && extack->text[len - 1] == '.' ? "" : ".";
}

void conga_extack_warn(const struct conga_extack *extack)
{
	if (*extack->text)
		fprintf(stderr, "Warning: %s%s\n", extack->text, conga_extack_stop(extack));
}

/* The module refuses what it does not know, so that this tool knows more than it does. */
static bool conga_extack_is_unknown(const struct conga_extack *extack)
{
	return !strncmp(extack->text, "Unknown attribute", 17) ||
		!strncmp(extack->text, "Unsupported attribute", 21);
}

static void conga_extack_report_unknown(const char *what)
{
	fprintf(stderr,
		"Error: the module does not know %s, it is older than this tool (conga -V)\n",
		what);
}

static void conga_extack_report_word(const struct conga_extack *extack,
				     const struct conga_keyword *keyword)
{
	char min[CONGA_UNITS_TEXT_MAX], max[CONGA_UNITS_TEXT_MAX];

	if (!extack->has_range || !keyword->kind->format) {
		fprintf(stderr, "Error: %s: %s%s\n", keyword->word, extack->text,
			conga_extack_stop(extack));
		return;
	}
	keyword->kind->format(min, sizeof(min), extack->min);
	keyword->kind->format(max, sizeof(max), extack->max);
	fprintf(stderr, "Error: %s: %s (%s to %s).\n", keyword->word, extack->text, min, max);
}

static void conga_extack_report_errno(int error, const struct conga_command *command)
{
	if (error == EPERM && command->privilege)
		fprintf(stderr,
			"Error: %s: %s needs CAP_NET_ADMIN in this network namespace\n",
			strerror(error), command->privilege);
	else if (error == EOPNOTSUPP)
		conga_extack_report_unknown("this command");
	else
		fprintf(stderr, "conga: %s\n", strerror(error));
}

void conga_extack_report(const struct conga_extack *extack, int error,
			 const struct conga_command *command)
{
	const struct conga_keyword *missing, *bad;

	missing = conga_args_find_attr(command->words, extack->missing_attr);
	bad = conga_args_find_attr(command->words, extack->bad_attr);
	if (conga_extack_is_unknown(extack))
		conga_extack_report_unknown(bad ? bad->word : "an attribute");
	else if (*extack->text && bad && extack->by_policy)
		conga_extack_report_word(extack, bad);
	else if (*extack->text)
		fprintf(stderr, "Error: %s%s\n", extack->text, conga_extack_stop(extack));
	else if (missing)
		fprintf(stderr, "Error: argument \"%s\" is required\n", missing->word);
	else if (bad)
		fprintf(stderr, "Error: %s: %s.\n", bad->word, strerror(error));
	else
		conga_extack_report_errno(error, command);
}
