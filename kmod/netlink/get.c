// SPDX-License-Identifier: GPL-2.0
/*
 * Replies about fabric, ports, leaves and counters, one at a time or all. Readers hold the
 * mutex, so that ports and leaves stay; values that packets change meanwhile are read
 * without further locks.
 */
#include <linux/ktime.h>
#include <linux/sched.h>
#include <net/ipv6.h>

#include "netlink/extension.h"
#include "netlink/get.h"
#include "netlink/params_generated.h"
#include "netlink/policy_params.h"
#include "netlink/reply.h"
#include "netlink/request.h"
#include "objects/extension.h"
#include "objects/fabric.h"
#include "objects/flowlets.h"
#include "objects/leaf_table.h"
#include "objects/port.h"
#include "paper/hello_terms.h"

static int conga_netlink_put_dstports(struct sk_buff *skb,
				      const struct conga_params *params)
{
	int i, err = 0;

	for (i = 0; i < params->dstports.count && !err; i++)
		err = nla_put_u16(skb, CONGA_A_FABRIC_DSTPORT,
				  ntohs(params->dstports.port[i]));
	return err;
}

/* The attributes are absent if no mark and no DSCP opts out. */
static int conga_netlink_put_opt_out(struct sk_buff *skb,
				     const struct conga_params *params)
{
	if (params->opt_out_mask &&
	    (nla_put_u32(skb, CONGA_A_FABRIC_OPT_OUT_MARK,
			 params->opt_out_mark) ||
	     nla_put_u32(skb, CONGA_A_FABRIC_OPT_OUT_MASK,
			 params->opt_out_mask)))
		return -EMSGSIZE;
	if (params->opt_out_dscp == CONGA_DSCP_NONE)
		return 0;
	return nla_put_u32(skb, CONGA_A_FABRIC_OPT_OUT_DSCP,
			   params->opt_out_dscp);
}

/* The attributes are absent if the address is found for each leaf. */
static int conga_netlink_put_local(struct sk_buff *skb,
				   const struct conga_params *params)
{
	const struct in6_addr *v6 = &params->local[false];
	const struct in6_addr *v4 = &params->local[true];

	if (!ipv6_addr_any(v4) &&
	    nla_put_in_addr(skb, CONGA_A_FABRIC_LOCAL4, v4->s6_addr32[3]))
		return -EMSGSIZE;
	if (!ipv6_addr_any(v6) &&
	    nla_put_in6_addr(skb, CONGA_A_FABRIC_LOCAL6, v6))
		return -EMSGSIZE;
	return 0;
}

/* Tells which values the operator has set, for a tool that saves them. */
static int conga_netlink_put_sources(struct sk_buff *skb,
				     const struct conga_params *params)
{
	return nla_put_u32(skb, CONGA_A_FABRIC_FLOWLET_TIMEOUT_SOURCE,
			   params->tfl_set ? CONGA_TIMEOUT_CONFIGURED :
					     CONGA_TIMEOUT_POLICY) ?:
	       nla_put_u32(skb, CONGA_A_FABRIC_PROBE_SOURCE,
			   params->probe == CONGA_PROBE_AUTO ?
			   CONGA_TIMEOUT_POLICY : CONGA_TIMEOUT_CONFIGURED) ?:
	       nla_put_u32(skb, CONGA_A_FABRIC_LEAF_ID_ORIGIN,
			   params->leaf_id_set ? CONGA_ORIGIN_MANUAL :
						 CONGA_ORIGIN_AUTO);
}

int conga_netlink_put_fabric(struct sk_buff *skb, struct conga_fabric *fabric,
			     struct genl_info *info)
{
	const struct conga_params *params = conga_fabric_params(fabric);

