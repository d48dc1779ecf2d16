// SPDX-License-Identifier: GPL-2.0
/* Requests that create, change or destroy the fabric. Each is validated whole first. */
#include <net/ipv6.h>

#include "config/change.h"
#include "config/lifetime.h"
#include "netlink/event.h"
#include "netlink/extension.h"
#include "netlink/params_generated.h"
#include "netlink/policy_params.h"
#include "netlink/request.h"
#include "netlink/rules.h"
#include "netlink/rules_generated.h"
#include "netlink/set_fabric.h"
#include "objects/fabric.h"
#include "objects/fabric_alloc.h"
#include "objects/flowlets.h"
#include "objects/port.h"
#include "paper/ecn.h"
#include "paper/tags.h"

/* A given list replaces the previous list. A port counts once. */
static int conga_netlink_read_dstports(struct conga_params *params,
				       struct genl_info *info)
{
	struct conga_dstports ports = { };
	struct nlattr *attr;
	__be16 port;
	int left;

	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, left) {
		if (nla_type(attr) != CONGA_A_FABRIC_DSTPORT)
			continue;
		port = htons(nla_get_u16(attr));
		if (conga_dstports_bit(&ports, port))
			continue;
		if (ports.count == CONGA_DSTPORTS_MAX) {
			NL_SET_ERR_MSG_ATTR(info->extack, attr,
					    "A fabric has at most 4 dstports");
			return -E2BIG;
		}
		ports.port[ports.count++] = port;
	}
	if (ports.count)
		params->dstports = ports;
	return 0;
}

/* Until the user sets one, the flowlet timeout is the policy's. */
static void conga_netlink_read_tfl(struct conga_params *params,
				   const struct nlattr *attr)
{
	u64 tfl = attr ? nla_get_u64(attr) : 0;

	if (attr)
		params->tfl_set = tfl != CONGA_FLOWLET_TIMEOUT_AUTO;
	if (!params->tfl_set)
		params->tfl = params->policy->tfl ?: CONGA_FABRIC_FLOWLET_TIMEOUT_USUAL;
	else if (attr)
		params->tfl = tfl;
}

/* A mark and its mask come together; with a mask of 0 no mark opts out. */
static int conga_netlink_read_opt_out(struct conga_params *params,
				      struct genl_info *info)
{
	const struct nlattr *mark = info->attrs[CONGA_A_FABRIC_OPT_OUT_MARK];
	const struct nlattr *mask = info->attrs[CONGA_A_FABRIC_OPT_OUT_MASK];
	const struct nlattr *dscp = info->attrs[CONGA_A_FABRIC_OPT_OUT_DSCP];

	if (dscp)
		params->opt_out_dscp = nla_get_u32(dscp);
	if (!mark != !mask) {
		NL_SET_ERR_MSG(info->extack,
			       "opt-out must have both a mark and a mask");
		return -EINVAL;
	}
	if (mark && nla_get_u32(mark) & ~nla_get_u32(mask)) {
		NL_SET_ERR_MSG_ATTR(info->extack, mark,
				    "The mark of opt-out must not have bits outside its mask");
		return -EINVAL;
	}
	if (mark) {
		params->opt_out_mark = nla_get_u32(mark);
		params->opt_out_mask = nla_get_u32(mask);
	}
	params->opt_out = params->opt_out_mask || params->opt_out_dscp != CONGA_DSCP_NONE;
	return 0;
}

/* A zero address removes the configured address. */
static int conga_netlink_read_local(struct conga_params *params,
				    struct genl_info *info)
{
	const struct nlattr *v4 = info->attrs[CONGA_A_FABRIC_LOCAL4];
	const struct nlattr *v6 = info->attrs[CONGA_A_FABRIC_LOCAL6];
	struct in6_addr addr;

	if (v4) {
		ipv6_addr_set_v4mapped(nla_get_in_addr(v4), &addr);
		if (!nla_get_in_addr(v4))
			addr = in6addr_any;
		else if (!conga_netlink_addr_usable(genl_info_net(info), &addr))
			goto unusable;
		params->local[true] = addr;
	}
	if (v6) {
		addr = nla_get_in6_addr(v6);
		if (ipv6_addr_v4mapped(&addr) ||
		    (!ipv6_addr_any(&addr) &&
		     !conga_netlink_addr_usable(genl_info_net(info), &addr)))
			goto unusable;
		params->local[false] = addr;
	}
	return 0;

unusable:
	NL_SET_ERR_MSG(info->extack,
		       "local must be a unicast address that is neither loopback nor link-local");
	return -EINVAL;
}

/* No cgroup accounts for the time of a timer, so that namespaces of unprivileged users have
 * a larger minimum. The general range has been checked before.
 */
static int conga_netlink_read_probe(struct conga_params *params,
				    const struct nlattr *attr,
				    struct netlink_ext_ack *extack)
{
	const struct conga_netlink_rule *rule = &conga_netlink_fabric_rules[CONGA_A_FABRIC_PROBE];
	u64 probe = attr ? nla_get_u64(attr) : params->probe;

	if (probe && probe != CONGA_PROBE_AUTO && probe < params->probe_min) {
		conga_netlink_refuse(extack, attr, rule->sentence_user);
		return -ERANGE;
	}
	params->probe = probe;
	return 0;
}

/* conga_netlink_check_entropy - are there LBTags for the uplinks with the own LBTags @own? */
int conga_netlink_check_entropy(const struct conga_params *params, u16 own,
				struct netlink_ext_ack *extack)
{
	if (conga_tags_suffice(hweight16(own), params->entropy))
		return 0;
	NL_SET_ERR_MSG(extack,
		       "All uplinks together have at most 16 LBTags, entropy for each of them");
	return -ENOSPC;
}

