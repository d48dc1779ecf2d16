// SPDX-License-Identifier: GPL-2.0
/*
 * What attributes each operation takes, their types and ranges, and the sentence for a
 * value out of range. Their manual is include/uapi/linux/conga.h.
 */
#include <linux/log2.h>
#include <net/genetlink.h>

#include "netlink/rules.h"
#include "objects/fabric.h"

/* A range whose refusal is a sentence of its own. Not in the policies: their
 * ranges have a fixed sentence, and those with a function of their own cannot be
 * dumped (a policy dump of an integer with one warns in the kernel's log).
 */
#define CONGA_NETLINK_CHECK(name, get, condition, sentence)		\
static int conga_netlink_check_##name(const struct nlattr *attr,	\
				      struct netlink_ext_ack *extack)	\
{									\
	u64 value = get(attr);						\
									\
	if (condition)							\
		return 0;						\
	NL_SET_ERR_MSG_ATTR(extack, attr, sentence);			\
	return -ERANGE;							\
}

#define CONGA_BETWEEN(min, max)	(value >= (min) && value <= (max))

CONGA_NETLINK_CHECK(q, nla_get_u32,
		    CONGA_BETWEEN(CONGA_FABRIC_Q_MIN, CONGA_FABRIC_Q_MAX),
		    "q is a number of bits from 1 to 6")
CONGA_NETLINK_CHECK(tdre, nla_get_u64,
		    value == CONGA_FABRIC_TDRE_AUTO ||
		    CONGA_BETWEEN(CONGA_FABRIC_TDRE_MIN, CONGA_FABRIC_TDRE_MAX),
		    "tdre is auto or a time from 1 us to 1 s")
CONGA_NETLINK_CHECK(alpha, nla_get_u32,
		    CONGA_BETWEEN(CONGA_FABRIC_ALPHA_MIN, CONGA_FABRIC_ALPHA_MAX),
		    "alpha is a factor from 0.001 to 0.5")
CONGA_NETLINK_CHECK(tfl, nla_get_u64,
		    value <= CONGA_FABRIC_FLOWLET_TIMEOUT_MAX ||
		    value == CONGA_FLOWLET_TIMEOUT_AUTO,
		    "flowlet-timeout is auto or a time from 0 to 1 s")
CONGA_NETLINK_CHECK(tage, nla_get_u64,
		    CONGA_BETWEEN(CONGA_FABRIC_AGE_MIN, CONGA_FABRIC_AGE_MAX),
		    "age is a time from 100 us to 10 s")
CONGA_NETLINK_CHECK(dstport, nla_get_u16, value,
		    "dstport is a UDP port from 1 to 65535")
CONGA_NETLINK_CHECK(flowlets, nla_get_u32,
		    CONGA_BETWEEN(CONGA_FABRIC_FLOWLETS_MIN, CONGA_FABRIC_FLOWLETS_MAX) &&
		    is_power_of_2(value),
		    "flowlets is a power of two from 1024 to 4194304")
CONGA_NETLINK_CHECK(metric, nla_get_u32,
		    CONGA_BETWEEN(CONGA_METRIC_MAX, CONGA_METRIC_SUM),
		    "metric is max or sum")
CONGA_NETLINK_CHECK(hello, nla_get_u64,
		    !value || CONGA_BETWEEN(CONGA_FABRIC_HELLO_MIN, CONGA_FABRIC_HELLO_MAX),
		    "hello is off or a time from 20 ms to 10 s")
CONGA_NETLINK_CHECK(explicit, nla_get_u32, value <= 1,
		    "explicit-feedback is on or off")
CONGA_NETLINK_CHECK(leaf_id, nla_get_u32, value,
		    "leaf-id is a number from 1 to 4294967295")
CONGA_NETLINK_CHECK(dscp, nla_get_u32, value <= CONGA_DSCP_NONE,
		    "opt-out dscp is off or a DSCP from 0 to 63")
CONGA_NETLINK_CHECK(probe, nla_get_u64,
		    !value || value == CONGA_PROBE_AUTO ||
		    CONGA_BETWEEN(CONGA_FABRIC_PROBE_MIN, CONGA_FABRIC_PROBE_MAX),
		    "probe is auto, off or a time from 20 us to 1 s")
CONGA_NETLINK_CHECK(tier, nla_get_u32, value < CONGA_TIERS_MAX,
		    "tier is a number from 0 to 15")