	if (nla_put_string(skb, CONGA_A_FABRIC_POLICY, params->policy->name) ||
	    conga_netlink_put_plain(skb, params) ||
	    nla_put_u32(skb, CONGA_A_FABRIC_BYTE3,
			conga_extension_byte3(params)) ||
	    nla_put_u64_64bit(skb, CONGA_A_FABRIC_FLOWLET_TIMEOUT, params->tfl,
			      CONGA_A_FABRIC_PAD) ||
	    conga_netlink_put_params(skb, params) ||
	    conga_netlink_put_opt_out(skb, params) ||
	    conga_netlink_put_local(skb, params) ||
	    conga_netlink_put_fabric_extension(skb, fabric) ||
	    nla_put_u32(skb, CONGA_A_FABRIC_LEAF_ID, params->leaf_id) ||
	    conga_netlink_put_sources(skb, params) ||
	    conga_netlink_put_dstports(skb, params) ||
	    nla_put_u32(skb, CONGA_A_FABRIC_PORTS, fabric->port_count) ||
	    nla_put_u32(skb, CONGA_A_FABRIC_LEAVES, fabric->leaf_count))
		return -EMSGSIZE;
	return 0;
}

int conga_netlink_fabric_get(struct sk_buff *skb, struct genl_info *info)
{
	return conga_netlink_reply(info, conga_netlink_put_fabric);
}

static int conga_netlink_put_stats(struct sk_buff *skb,
				   struct conga_fabric *fabric,
				   struct genl_info *info)
{
	int counter;

	for (counter = CONGA_A_STATS_PAD + 1; counter <= CONGA_A_STATS_MAX;
	     counter++)
		if (nla_put_u64_64bit(skb, counter,
				      conga_stats_read(fabric->stats, counter),
				      CONGA_A_STATS_PAD))
			return -EMSGSIZE;
	return 0;
}

int conga_netlink_stats_get(struct sk_buff *skb, struct genl_info *info)
{
	return conga_netlink_reply(info, conga_netlink_put_stats);
}

/* --- port --- */

static int conga_netlink_put_load(struct sk_buff *skb, struct conga_port *port)
{
	struct conga_port_dre *dre;
	u64 x, tdre, now;
	u8 metric;

	local_bh_disable();
	rcu_read_lock();
	now = ktime_get_ns();
	dre = rcu_dereference(port->dre);
	x = conga_port_x(dre, now);
	metric = conga_dre_metric(&dre->params, x);
	tdre = dre->params.tdre;
	rcu_read_unlock();
	local_bh_enable();
	return nla_put_u64_64bit(skb, CONGA_A_PORT_TDRE, tdre,
				 CONGA_A_PORT_PAD) ?:
	       nla_put_u64_64bit(skb, CONGA_A_PORT_DRE_BYTES,
				 conga_dre_bytes(x), CONGA_A_PORT_PAD) ?:
	       nla_put_u32(skb, CONGA_A_PORT_METRIC, metric);
}

static u32 conga_netlink_flowlets_step(const struct conga_port *port, u32 from)
{
	const struct conga_flowlets *flowlets;
	u64 now = ktime_get_ns(), tfl;
	u32 i, count = 0;

	rcu_read_lock();
	tfl = conga_fabric_params(port->fabric)->tfl;
	flowlets = rcu_dereference(port->fabric->flowlets);
	for (i = from; i <= flowlets->mask && i < from + CONGA_NETLINK_STEP; i++) {
		conga_flowlet_t entry = READ_ONCE(flowlets->entry[i]);

		count += BIT(conga_flowlet_tag(entry)) & READ_ONCE(port->tags) &&
			 conga_flowlet_is_live(entry, now, tfl);
	}
	rcu_read_unlock();
	return count;
}

/* The number of flowlets that are still on a draining port. The mutex is held; sleeps. */
static u32 conga_netlink_flowlets(const struct conga_port *port)
{
	u32 size = conga_fabric_params(port->fabric)->flowlets;
	u32 i, count = 0;

	for (i = 0; i < size; i += CONGA_NETLINK_STEP) {
		count += conga_netlink_flowlets_step(port, i);
		cond_resched();
	}
	return count;
}