/* A policy that draws ports itself, be it towards plain leaves only, or one whose probes tell
 * paths apart, leaves no use for several ports of an uplink.
 */
static int conga_netlink_check_sports(struct conga_params *params,
				      struct netlink_ext_ack *extack)
{
	const struct conga_policy *policy = params->policy;
	bool rehash = policy->rehash || (policy->plain && policy->plain->rehash);

	params->outer = rehash || params->entropy != 1 || params->ecn;
	if (params->entropy == 1 || !(rehash || policy->extension.transit))
		return 0;
	if (rehash)
		NL_SET_ERR_MSG(extack,
			       "This policy draws source ports itself, so entropy must be 1");
	else
		NL_SET_ERR_MSG(extack,
			       "This policy finds paths by probes, so entropy must be 1");
	return -EINVAL;
}

/* A policy that does not know paths by feedback leaves no use for marks. */
static int conga_netlink_check_ecn(struct conga_params *params,
				   struct netlink_ext_ack *extack)
{
	const struct conga_policy_extension *extension = &params->policy->extension;

	params->ecn_memory = (struct conga_ecn_memory) {
		.decay	= conga_ecn_decay(params->tdre, params->alpha),
		.tage	= params->tage,
		.q	= params->q,
	};
	if (!params->ecn || !(extension->transit || extension->absorb))
		return 0;
	if (extension->transit)
		NL_SET_ERR_MSG(extack,
			       "This policy finds paths by probes, so ecn must be off");
	else
		NL_SET_ERR_MSG(extack,
			       "This policy finds paths by queues in packets, so ecn must be off");
	return -EINVAL;
}

static int conga_netlink_read_params(struct conga_params *params,
				     struct genl_info *info)
{
	struct nlattr **attrs = info->attrs;
	int err;

	err = conga_netlink_check(info->nlhdr, conga_netlink_fabric_rules, info->extack);
	if (!err)
		err = conga_netlink_read_policy(params, info);
	if (!err)
		err = conga_netlink_read_dstports(params, info);
	if (!err)
		err = conga_netlink_read_opt_out(params, info);
	if (!err)
		err = conga_netlink_read_local(params, info);
	if (!err)
		err = conga_netlink_read_probe(params, attrs[CONGA_A_FABRIC_PROBE],
					       info->extack);
	if (err)
		return err;
	conga_netlink_read_tfl(params, attrs[CONGA_A_FABRIC_FLOWLET_TIMEOUT]);
	conga_netlink_read_plain(params, attrs);
	if (attrs[CONGA_A_FABRIC_LEAF_ID]) {
		params->leaf_id = nla_get_u32(attrs[CONGA_A_FABRIC_LEAF_ID]);
		params->leaf_id_set = true;
	}
	err = conga_netlink_check_sports(params, info->extack);
	if (!err)
		err = conga_netlink_check_ecn(params, info->extack);
	return err ? err : conga_netlink_check_extension(params, info->extack);
}

static int conga_netlink_fabric_make(struct net *net, struct genl_info *info)
{
	struct conga_fabric *fabric;
	struct conga_params params;
	int err;

	conga_params_setup(&params, net);
	conga_netlink_default_plain(&params);
	err = conga_netlink_read_params(&params, info);
	if (err)
		return err;
	if (conga_fabric_get_locked(net)) {
		NL_SET_ERR_MSG(info->extack,
			       "This network namespace has a fabric already");
		return -EEXIST;
	}
	fabric = conga_lifetime_create_fabric(net, &params, conga_netlink_news,
					      info->extack);
	if (IS_ERR(fabric))
		return PTR_ERR(fabric);
	conga_netlink_tell_fabric(fabric);
	return 0;
}

int conga_netlink_fabric_new(struct sk_buff *skb, struct genl_info *info)
{
	struct net *net = genl_info_net(info);
	int err;

	conga_lock(net);
	err = conga_netlink_fabric_make(net, info);
	conga_unlock(net);
	return err;
}

static int conga_netlink_fabric_change(struct conga_fabric *fabric,
				       struct genl_info *info)
{
	struct conga_params params = *conga_fabric_params(fabric);
	int err;

	err = conga_netlink_read_params(&params, info);
	if (!err)
		err = conga_netlink_check_entropy(&params, conga_port_own_tags(fabric),
						  info->extack);
	if (!err)
		err = conga_change_params(fabric, &params, info->extack);
	if (err)
		return err;
	conga_netlink_tell_fabric(fabric);
	return 0;
}

int conga_netlink_fabric_set(struct sk_buff *skb, struct genl_info *info)
{
	return conga_netlink_locked(info, conga_netlink_fabric_change);
}

static int conga_netlink_fabric_remove(struct conga_fabric *fabric,
				       struct genl_info *info)
{
	conga_lifetime_destroy_fabric(fabric);
	conga_netlink_tell_fabric_gone(genl_info_net(info));
	return 0;
}

int conga_netlink_fabric_del(struct sk_buff *skb, struct genl_info *info)
{
	return conga_netlink_locked(info, conga_netlink_fabric_remove);
}

static int conga_netlink_flowlet_empty(struct conga_fabric *fabric,
				       struct genl_info *info)
{
	conga_flowlets_flush(fabric);
	return 0;
}

int conga_netlink_flowlet_flush(struct sk_buff *skb, struct genl_info *info)
{
	return conga_netlink_locked(info, conga_netlink_flowlet_empty);
}