CONGA_NETLINK_CHECK(drain, nla_get_u32, value <= 1, "drain is on or off")
CONGA_NETLINK_CHECK(origin, nla_get_u32,
		    CONGA_BETWEEN(CONGA_ORIGIN_MANUAL, CONGA_ORIGIN_AUTO),
		    "origin is manual or auto")
CONGA_NETLINK_CHECK(role, nla_get_u32,
		    CONGA_BETWEEN(CONGA_ROLE_UPLINK, CONGA_ROLE_TRANSIT),
		    "role is uplink or transit")
CONGA_NETLINK_CHECK(tag, nla_get_u32, value < CONGA_TAGS_MAX,
		    "tag is an LBTag from 0 to 15")
CONGA_NETLINK_CHECK(rate, nla_get_u64,
		    !value || CONGA_BETWEEN(CONGA_PORT_RATE_MIN, CONGA_PORT_RATE_MAX),
		    "rate is auto or from 1 Mbit/s to 1 Tbit/s")
CONGA_NETLINK_CHECK(mode, nla_get_u32,
		    CONGA_BETWEEN(CONGA_MODE_PLAIN, CONGA_MODE_AUTO),
		    "mode is auto, conga or plain")
CONGA_NETLINK_CHECK(table, nla_get_u32,
		    CONGA_BETWEEN(CONGA_TABLE_TO_LEAF, CONGA_TABLE_FROM_LEAF),
		    "the table is to-leaf or from-leaf")

typedef int (*conga_netlink_check_t)(const struct nlattr *attr,
				     struct netlink_ext_ack *extack);

static const conga_netlink_check_t
conga_netlink_fabric_checks[CONGA_A_FABRIC_MAX + 1] = {
	[CONGA_A_FABRIC_Q]		= conga_netlink_check_q,
	[CONGA_A_FABRIC_TDRE]		= conga_netlink_check_tdre,
	[CONGA_A_FABRIC_ALPHA]		= conga_netlink_check_alpha,
	[CONGA_A_FABRIC_FLOWLET_TIMEOUT] = conga_netlink_check_tfl,
	[CONGA_A_FABRIC_AGE]		= conga_netlink_check_tage,
	[CONGA_A_FABRIC_DSTPORT]	= conga_netlink_check_dstport,
	[CONGA_A_FABRIC_FLOWLETS]	= conga_netlink_check_flowlets,
	[CONGA_A_FABRIC_METRIC]		= conga_netlink_check_metric,
	[CONGA_A_FABRIC_HELLO]		= conga_netlink_check_hello,
	[CONGA_A_FABRIC_EXPLICIT_FEEDBACK] = conga_netlink_check_explicit,
	[CONGA_A_FABRIC_LEAF_ID]	= conga_netlink_check_leaf_id,
	[CONGA_A_FABRIC_OPT_OUT_DSCP]	= conga_netlink_check_dscp,
	[CONGA_A_FABRIC_PROBE]		= conga_netlink_check_probe,
};

static const conga_netlink_check_t
conga_netlink_port_checks[CONGA_A_PORT_MAX + 1] = {
	[CONGA_A_PORT_ROLE]		= conga_netlink_check_role,
	[CONGA_A_PORT_TAG]		= conga_netlink_check_tag,
	[CONGA_A_PORT_RATE]		= conga_netlink_check_rate,
	[CONGA_A_PORT_DRAIN]		= conga_netlink_check_drain,
	[CONGA_A_PORT_TIER]		= conga_netlink_check_tier,
	[CONGA_A_PORT_ORIGIN]		= conga_netlink_check_origin,
};

static const conga_netlink_check_t
conga_netlink_leaf_checks[CONGA_A_LEAF_MAX + 1] = {
	[CONGA_A_LEAF_MODE]		= conga_netlink_check_mode,
	[CONGA_A_LEAF_ORIGIN]		= conga_netlink_check_origin,
};

static const conga_netlink_check_t
conga_netlink_table_checks[CONGA_A_TABLE_MAX + 1] = {
	[CONGA_A_TABLE_KIND]		= conga_netlink_check_table,
};

/* Every attribute of a message, repeated ones too. The policy has seen to it
 * that their types are within the table.
 */
static int conga_netlink_check(const struct nlmsghdr *message,
			       const conga_netlink_check_t *checks,
			       struct netlink_ext_ack *extack)
{
	const struct nlattr *attr;
	int left, err = 0;

