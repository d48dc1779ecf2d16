// SPDX-License-Identifier: GPL-2.0
/* The extended ACK is parsed here, because libnl does not support it up to version 3.7. */
#include <string.h>
#include <linux/netlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include "common/attr.h"
#include "common/extack.h"

/* Finds the attribute at @offset of the request. */
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

/* The policy is present only if the request violates it, and not if the module rejects the
 * request.
 */
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

/* The attributes begin @offset bytes after the header of @answer. */
static void conga_extack_parse(struct conga_extack *extack, struct nlmsghdr *answer, int offset,
			       const struct nlmsghdr *request)
{
	struct nlattr *tlv[NLMSGERR_ATTR_MAX + 1];
	struct nlattr *tlvs;

	memset(extack, 0, sizeof(*extack));
	offset = NLMSG_ALIGN(offset);
	if (!(answer->nlmsg_flags & NLM_F_ACK_TLVS) || nlmsg_datalen(answer) < offset)
		return;
	tlvs = (struct nlattr *)((char *)nlmsg_data(answer) + offset);
	if (nla_parse(tlv, NLMSGERR_ATTR_MAX, tlvs, nlmsg_datalen(answer) - offset, NULL) < 0)
		return;
	if (tlv[NLMSGERR_ATTR_MSG])
		nla_strlcpy(extack->text, tlv[NLMSGERR_ATTR_MSG], sizeof(extack->text));
	if (tlv[NLMSGERR_ATTR_OFFS])
		extack->bad_attr =
			conga_extack_attr_at(request, conga_attr_number(tlv[NLMSGERR_ATTR_OFFS]));
	extack->missing_attr = conga_attr_number(tlv[NLMSGERR_ATTR_MISS_TYPE]);
	if (tlv[NLMSGERR_ATTR_POLICY])
		conga_extack_parse_policy(extack, tlv[NLMSGERR_ATTR_POLICY]);
}

/* Without NLM_F_CAPPED our own request precedes the attributes. */
void conga_extack_read_error(struct conga_extack *extack, struct nlmsghdr *answer,
			     const struct nlmsghdr *request)
{
	const struct nlmsgerr *err = nlmsg_data(answer);
	int echo = (answer->nlmsg_flags & NLM_F_CAPPED) ? 0 : nlmsg_datalen(&err->msg);

	conga_extack_parse(extack, answer, sizeof(*err) + echo, request);
}

/* The result of the dump precedes the attributes. */
void conga_extack_read_done(struct conga_extack *extack, struct nlmsghdr *answer,
			    const struct nlmsghdr *request)
{
	conga_extack_parse(extack, answer, sizeof(int), request);
}
