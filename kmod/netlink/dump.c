// SPDX-License-Identifier: GPL-2.0
/* Dumps of objects that packets made: paths, congestion tables, flowlets. */
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/sched.h>

#include "netlink/dump.h"
#include "netlink/extension.h"
#include "netlink/family.h"
#include "netlink/reply.h"
#include "netlink/request.h"
#include "netlink/rules.h"
#include "netlink/rules_generated.h"
#include "objects/fabric.h"
#include "objects/flowlets.h"
#include "objects/leaf_table.h"
#include "objects/path_dst.h"
#include "objects/ping.h"
#include "objects/port.h"

#define CONGA_NETLINK_GATEWAYS	4	/* of a path, at most */

/* The leaf a dump is restricted to, or NULL for all; ERR_PTR if unknown. */
static struct conga_leaf *
conga_netlink_filter(struct conga_fabric *fabric, struct netlink_callback *cb,
		     struct nlattr **attrs, int v4, int v6)
{
	if (!attrs[v4] && !attrs[v6])
		return NULL;
	return conga_netlink_leaf(fabric, attrs, v4, v6, cb->extack);
}

/* The reply of "path show" about a path, gathered with BH disabled. */
struct conga_netlink_path {
	conga_sample_t	heard;
	u64		now;
	u8		reason;
	u8		state;
	u8		local;
	u8		remote;
	u16		sport;		/* 0: packets keep theirs */
	u8		alike;		/* ports in a row that told the same */
	struct conga_leaf_loss loss;
	struct conga_ping_look pings;
	u8		gateways;
	struct in6_addr	gateway[CONGA_NETLINK_GATEWAYS];	/* IPv4 mapped */
	struct conga_netlink_path_extension extension;
};

static void conga_netlink_read_gateways(struct conga_netlink_path *path,
					struct conga_leaf *leaf, u8 tag)
{
	const struct conga_paths *paths = conga_path_by(leaf, tag);
	const struct conga_path *way = paths ? &paths->path[tag] : NULL;
	u8 i;

	path->gateways = 0;
	for (i = 0; way && i < way->count && path->gateways < CONGA_NETLINK_GATEWAYS; i++)
		path->gateways += conga_path_gateway_addr(paths->nexthop[way->first + i].dst,
							  &path->gateway[path->gateways]);
}

static void conga_netlink_read_path(struct conga_netlink_path *path,
				    struct conga_leaf *leaf,
				    struct conga_port *port, u8 tag)
{
	const struct conga_params *params;

	local_bh_disable();
	rcu_read_lock();
	params = conga_fabric_params(leaf->fabric);
	path->now = ktime_get_ns();
	path->heard = READ_ONCE(leaf->to.heard[tag]);
	path->reason = conga_leaf_path_reason(leaf, port, tag);
	path->state = conga_leaf_path_state(leaf, port, tag, path->reason);
	path->sport = READ_ONCE(leaf->entropy.port[tag]);
	path->alike = READ_ONCE(leaf->entropy.alike[tag]);
	path->loss = conga_leaf_path_loss(leaf, tag);
	path->pings = conga_ping_look(leaf, tag);
	path->local = conga_port_metric(port, path->now);
	path->remote = conga_toleaf_metric(&leaf->to, tag, path->now,
					   params->tage, params->q);
	conga_netlink_read_path_extension(&path->extension, leaf, tag, path->now,
					  params->tage);
	conga_netlink_read_gateways(path, leaf, tag);
	rcu_read_unlock();
	local_bh_enable();
}

static int conga_netlink_put_gateways(struct sk_buff *skb,
				      const struct conga_netlink_path *path)
{
	int err = 0;
	u8 i;

	for (i = 0; i < path->gateways && !err; i++)
		err = ipv6_addr_v4mapped(&path->gateway[i]) ?
		      nla_put_in_addr(skb, CONGA_A_PATH_GATEWAY4,
				      path->gateway[i].s6_addr32[3]) :
		      nla_put_in6_addr(skb, CONGA_A_PATH_GATEWAY6, &path->gateway[i]);
	return err;
}