static int conga_netlink_put_drain(struct sk_buff *skb,
				   const struct conga_port *port)
{
	if (port->role != CONGA_ROLE_UPLINK)
		return 0;
	return nla_put_u32(skb, CONGA_A_PORT_DRAIN, READ_ONCE(port->drain));
}

/* Events call this, too: they do not hold the lock, and must not wait until flowlets are
 * counted.
 */
int conga_netlink_put_port(struct sk_buff *skb, struct conga_port *port)
{
	u64 packets, bytes;

	conga_port_read(port, &packets, &bytes);
	if (nla_put_u32(skb, CONGA_A_PORT_IFINDEX, port->ifindex) ||
	    nla_put_u32(skb, CONGA_A_PORT_ROLE, port->role) ||
	    (port->role == CONGA_ROLE_UPLINK &&
	     nla_put_u32(skb, CONGA_A_PORT_TAG, port->tag)) ||
	    nla_put_u64_64bit(skb, CONGA_A_PORT_RATE, READ_ONCE(port->rate),
			      CONGA_A_PORT_PAD) ||
	    nla_put_u32(skb, CONGA_A_PORT_RATE_SOURCE,
			READ_ONCE(port->rate_source)) ||
	    nla_put_u32(skb, CONGA_A_PORT_ORIGIN, READ_ONCE(port->origin)) ||
	    nla_put_u32(skb, CONGA_A_PORT_TIER, READ_ONCE(port->extension.tier)) ||
	    conga_netlink_put_drain(skb, port) ||
	    conga_netlink_put_port_extension(skb, port) ||
	    nla_put_u32(skb, CONGA_A_PORT_STATE,
			conga_port_up(port) ? CONGA_PORT_UP : CONGA_PORT_DOWN) ||
	    conga_netlink_put_load(skb, port) ||
	    conga_netlink_put_limit(skb, CONGA_A_PORT_METRIC_LIMIT, port->fabric) ||
	    nla_put_u64_64bit(skb, CONGA_A_PORT_TX_PACKETS, packets,
			      CONGA_A_PORT_PAD) ||
	    nla_put_u64_64bit(skb, CONGA_A_PORT_TX_BYTES, bytes,
			      CONGA_A_PORT_PAD))
		return -EMSGSIZE;
	return 0;
}

/* What is known of the node at the other end of the link */
static int conga_netlink_put_neighbour(struct sk_buff *skb, struct conga_port *port)
{
	struct conga_adjacency adjacency;
	u8 state;
	u32 term;

	spin_lock_bh(&port->adjacency_lock);
	adjacency = port->adjacency;
	spin_unlock_bh(&port->adjacency_lock);
	state = conga_adjacency_state(&adjacency, ktime_get_ns());
	if (!state)
		return 0;
	if (nla_put_u32(skb, CONGA_A_PORT_NEIGHBOUR, state))
		return -EMSGSIZE;
	if (state != CONGA_NEIGHBOUR_CONGA && state != CONGA_NEIGHBOUR_MISMATCH)
		return 0;
	term = conga_hello_terms_value(&adjacency.news.theirs, adjacency.news.reason);
	if (nla_put_u32(skb, CONGA_A_PORT_NEIGHBOUR_ID, adjacency.news.id) ||
	    (state == CONGA_NEIGHBOUR_MISMATCH &&
	     nla_put_u32(skb, CONGA_A_PORT_NEIGHBOUR_REASON, adjacency.news.reason)) ||
	    (term && nla_put_u32(skb, CONGA_A_PORT_NEIGHBOUR_TERM, term)))
		return -EMSGSIZE;
	return 0;
}

static int conga_netlink_put_whole_port(struct sk_buff *skb, struct conga_port *port)
{
	int err = conga_netlink_put_port(skb, port);

	if (!err)
		err = conga_netlink_put_neighbour(skb, port);
	if (err || !port->drain)
		return err;
	return nla_put_u32(skb, CONGA_A_PORT_FLOWLETS, conga_netlink_flowlets(port));
}

