// SPDX-License-Identifier: GPL-2.0
/* "path get": the path that a packet would get now, and the reason. The query changes no state. */
#include <linux/capability.h>
#include <linux/ktime.h>
#include <linux/netlink.h>

#include "datapath/choose.h"
#include "netlink/dump.h"
#include "netlink/get_path.h"
#include "netlink/reply.h"
#include "netlink/request.h"
#include "netlink/rules_generated.h"
#include "objects/fabric.h"
#include "objects/leaf.h"
#include "objects/port.h"
#include "packet/flowhash.h"

/* Reads addresses of one family; on an error a sentence says what is wrong with them. */
static int conga_netlink_read_flow_addrs(struct conga_flow *flow,
					 struct nlattr **attrs,
					 struct netlink_ext_ack *extack)
{
	bool v4 = attrs[CONGA_A_FLOW_SRC4] && attrs[CONGA_A_FLOW_DST4];
	bool v6 = attrs[CONGA_A_FLOW_SRC6] && attrs[CONGA_A_FLOW_DST6];
	int given = !!attrs[CONGA_A_FLOW_SRC4] + !!attrs[CONGA_A_FLOW_DST4] +
		    !!attrs[CONGA_A_FLOW_SRC6] + !!attrs[CONGA_A_FLOW_DST6];

	if (v4 == v6 || given != 2) {
		NL_SET_ERR_MSG(extack,
			       "A flow must have a source and a destination address of the same family");
		return -EINVAL;
	}
	flow->v6 = v6;
	if (v6) {
		flow->source = nla_get_in6_addr(attrs[CONGA_A_FLOW_SRC6]);
		flow->destination = nla_get_in6_addr(attrs[CONGA_A_FLOW_DST6]);
		return 0;
	}
	ipv6_addr_set_v4mapped(nla_get_in_addr(attrs[CONGA_A_FLOW_SRC4]),
			       &flow->source);
	ipv6_addr_set_v4mapped(nla_get_in_addr(attrs[CONGA_A_FLOW_DST4]),
			       &flow->destination);
	return 0;
}

static int conga_netlink_read_flow(struct conga_flow *flow,
				   const struct nlattr *nest,
				   struct netlink_ext_ack *extack)
{
	struct nlattr *attrs[CONGA_A_FLOW_MAX + 1];
	int err;

	err = nla_parse_nested(attrs, CONGA_A_FLOW_MAX, nest,
			       conga_netlink_flow_policy, extack);
	if (err)
		return err;
	flow->protocol = attrs[CONGA_A_FLOW_PROTOCOL] ?
			 nla_get_u8(attrs[CONGA_A_FLOW_PROTOCOL]) : CONGA_FLOW_PROTOCOL_DEFAULT;
	if (attrs[CONGA_A_FLOW_SPORT])
		flow->sport = htons(nla_get_u16(attrs[CONGA_A_FLOW_SPORT]));
	if (attrs[CONGA_A_FLOW_DPORT])
		flow->dport = htons(nla_get_u16(attrs[CONGA_A_FLOW_DPORT]));
	if (!conga_flow_has_ports(flow->protocol) && (flow->sport || flow->dport)) {
		NL_SET_ERR_MSG(extack, "Only flows of TCP and UDP have ports");
		return -EINVAL;
	}
	return conga_netlink_read_flow_addrs(flow, attrs, extack);
}

static int conga_netlink_put_choice(struct sk_buff *skb, struct conga_leaf *leaf,
				    const struct conga_flow *flow)
{
	enum conga_decision decision;
	u8 tag;

	local_bh_disable();
	rcu_read_lock();
	decision = conga_choose_ask(leaf, flow, &tag);
	rcu_read_unlock();
	local_bh_enable();
	if (nla_put_u32(skb, CONGA_A_PATH_DECISION, decision))
		return -EMSGSIZE;
	if (decision == CONGA_DECISION_KERNEL)
		return conga_netlink_put_addr(skb, CONGA_A_PATH_ADDR4,
					      CONGA_A_PATH_ADDR6, leaf);
	return conga_netlink_put_path(skb, leaf,
				      conga_port_hop(leaf->fabric, tag), tag);
}

static int conga_netlink_put_answer(struct sk_buff *skb,
				    struct conga_fabric *fabric,
				    struct genl_info *info)
{
	struct nlattr *nest = info->attrs[CONGA_A_PATH_FLOW];
	struct conga_flow flow = {};
	struct conga_leaf *leaf;
	int err;

	leaf = conga_netlink_leaf(fabric, info->attrs, CONGA_A_PATH_ADDR4,
				  CONGA_A_PATH_ADDR6, info->extack);
	if (IS_ERR(leaf))
		return PTR_ERR(leaf);
	if (!nest)
		return conga_netlink_put_choice(skb, leaf, NULL);
	err = conga_netlink_read_flow(&flow, nest, info->extack);
	return err ? err : conga_netlink_put_choice(skb, leaf, &flow);
}

/* A query for a flow needs a privilege, since the reply reveals who talks to whom. */
int conga_netlink_path_get(struct sk_buff *skb, struct genl_info *info)
{
	if (info->attrs[CONGA_A_PATH_FLOW] &&
	    !netlink_ns_capable(skb, genl_info_net(info)->user_ns,
				CAP_NET_ADMIN)) {
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[CONGA_A_PATH_FLOW],
				    "A query for the path of a flow needs CAP_NET_ADMIN");
		return -EPERM;
	}
	return conga_netlink_reply(info, conga_netlink_put_answer);
}