static int conga_netlink_put_loss(struct sk_buff *skb, const struct conga_leaf_loss *loss)
{
	if (!loss->sent)
		return 0;
	return nla_put_u32(skb, CONGA_A_PATH_HELLOS, loss->sent) ? :
	       nla_put_u32(skb, CONGA_A_PATH_HELLOS_MISSED, loss->missed);
}

static int conga_netlink_put_pings(struct sk_buff *skb, const struct conga_ping_look *pings)
{
	if (!pings->sent && !pings->waits)
		return 0;
	if (nla_put_u32(skb, CONGA_A_PATH_PINGS, pings->sent) ||
	    nla_put_u32(skb, CONGA_A_PATH_PINGS_ANSWERED, pings->answered) ||
	    (pings->rtt && nla_put_u64_64bit(skb, CONGA_A_PATH_PING_RTT, pings->rtt,
					     CONGA_A_PATH_PAD)))
		return -EMSGSIZE;
	return pings->waits ? nla_put_flag(skb, CONGA_A_PATH_PING_WAITING) : 0;
}

/* The first LBTag of an uplink is that with which others are compared. */
static int conga_netlink_put_sport(struct sk_buff *skb, const struct conga_netlink_path *path,
				   const struct conga_port *port, u8 tag)
{
	if (!path->sport)
		return 0;
	if (nla_put_u16(skb, CONGA_A_PATH_SPORT, path->sport))
		return -EMSGSIZE;
	return port->tags & (BIT(tag) - 1) ?
	       nla_put_u32(skb, CONGA_A_PATH_ALIKE, path->alike) : 0;
}

int conga_netlink_put_path(struct sk_buff *skb, struct conga_leaf *leaf,
			   struct conga_port *port, u8 tag)
{
	struct conga_netlink_path path;

	conga_netlink_read_path(&path, leaf, port, tag);
	if (conga_netlink_put_addr(skb, CONGA_A_PATH_ADDR4, CONGA_A_PATH_ADDR6,
				   leaf) ||
	    nla_put_u32(skb, CONGA_A_PATH_IFINDEX, port->ifindex) ||
	    (port->role == CONGA_ROLE_UPLINK &&
	     nla_put_u32(skb, CONGA_A_PATH_TAG, tag)) ||
	    conga_netlink_put_sport(skb, &path, port, tag) ||
	    nla_put_u32(skb, CONGA_A_PATH_STATE, path.state) ||
	    nla_put_u32(skb, CONGA_A_PATH_REASON, path.reason) ||
	    conga_netlink_put_gateways(skb, &path) ||
	    conga_netlink_put_loss(skb, &path.loss) ||
	    conga_netlink_put_limit(skb, CONGA_A_PATH_METRIC_LIMIT, leaf->fabric) ||
	    conga_netlink_put_pings(skb, &path.pings) ||
	    nla_put_u32(skb, CONGA_A_PATH_LOCAL, path.local) ||
	    nla_put_u32(skb, CONGA_A_PATH_REMOTE, path.remote) ||
	    (conga_sample_valid(path.heard) &&
	     nla_put_u64_64bit(skb, CONGA_A_PATH_AGE,
			       conga_sample_age(path.heard, path.now),
			       CONGA_A_PATH_PAD)))
		return -EMSGSIZE;
	return conga_netlink_put_path_extension(skb, &path.extension);
}

static int conga_netlink_dump_leaf_paths(struct sk_buff *skb,
					 struct netlink_callback *cb,
					 struct conga_leaf *leaf)
{
	u32 *tag = &conga_netlink_cursor(cb)->tag;
	struct conga_port *port;
	void *header;
	int err;

	for (; *tag < CONGA_TAGS_MAX; (*tag)++) {
		port = conga_port_hop(leaf->fabric, *tag);
		if (!port || !conga_leaf_has_path(leaf, *tag))
			continue;
		header = conga_netlink_begin(skb, cb, CONGA_CMD_PATH_GET);
		if (!header)
			return -EMSGSIZE;
		err = conga_netlink_end(skb, header,
					conga_netlink_put_path(skb, leaf, port, *tag));
		if (err)
			return err;
	}
	*tag = 0;
	return 0;
}