	nlmsg_for_each_attr(attr, message, GENL_HDRLEN, left) {
		if (checks[nla_type(attr)])
			err = checks[nla_type(attr)](attr, extack);
		if (err)
			break;
	}
	return err;
}

int conga_netlink_check_fabric(const struct genl_info *info)
{
	return conga_netlink_check(info->nlhdr, conga_netlink_fabric_checks,
				   info->extack);
}

int conga_netlink_check_port(const struct genl_info *info)
{
	return conga_netlink_check(info->nlhdr, conga_netlink_port_checks,
				   info->extack);
}

int conga_netlink_check_leaf(const struct genl_info *info)
{
	return conga_netlink_check(info->nlhdr, conga_netlink_leaf_checks,
				   info->extack);
}

int conga_netlink_check_kind(const struct netlink_callback *cb)
{
	return conga_netlink_check(cb->nlh, conga_netlink_table_checks,
				   cb->extack);
}

/* IPv4 addresses are NLA_U32, though in network order: a policy dump leaves out
 * what is NLA_BE32.
 */

const struct nla_policy
conga_netlink_empty_policy[CONGA_NETLINK_NO_ATTRS + 1];

const struct nla_policy conga_netlink_param_policy[CONGA_A_PARAM_MAX + 1] = {
	[CONGA_A_PARAM_NAME]	= { .type = NLA_NUL_STRING },
	[CONGA_A_PARAM_VALUE]	= { .type = NLA_U32 },
};

const struct nla_policy
conga_netlink_fabric_policy[CONGA_A_FABRIC_MAX + 1] = {
	[CONGA_A_FABRIC_POLICY]	= { .type = NLA_NUL_STRING },
	[CONGA_A_FABRIC_Q]	= { .type = NLA_U32 },
	[CONGA_A_FABRIC_TDRE]	= { .type = NLA_U64 },
	[CONGA_A_FABRIC_ALPHA]	= { .type = NLA_U32 },
	[CONGA_A_FABRIC_FLOWLET_TIMEOUT] = { .type = NLA_U64 },
	[CONGA_A_FABRIC_AGE]	= { .type = NLA_U64 },
	[CONGA_A_FABRIC_DSTPORT] = { .type = NLA_U16 },
	[CONGA_A_FABRIC_FLOWLETS] = { .type = NLA_U32 },
	[CONGA_A_FABRIC_METRIC]	= { .type = NLA_U32 },
	[CONGA_A_FABRIC_HELLO]	= { .type = NLA_U64 },
	[CONGA_A_FABRIC_EXPLICIT_FEEDBACK] = { .type = NLA_U32 },
	[CONGA_A_FABRIC_LEAF_ID] = { .type = NLA_U32 },
	[CONGA_A_FABRIC_PARAM]	= NLA_POLICY_NESTED(conga_netlink_param_policy),
	[CONGA_A_FABRIC_OPT_OUT_MARK] = { .type = NLA_U32 },
	[CONGA_A_FABRIC_OPT_OUT_MASK] = { .type = NLA_U32 },
	[CONGA_A_FABRIC_OPT_OUT_DSCP] = { .type = NLA_U32 },
	[CONGA_A_FABRIC_PROBE]	= { .type = NLA_U64 },
	[CONGA_A_FABRIC_LOCAL4]	= { .type = NLA_U32 },
	[CONGA_A_FABRIC_LOCAL6]	= NLA_POLICY_EXACT_LEN(sizeof(struct in6_addr)),
};

const struct nla_policy
conga_netlink_port_new_policy[CONGA_A_PORT_MAX + 1] = {
	[CONGA_A_PORT_IFINDEX]	= { .type = NLA_U32 },
	[CONGA_A_PORT_ROLE]	= { .type = NLA_U32 },
	[CONGA_A_PORT_TAG]	= { .type = NLA_U32 },
	[CONGA_A_PORT_RATE]	= { .type = NLA_U64 },
	[CONGA_A_PORT_DRAIN]	= { .type = NLA_U32 },
	[CONGA_A_PORT_TIER]	= { .type = NLA_U32 },
	[CONGA_A_PORT_ORIGIN]	= { .type = NLA_U32 },
};