static int conga_netlink_put_one_port(struct sk_buff *skb,
				      struct conga_fabric *fabric,
				      struct genl_info *info)
{
	struct conga_port *port = conga_netlink_port_named(fabric, info);

	return IS_ERR(port) ? PTR_ERR(port) : conga_netlink_put_whole_port(skb, port);
}

int conga_netlink_port_get(struct sk_buff *skb, struct genl_info *info)
{
	return conga_netlink_reply(info, conga_netlink_put_one_port);
}

/* --- dumps --- */

/* A dump of all objects would ignore the key of a single one, so that it is rejected. */
static int conga_netlink_check_all(const struct netlink_callback *cb)
{
	if (!nlmsg_attrlen(cb->nlh, GENL_HDRLEN))
		return 0;
	NL_SET_ERR_MSG(cb->extack, "A dump of all objects accepts no attributes");
	return -EINVAL;
}

/* A draining port ends a message, so that the lock is free between the counts of two ports'
 * flowlets.
 */
static int conga_netlink_dump_ports(struct sk_buff *skb,
				    struct netlink_callback *cb,
				    struct conga_fabric *fabric)
{
	struct conga_netlink_cursor *cursor = conga_netlink_cursor(cb);
	struct conga_port *port;
	unsigned long number = 0;
	void *header;
	int err;

	err = conga_netlink_check_all(cb);
	if (err)
		return err;
	list_for_each_entry(port, &fabric->ports, list) {
		if (number++ < cursor->object)
			continue;
		header = conga_netlink_begin(skb, cb, CONGA_CMD_PORT_GET);
		if (!header)
			return -EMSGSIZE;
		err = conga_netlink_end(skb, header,
					conga_netlink_put_whole_port(skb, port));
		if (err)
			return err;
		cursor->object = number;
		if (port->drain)
			return -EMSGSIZE;
	}
	return 0;
}

int conga_netlink_port_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return conga_netlink_dump(skb, cb, conga_netlink_dump_ports);
}

static u32 conga_netlink_usable_paths(struct conga_leaf *leaf)
{
	u16 usable;

	local_bh_disable();
	rcu_read_lock();
	usable = conga_leaf_open(leaf);
	rcu_read_unlock();
	local_bh_enable();
	return hweight16(usable);
}

static u32 conga_netlink_all_paths(struct conga_fabric *fabric)
{
	u32 count = 0;
	u8 tag;

	rcu_read_lock();
	for (tag = 0; tag < CONGA_TAGS_MAX; tag++)
		count += !!conga_port_hop(fabric, tag);
	rcu_read_unlock();
	return count;
}

/* The UDP ports at which packets to the leaf are stamped */
static int conga_netlink_put_leaf_ports(struct sk_buff *skb,
					const struct conga_leaf *leaf)
{
	const struct conga_params *params;
	u8 state = READ_ONCE(leaf->state);
	int i, err = 0;

	rcu_read_lock();
	params = conga_fabric_params(leaf->fabric);
	for (i = 0; i < params->dstports.count && !err; i++)
		if (state & BIT(i))
			err = nla_put_u16(skb, CONGA_A_LEAF_PORT,
					  ntohs(params->dstports.port[i]));
	rcu_read_unlock();
	return err;
}

/* Puts what hellos found out about the leaf. */
static int conga_netlink_put_leaf_look(struct sk_buff *skb, struct conga_leaf *leaf)
{
	const struct conga_params *params;
	struct conga_leaf_look look;
	bool asked, ecn;

	rcu_read_lock();
	params = conga_fabric_params(leaf->fabric);
	look = conga_leaf_look(leaf, params);
	asked = params->hello && READ_ONCE(leaf->mode) != CONGA_MODE_PLAIN;
	ecn = params->ecn;
	rcu_read_unlock();
	if (nla_put_u32(skb, CONGA_A_LEAF_STATE, look.state) ||
	    nla_put_u32(skb, CONGA_A_LEAF_REASON, look.reason) ||
	    (asked && nla_put_u32(skb, CONGA_A_LEAF_UNANSWERED, look.unanswered)) ||
	    (look.heard && nla_put_u64_64bit(skb, CONGA_A_LEAF_HEARD,
					     ktime_get_ns() - look.heard, CONGA_A_LEAF_PAD)) ||
	    (look.term && nla_put_u32(skb, CONGA_A_LEAF_TERM, look.term)) ||
	    (ecn && nla_put_u32(skb, CONGA_A_LEAF_ECN, look.ecn)))
		return -EMSGSIZE;
	return 0;
}