/* Calls @dump for the one leaf that the filter names, or for every leaf. */
static int
conga_netlink_dump_each(struct sk_buff *skb, struct netlink_callback *cb,
			struct conga_fabric *fabric, struct conga_leaf *only,
			int (*dump)(struct sk_buff *skb,
				    struct netlink_callback *cb,
				    struct conga_leaf *leaf))
{
	unsigned long *index = &conga_netlink_cursor(cb)->object;
	struct conga_leaf *leaf;
	int err;

	if (only)
		*index = max_t(unsigned long, *index, only->index);
	for (; (leaf = conga_leaf_next(fabric, index)); (*index)++) {
		cond_resched();
		if (only && leaf != only)
			break;
		err = dump(skb, cb, leaf);
		if (err)
			return err;
	}
	return 0;
}

static int conga_netlink_dump_paths(struct sk_buff *skb,
				    struct netlink_callback *cb,
				    struct conga_fabric *fabric)
{
	struct nlattr *attrs[CONGA_A_PATH_MAX + 1];
	struct conga_leaf *only;
	int err;

	err = genlmsg_parse(cb->nlh, &conga_netlink_family, attrs,
			    CONGA_A_PATH_MAX, conga_netlink_path_get_policy,
			    cb->extack);
	if (err)
		return err;
	if (attrs[CONGA_A_PATH_FLOW]) {
		NL_SET_ERR_MSG_ATTR(cb->extack, attrs[CONGA_A_PATH_FLOW],
				    "A dump of paths cannot be filtered by flow");
		return -EINVAL;
	}
	only = conga_netlink_filter(fabric, cb, attrs, CONGA_A_PATH_ADDR4,
				    CONGA_A_PATH_ADDR6);
	if (IS_ERR(only))
		return PTR_ERR(only);
	return conga_netlink_dump_each(skb, cb, fabric, only,
				       conga_netlink_dump_leaf_paths);
}

int conga_netlink_path_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return conga_netlink_dump(skb, cb, conga_netlink_dump_paths);
}

static int conga_netlink_put_row(struct sk_buff *skb, u8 tag, u8 metric,
				 u64 age, bool changed)
{
	struct nlattr *row = nla_nest_start(skb, CONGA_A_TABLE_ROW);

	if (!row || nla_put_u32(skb, CONGA_A_ROW_TAG, tag) ||
	    nla_put_u32(skb, CONGA_A_ROW_METRIC, metric) ||
	    nla_put_u64_64bit(skb, CONGA_A_ROW_AGE, age, CONGA_A_ROW_PAD) ||
	    (changed && nla_put_flag(skb, CONGA_A_ROW_CHANGED)))
		return -EMSGSIZE;
	nla_nest_end(skb, row);
	return 0;
}

static int conga_netlink_put_to_leaf(struct sk_buff *skb,
				     const struct conga_leaf *leaf, u64 now)
{
	const struct conga_params *params = conga_fabric_params(leaf->fabric);
	conga_sample_t heard;
	int err = 0;
	u8 tag;

	for (tag = 0; tag < CONGA_TAGS_MAX && !err; tag++) {
		heard = READ_ONCE(leaf->to.heard[tag]);
		if (conga_sample_valid(heard))
			err = conga_netlink_put_row(skb, tag,
						    conga_toleaf_metric(&leaf->to, tag, now,
									params->tage,
									params->q),
						    conga_sample_age(heard, now), false);
	}
	return err;
}

static int conga_netlink_put_from_leaf(struct sk_buff *skb,
				       const struct conga_leaf *leaf, u64 now)
{
	conga_sample_t seen;
	int err = 0;
	u8 tag;

	for (tag = 0; tag < CONGA_TAGS_MAX && !err; tag++) {
		seen = READ_ONCE(leaf->from.seen[tag]);
		if (conga_sample_valid(seen))
			err = conga_netlink_put_row(skb, tag,
						    conga_sample_metric(seen),
						    conga_sample_age(seen, now),
						    conga_fromleaf_changed(&leaf->from, tag));
	}
	return err;
}