const struct nla_policy
conga_netlink_port_set_policy[CONGA_A_PORT_MAX + 1] = {
	[CONGA_A_PORT_IFINDEX]	= { .type = NLA_U32 },
	[CONGA_A_PORT_RATE]	= { .type = NLA_U64 },
	[CONGA_A_PORT_DRAIN]	= { .type = NLA_U32 },
	[CONGA_A_PORT_TIER]	= { .type = NLA_U32 },
	[CONGA_A_PORT_ORIGIN]	= { .type = NLA_U32 },
};

const struct nla_policy
conga_netlink_port_del_policy[CONGA_A_PORT_MAX + 1] = {
	[CONGA_A_PORT_IFINDEX]	= { .type = NLA_U32 },
	[CONGA_A_PORT_ORIGIN]	= { .type = NLA_U32 },
};

const struct nla_policy
conga_netlink_port_key_policy[CONGA_A_PORT_MAX + 1] = {
	[CONGA_A_PORT_IFINDEX]	= { .type = NLA_U32 },
};

const struct nla_policy
conga_netlink_leaf_set_policy[CONGA_A_LEAF_MAX + 1] = {
	[CONGA_A_LEAF_ADDR4]	= { .type = NLA_U32 },
	[CONGA_A_LEAF_ADDR6]	= NLA_POLICY_EXACT_LEN(sizeof(struct in6_addr)),
	[CONGA_A_LEAF_MODE]	= { .type = NLA_U32 },
	[CONGA_A_LEAF_ORIGIN]	= { .type = NLA_U32 },
};

const struct nla_policy
conga_netlink_leaf_del_policy[CONGA_A_LEAF_MAX + 1] = {
	[CONGA_A_LEAF_ADDR4]	= { .type = NLA_U32 },
	[CONGA_A_LEAF_ADDR6]	= NLA_POLICY_EXACT_LEN(sizeof(struct in6_addr)),
	[CONGA_A_LEAF_ORIGIN]	= { .type = NLA_U32 },
};

const struct nla_policy conga_netlink_leaf_policy[CONGA_A_LEAF_MAX + 1] = {
	[CONGA_A_LEAF_ADDR4]	= { .type = NLA_U32 },
	[CONGA_A_LEAF_ADDR6]	= NLA_POLICY_EXACT_LEN(sizeof(struct in6_addr)),
};

const struct nla_policy conga_netlink_flow_policy[CONGA_A_FLOW_MAX + 1] = {
	[CONGA_A_FLOW_SRC4]	= { .type = NLA_U32 },
	[CONGA_A_FLOW_SRC6]	= NLA_POLICY_EXACT_LEN(sizeof(struct in6_addr)),
	[CONGA_A_FLOW_DST4]	= { .type = NLA_U32 },
	[CONGA_A_FLOW_DST6]	= NLA_POLICY_EXACT_LEN(sizeof(struct in6_addr)),
	[CONGA_A_FLOW_PROTOCOL]	= { .type = NLA_U8 },
	[CONGA_A_FLOW_SPORT]	= { .type = NLA_U16 },
	[CONGA_A_FLOW_DPORT]	= { .type = NLA_U16 },
};

const struct nla_policy conga_netlink_path_policy[CONGA_A_PATH_MAX + 1] = {
	[CONGA_A_PATH_ADDR4]	= { .type = NLA_U32 },
	[CONGA_A_PATH_ADDR6]	= NLA_POLICY_EXACT_LEN(sizeof(struct in6_addr)),
	[CONGA_A_PATH_FLOW]	= NLA_POLICY_NESTED(conga_netlink_flow_policy),
};

const struct nla_policy conga_netlink_table_policy[CONGA_A_TABLE_MAX + 1] = {
	[CONGA_A_TABLE_KIND]	= { .type = NLA_U32 },
	[CONGA_A_TABLE_ADDR4]	= { .type = NLA_U32 },
	[CONGA_A_TABLE_ADDR6]	= NLA_POLICY_EXACT_LEN(sizeof(struct in6_addr)),
};

const struct nla_policy
conga_netlink_flowlet_policy[CONGA_A_FLOWLET_MAX + 1] = {
	[CONGA_A_FLOWLET_ADDR4]	= { .type = NLA_U32 },
	[CONGA_A_FLOWLET_ADDR6]	= NLA_POLICY_EXACT_LEN(sizeof(struct in6_addr)),
	[CONGA_A_FLOWLET_IFINDEX] = { .type = NLA_U32 },
};