/* Puts the policy that decides in place of the fabric's, if one does. */
static int conga_netlink_put_leaf_policy(struct sk_buff *skb, const struct conga_leaf *leaf)
{
	const struct conga_policy *plain;

	rcu_read_lock();
	plain = conga_fabric_params(leaf->fabric)->policy->plain;
	rcu_read_unlock();
	if (!plain || conga_leaf_informs(leaf))
		return 0;
	return nla_put_string(skb, CONGA_A_LEAF_POLICY, plain->name);
}

/* conga_netlink_put_leaf - puts a leaf and all that is known of it; negative if there is no room */
int conga_netlink_put_leaf(struct sk_buff *skb, struct conga_leaf *leaf)
{
	u32 id = READ_ONCE(leaf->hello->id);

	if (conga_netlink_put_addr(skb, CONGA_A_LEAF_ADDR4, CONGA_A_LEAF_ADDR6,
				   leaf) ||
	    nla_put_u32(skb, CONGA_A_LEAF_MODE, READ_ONCE(leaf->mode)) ||
	    conga_netlink_put_leaf_look(skb, leaf) ||
	    conga_netlink_put_leaf_extension(skb, leaf) ||
	    nla_put_u32(skb, CONGA_A_LEAF_ORIGIN, READ_ONCE(leaf->origin)) ||
	    (id && nla_put_u32(skb, CONGA_A_LEAF_ID, id)) ||
	    nla_put_u32(skb, CONGA_A_LEAF_PATHS,
			conga_netlink_usable_paths(leaf)) ||
	    nla_put_u32(skb, CONGA_A_LEAF_PATHS_ALL,
			conga_netlink_all_paths(leaf->fabric)) ||
	    conga_netlink_put_leaf_policy(skb, leaf) ||
	    conga_netlink_put_leaf_ports(skb, leaf))
		return -EMSGSIZE;
	return 0;
}

static int conga_netlink_put_one_leaf(struct sk_buff *skb,
				      struct conga_fabric *fabric,
				      struct genl_info *info)
{
	struct conga_leaf *leaf;

	leaf = conga_netlink_leaf(fabric, info->attrs, CONGA_A_LEAF_ADDR4,
				  CONGA_A_LEAF_ADDR6, info->extack);
	return IS_ERR(leaf) ? PTR_ERR(leaf) : conga_netlink_put_leaf(skb, leaf);
}

int conga_netlink_leaf_get(struct sk_buff *skb, struct genl_info *info)
{
	return conga_netlink_reply(info, conga_netlink_put_one_leaf);
}

static int conga_netlink_dump_leaves(struct sk_buff *skb,
				     struct netlink_callback *cb,
				     struct conga_fabric *fabric)
{
	unsigned long *index = &conga_netlink_cursor(cb)->object;
	struct conga_leaf *leaf;
	void *header;
	int err;

	err = conga_netlink_check_all(cb);
	if (err)
		return err;
	for (; (leaf = conga_leaf_next(fabric, index)); (*index)++) {
		cond_resched();
		header = conga_netlink_begin(skb, cb, CONGA_CMD_LEAF_GET);
		if (!header)
			return -EMSGSIZE;
		err = conga_netlink_end(skb, header,
					conga_netlink_put_leaf(skb, leaf));
		if (err)
			return err;
	}
	return 0;
}

int conga_netlink_leaf_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return conga_netlink_dump(skb, cb, conga_netlink_dump_leaves);
}