static int conga_netlink_put_table(struct sk_buff *skb, u32 kind,
				   const struct conga_leaf *leaf)
{
	u64 now = ktime_get_ns();

	if (nla_put_u32(skb, CONGA_A_TABLE_KIND, kind) ||
	    conga_netlink_put_addr(skb, CONGA_A_TABLE_ADDR4,
				   CONGA_A_TABLE_ADDR6, leaf) ||
	    conga_netlink_put_limit(skb, CONGA_A_TABLE_METRIC_LIMIT, leaf->fabric))
		return -EMSGSIZE;
	return kind == CONGA_TABLE_TO_LEAF ?
	       conga_netlink_put_to_leaf(skb, leaf, now) :
	       conga_netlink_put_from_leaf(skb, leaf, now);
}

static int conga_netlink_dump_table(struct sk_buff *skb,
				    struct netlink_callback *cb,
				    struct conga_leaf *leaf, u32 kind)
{
	void *header = conga_netlink_begin(skb, cb, CONGA_CMD_TABLE_GET);

	if (!header)
		return -EMSGSIZE;
	return conga_netlink_end(skb, header,
				 conga_netlink_put_table(skb, kind, leaf));
}

static int conga_netlink_dump_to_leaf(struct sk_buff *skb,
				      struct netlink_callback *cb,
				      struct conga_leaf *leaf)
{
	return conga_netlink_dump_table(skb, cb, leaf, CONGA_TABLE_TO_LEAF);
}

static int conga_netlink_dump_from_leaf(struct sk_buff *skb,
					struct netlink_callback *cb,
					struct conga_leaf *leaf)
{
	return conga_netlink_dump_table(skb, cb, leaf, CONGA_TABLE_FROM_LEAF);
}

static int conga_netlink_dump_tables(struct sk_buff *skb,
				     struct netlink_callback *cb,
				     struct conga_fabric *fabric)
{
	struct nlattr *attrs[CONGA_A_TABLE_MAX + 1];
	struct conga_leaf *only;
	int err;

	err = genlmsg_parse(cb->nlh, &conga_netlink_family, attrs,
			    CONGA_A_TABLE_MAX, conga_netlink_table_get_policy,
			    cb->extack);
	if (err)
		return err;
	err = conga_netlink_check(cb->nlh, conga_netlink_table_rules, cb->extack);
	if (err)
		return err;
	if (!attrs[CONGA_A_TABLE_KIND]) {
		NL_SET_ERR_MSG(cb->extack, "The request must name the table, to-leaf or from-leaf");
		return -EINVAL;
	}
	only = conga_netlink_filter(fabric, cb, attrs, CONGA_A_TABLE_ADDR4,
				    CONGA_A_TABLE_ADDR6);
	if (IS_ERR(only))
		return PTR_ERR(only);
	return conga_netlink_dump_each(skb, cb, fabric, only,
				       nla_get_u32(attrs[CONGA_A_TABLE_KIND]) ==
				       CONGA_TABLE_TO_LEAF ?
				       conga_netlink_dump_to_leaf :
				       conga_netlink_dump_from_leaf);
}

int conga_netlink_table_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return conga_netlink_dump(skb, cb, conga_netlink_dump_tables);
}

static int conga_netlink_put_flowlet(struct sk_buff *skb, u32 hash,
				     const struct conga_leaf *leaf, int ifindex,
				     u64 idle)
{
	if (conga_netlink_put_addr(skb, CONGA_A_FLOWLET_ADDR4,
				   CONGA_A_FLOWLET_ADDR6, leaf) ||
	    nla_put_u32(skb, CONGA_A_FLOWLET_IFINDEX, ifindex) ||
	    nla_put_u32(skb, CONGA_A_FLOWLET_HASH, hash) ||
	    nla_put_u64_64bit(skb, CONGA_A_FLOWLET_IDLE, idle,
			      CONGA_A_FLOWLET_PAD))
		return -EMSGSIZE;
	return 0;
}

