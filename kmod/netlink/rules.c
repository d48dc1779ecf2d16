// SPDX-License-Identifier: GPL-2.0
/*
 * Checks the values of a request by the rules in rules_generated.c. Their manual is
 * include/uapi/linux/conga.h.
 */
#include <linux/log2.h>
#include <net/genetlink.h>

#include "netlink/rules.h"
#include "netlink/rules_generated.h"

const struct nla_policy
conga_netlink_empty_policy[CONGA_NETLINK_NO_ATTRS + 1];

/* conga_netlink_refuse - like NL_SET_ERR_MSG_ATTR(), which takes only a literal. The kernel
 * sends @sentence after the request has been released, so that @sentence must persist.
 */
void conga_netlink_refuse(struct netlink_ext_ack *extack, const struct nlattr *attr,
			  const char *sentence)
{
	if (!extack)
		return;
	extack->_msg = sentence;
	NL_SET_BAD_ATTR(extack, attr);
}

/* The policy has already ensured that the length is one of these. */
static u64 conga_netlink_value(const struct nlattr *attr)
{
	switch (nla_len(attr)) {
	case sizeof(u64):
		return nla_get_u64(attr);
	case sizeof(u32):
		return nla_get_u32(attr);
	case sizeof(u16):
		return nla_get_u16(attr);
	default:
		return nla_get_u8(attr);
	}
}

static bool conga_netlink_valid(const struct conga_netlink_rule *rule, u64 value)
{
	u8 i;

	for (i = 0; i < rule->specials; i++)
		if (value == rule->special[i])
			return true;
	if (rule->power_of_two && !is_power_of_2(value))
		return false;
	return value >= rule->min && value <= rule->max;
}

/*
 * conga_netlink_check - check the values of all attributes of a request, also of repeated
 * ones
 * @rules: one per type; the policy has already ensured that each type has one
 *
 * Returns -ERANGE, with a sentence, if one of them is not valid.
 */
int conga_netlink_check(const struct nlmsghdr *message,
			const struct conga_netlink_rule *rules,
			struct netlink_ext_ack *extack)
{
	const struct conga_netlink_rule *rule;
	const struct nlattr *attr;
	int left;

	nlmsg_for_each_attr(attr, message, GENL_HDRLEN, left) {
		rule = &rules[nla_type(attr)];
		if (!rule->sentence || conga_netlink_valid(rule, conga_netlink_value(attr)))
			continue;
		conga_netlink_refuse(extack, attr, rule->sentence);
		return -ERANGE;
	}
	return 0;
}