/* The flowlets to which a dump is restricted */
struct conga_netlink_flowlets {
	struct conga_leaf	*leaf;		/* NULL: any */
	struct conga_port	*port;		/* NULL: any */
	u64			tfl;
};

/* An entry whose time is over, or whose leaf or uplink is gone, is skipped. */
static int conga_netlink_dump_flowlet(struct sk_buff *skb,
				      struct netlink_callback *cb,
				      struct conga_fabric *fabric,
				      const struct conga_netlink_flowlets *which,
				      conga_flowlet_t entry, u32 hash)
{
	struct conga_leaf *leaf;
	struct conga_port *port;
	u64 now;
	void *header;

	if (!entry)
		return 0;
	now = ktime_get_ns();
	leaf = conga_leaf_by_index(fabric, conga_flowlet_leaf(entry));
	port = conga_port_hop(fabric, conga_flowlet_tag(entry));
	if (!leaf || !port || !conga_flowlet_is_live(entry, now, which->tfl) ||
	    (which->leaf && which->leaf != leaf) ||
	    (which->port && which->port != port))
		return 0;
	header = conga_netlink_begin(skb, cb, CONGA_CMD_FLOWLET_GET);
	if (!header)
		return -EMSGSIZE;
	return conga_netlink_end(skb, header,
				 conga_netlink_put_flowlet(skb, hash, leaf,
							   port->ifindex,
							   conga_flowlet_idle(entry, now)));
}

static int conga_netlink_read_flowlets(struct conga_netlink_flowlets *which,
				       struct netlink_callback *cb,
				       struct conga_fabric *fabric)
{
	struct nlattr *attrs[CONGA_A_FLOWLET_MAX + 1];
	int err;

	err = genlmsg_parse(cb->nlh, &conga_netlink_family, attrs,
			    CONGA_A_FLOWLET_MAX, conga_netlink_flowlet_get_policy,
			    cb->extack);
	if (err)
		return err;
	which->tfl = conga_fabric_params(fabric)->tfl;
	which->leaf = conga_netlink_filter(fabric, cb, attrs,
					   CONGA_A_FLOWLET_ADDR4,
					   CONGA_A_FLOWLET_ADDR6);
	if (IS_ERR(which->leaf))
		return PTR_ERR(which->leaf);
	which->port = attrs[CONGA_A_FLOWLET_IFINDEX] ?
		      conga_netlink_port(fabric, attrs[CONGA_A_FLOWLET_IFINDEX],
					 cb->extack) : NULL;
	return PTR_ERR_OR_ZERO(which->port);
}

/* One step of the table */
static int conga_netlink_dump_flowlets(struct sk_buff *skb,
				       struct netlink_callback *cb,
				       struct conga_fabric *fabric)
{
	struct conga_netlink_cursor *cursor = conga_netlink_cursor(cb);
	struct conga_net *cnet = conga_net(fabric->net);
	unsigned long end = cursor->object + CONGA_NETLINK_STEP;
	struct conga_netlink_flowlets which;
	struct conga_flowlets *flowlets;
	int err;

	err = conga_netlink_read_flowlets(&which, cb, fabric);
	flowlets = rcu_dereference_protected(fabric->flowlets,
					     lockdep_is_held(&cnet->lock));
	end = min(end, flowlets->mask + 1UL);
	for (; !err && cursor->object < end; cursor->object++) {
		err = conga_netlink_dump_flowlet(skb, cb, fabric, &which,
						 READ_ONCE(flowlets->entry[cursor->object]),
						 cursor->object);
		if (err)
			break;
	}
	cursor->more = !err && end <= flowlets->mask;
	return err;
}

/* A table may be large, and have no entry to report. */
int conga_netlink_flowlet_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	int len;

	do {
		len = conga_netlink_dump(skb, cb, conga_netlink_dump_flowlets);
		cond_resched();
	} while (len >= 0 && conga_netlink_cursor(cb)->more);
	return len;
}
