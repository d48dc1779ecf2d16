// SPDX-License-Identifier: GPL-2.0
/*
 * Replies and dumps. They hold the mutex, so that ports and leaves stay; what
 * packets change meanwhile is read as it is. A dump goes on in its next message
 * at a cursor that stays good when objects come and go; that they did is told
 * by the fabric's generation (NLM_F_DUMP_INTR).
 */
#include <linux/ktime.h>
#include <net/ipv6.h>

#include "leaf.h"
#include "netlink.h"
#include "port.h"

/* Where a dump goes on, in cb->ctx. */
struct conga_netlink_cursor {
	unsigned long	object;	/* leaf index, port or policy number, entry */
	u32		tag;
};

static struct conga_netlink_cursor *
conga_netlink_cursor(struct netlink_callback *cb)
{
	BUILD_BUG_ON(sizeof(struct conga_netlink_cursor) > sizeof(cb->ctx));
	return (struct conga_netlink_cursor *)cb->ctx;
}

static void *conga_netlink_begin(struct sk_buff *skb,
				 struct netlink_callback *cb, u8 command)
{
	void *header = genlmsg_put(skb, NETLINK_CB(cb->skb).portid,
				   cb->nlh->nlmsg_seq, &conga_netlink_family,
				   NLM_F_MULTI, command);

	if (header)
		genl_dump_check_consistent(cb, header);
	return header;
}

static int conga_netlink_end(struct sk_buff *skb, void *header, int err)
{
	if (err)
		genlmsg_cancel(skb, header);
	else
		genlmsg_end(skb, header);
	return err;
}

static int conga_netlink_put_addr(struct sk_buff *skb, int v4, int v6,
				  const struct conga_leaf *leaf)
{
	if (conga_leaf_is_v4(leaf))
		return nla_put_in_addr(skb, v4, leaf->addr.s6_addr32[3]);
	return nla_put_in6_addr(skb, v6, &leaf->addr);
}

/* --- one reply --- */

typedef int (*conga_netlink_fill_t)(struct sk_buff *skb,
				    struct conga_fabric *fabric,
				    struct genl_info *info);

static int conga_netlink_fill(struct sk_buff *reply, struct genl_info *info,
			      conga_netlink_fill_t fill)
{
	struct net *net = genl_info_net(info);
	struct conga_fabric *fabric;
	int err = -ENOENT;

	mutex_lock(&conga_net(net)->lock);
	fabric = conga_netlink_fabric(net, info->extack);
	if (fabric)
		err = fill(reply, fabric, info);
	mutex_unlock(&conga_net(net)->lock);
	return err;
}

static int conga_netlink_reply(struct genl_info *info, conga_netlink_fill_t fill)
{
	struct sk_buff *reply = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	void *header;
	int err;

	if (!reply)
		return -ENOMEM;
	header = genlmsg_put_reply(reply, info, &conga_netlink_family, 0,
				   info->genlhdr->cmd);
	err = conga_netlink_fill(reply, info, fill);
	if (err) {
		nlmsg_free(reply);
		return err;
	}
	genlmsg_end(reply, header);
	return genlmsg_reply(reply, info);
}

static int conga_netlink_put_dstports(struct sk_buff *skb,
				      const struct conga_params *params)
{
	int i, err = 0;

	for (i = 0; i < params->dstports && !err; i++)
		err = nla_put_u16(skb, CONGA_A_FABRIC_DSTPORT,
				  ntohs(params->dstport[i]));
	return err;
}

static int conga_netlink_put_fabric(struct sk_buff *skb,
				    struct conga_fabric *fabric,
				    struct genl_info *info)
{
	const struct conga_params *params = conga_fabric_params(fabric);

	if (nla_put_string(skb, CONGA_A_FABRIC_POLICY, params->policy->name) ||
	    nla_put_u32(skb, CONGA_A_FABRIC_Q, params->q) ||
	    nla_put_u64_64bit(skb, CONGA_A_FABRIC_TDRE, params->tdre,
			      CONGA_A_FABRIC_PAD) ||
	    nla_put_u32(skb, CONGA_A_FABRIC_ALPHA, params->alpha) ||
	    nla_put_u64_64bit(skb, CONGA_A_FABRIC_FLOWLET_TIMEOUT, params->tfl,
			      CONGA_A_FABRIC_PAD) ||
	    nla_put_u64_64bit(skb, CONGA_A_FABRIC_AGE, params->tage,
			      CONGA_A_FABRIC_PAD) ||
	    conga_netlink_put_dstports(skb, params) ||
	    nla_put_u32(skb, CONGA_A_FABRIC_FLOWLETS, params->flowlets) ||
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

static int conga_netlink_put_port(struct sk_buff *skb, struct conga_port *port)
{
	u64 packets, bytes;

	conga_port_read(port, &packets, &bytes);
	if (nla_put_u32(skb, CONGA_A_PORT_IFINDEX, port->ifindex) ||
	    nla_put_u32(skb, CONGA_A_PORT_ROLE, port->role) ||
	    (port->role == CONGA_ROLE_UPLINK &&
	     nla_put_u32(skb, CONGA_A_PORT_TAG, port->tag)) ||
	    nla_put_u64_64bit(skb, CONGA_A_PORT_RATE, port->rate,
			      CONGA_A_PORT_PAD) ||
	    nla_put_u32(skb, CONGA_A_PORT_RATE_SOURCE, port->rate_source) ||
	    nla_put_u32(skb, CONGA_A_PORT_STATE,
			conga_port_up(port) ? CONGA_PORT_UP : CONGA_PORT_DOWN) ||
	    conga_netlink_put_load(skb, port) ||
	    nla_put_u64_64bit(skb, CONGA_A_PORT_TX_PACKETS, packets,
			      CONGA_A_PORT_PAD) ||
	    nla_put_u64_64bit(skb, CONGA_A_PORT_TX_BYTES, bytes,
			      CONGA_A_PORT_PAD))
		return -EMSGSIZE;
	return 0;
}

static int conga_netlink_put_one_port(struct sk_buff *skb,
				      struct conga_fabric *fabric,
				      struct genl_info *info)
{
	struct conga_port *port = conga_netlink_port(fabric, info);

	return IS_ERR(port) ? PTR_ERR(port) : conga_netlink_put_port(skb, port);
}

int conga_netlink_port_get(struct sk_buff *skb, struct genl_info *info)
{
	return conga_netlink_reply(info, conga_netlink_put_one_port);
}

/* --- dumps --- */

typedef int (*conga_netlink_dump_t)(struct sk_buff *skb,
				    struct netlink_callback *cb,
				    struct conga_fabric *fabric);

/* A full message ends a dump's round, not the dump. */
static int conga_netlink_dump(struct sk_buff *skb, struct netlink_callback *cb,
			      conga_netlink_dump_t dump)
{
	struct net *net = sock_net(skb->sk);
	struct conga_fabric *fabric;
	int err = -ENOENT;

	mutex_lock(&conga_net(net)->lock);
	fabric = conga_netlink_fabric(net, cb->extack);
	if (fabric) {
		cb->seq = fabric->generation;
		err = dump(skb, cb, fabric);
	}
	mutex_unlock(&conga_net(net)->lock);
	if (err == -EMSGSIZE && skb->len)
		return skb->len;
	return err ? err : skb->len;
}

static int conga_netlink_dump_ports(struct sk_buff *skb,
				    struct netlink_callback *cb,
				    struct conga_fabric *fabric)
{
	struct conga_netlink_cursor *cursor = conga_netlink_cursor(cb);
	struct conga_port *port;
	unsigned long number = 0;
	void *header;
	int err;

	list_for_each_entry(port, &fabric->ports, list) {
		if (number++ < cursor->object)
			continue;
		header = conga_netlink_begin(skb, cb, CONGA_CMD_PORT_GET);
		if (!header)
			return -EMSGSIZE;
		err = conga_netlink_end(skb, header,
					conga_netlink_put_port(skb, port));
		if (err)
			return err;
		cursor->object = number;
	}
	return 0;
}

int conga_netlink_port_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return conga_netlink_dump(skb, cb, conga_netlink_dump_ports);
}

/* The leaf a dump is restricted to, or NULL for all; ERR_PTR if unknown. */
static struct conga_leaf *
conga_netlink_filter(struct conga_fabric *fabric, struct netlink_callback *cb,
		     struct nlattr **attrs, int v4, int v6)
{
	if (!attrs[v4] && !attrs[v6])
		return NULL;
	return conga_netlink_leaf(fabric, attrs, v4, v6, cb->extack);
}

static u32 conga_netlink_usable_paths(struct conga_leaf *leaf)
{
	u16 usable;

	local_bh_disable();
	rcu_read_lock();
	usable = conga_path_usable(leaf);
	rcu_read_unlock();
	local_bh_enable();
	return hweight16(usable);
}

static int conga_netlink_put_leaf(struct sk_buff *skb, struct conga_leaf *leaf)
{
	if (conga_netlink_put_addr(skb, CONGA_A_LEAF_ADDR4, CONGA_A_LEAF_ADDR6,
				   leaf) ||
	    nla_put_u32(skb, CONGA_A_LEAF_MODE, leaf->mode) ||
	    nla_put_u32(skb, CONGA_A_LEAF_STATE, leaf->mode) ||
	    nla_put_u32(skb, CONGA_A_LEAF_PATHS,
			conga_netlink_usable_paths(leaf)))
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

	for (; (leaf = conga_leaf_next(fabric, index)); (*index)++) {
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

/* What "path show" tells of a path, gathered with BH disabled. */
struct conga_netlink_path {
	conga_sample_t	heard;
	u64		now;
	u8		reason;
	u8		local;
	u8		remote;
};

static void conga_netlink_read_path(struct conga_netlink_path *path,
				    struct conga_leaf *leaf,
				    struct conga_port *port)
{
	const struct conga_params *params = conga_fabric_params(leaf->fabric);

	local_bh_disable();
	rcu_read_lock();
	path->now = ktime_get_ns();
	path->heard = READ_ONCE(leaf->to.heard[port->tag]);
	path->reason = conga_path_reason(leaf, port);
	path->local = conga_port_metric(port, path->now);
	path->remote = conga_toleaf_metric(&leaf->to, port->tag, path->now,
					   params->tage, params->q);
	rcu_read_unlock();
	local_bh_enable();
}

static int conga_netlink_put_path(struct sk_buff *skb, struct conga_leaf *leaf,
				  struct conga_port *port)
{
	struct conga_netlink_path path;

	conga_netlink_read_path(&path, leaf, port);
	if (conga_netlink_put_addr(skb, CONGA_A_PATH_ADDR4, CONGA_A_PATH_ADDR6,
				   leaf) ||
	    nla_put_u32(skb, CONGA_A_PATH_IFINDEX, port->ifindex) ||
	    nla_put_u32(skb, CONGA_A_PATH_TAG, port->tag) ||
	    nla_put_u32(skb, CONGA_A_PATH_REASON, path.reason) ||
	    nla_put_u32(skb, CONGA_A_PATH_LOCAL, path.local) ||
	    nla_put_u32(skb, CONGA_A_PATH_REMOTE, path.remote) ||
	    (conga_sample_valid(path.heard) &&
	     nla_put_u64_64bit(skb, CONGA_A_PATH_AGE,
			       conga_sample_age(path.heard, path.now),
			       CONGA_A_PATH_PAD)))
		return -EMSGSIZE;
	return 0;
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
		port = conga_port_uplink(leaf->fabric, *tag);
		if (!port)
			continue;
		header = conga_netlink_begin(skb, cb, CONGA_CMD_PATH_GET);
		if (!header)
			return -EMSGSIZE;
		err = conga_netlink_end(skb, header,
					conga_netlink_put_path(skb, leaf, port));
		if (err)
			return err;
	}
	*tag = 0;
	return 0;
}

/* Call @dump for the one leaf that the filter names, or for every leaf. */
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

	for (; (leaf = conga_leaf_next(fabric, index)); (*index)++) {
		if (only && leaf != only)
			continue;
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
			    CONGA_A_PATH_MAX, conga_netlink_path_policy,
			    cb->extack);
	if (err)
		return err;
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
				   CONGA_A_TABLE_ADDR6, leaf))
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
			    CONGA_A_TABLE_MAX, conga_netlink_table_policy,
			    cb->extack);
	if (err)
		return err;
	if (!attrs[CONGA_A_TABLE_KIND]) {
		NL_SET_ERR_MSG(cb->extack, "Which table? to-leaf or from-leaf");
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

/* What flowlets a dump is restricted to. */
struct conga_netlink_flowlets {
	struct conga_leaf	*leaf;		/* NULL: any */
	int			ifindex;	/* 0: any */
	u64			tfl;
};

/* An entry whose time is over, or whose leaf or uplink is gone, is none. */
static int conga_netlink_dump_flowlet(struct sk_buff *skb,
				      struct netlink_callback *cb,
				      struct conga_fabric *fabric,
				      const struct conga_netlink_flowlets *which,
				      conga_flowlet_t entry, u32 hash)
{
	u16 index = conga_flowlet_leaf(entry);
	struct conga_leaf *leaf = conga_leaf_by_index(fabric, index);
	struct conga_port *port;
	u64 now = ktime_get_ns();
	void *header;

	port = conga_port_uplink(fabric, conga_flowlet_tag(entry));
	if (!leaf || !port ||
	    conga_flowlet_state(entry, index, now, which->tfl) !=
	    CONGA_FLOWLET_LIVE ||
	    (which->leaf && which->leaf != leaf) ||
	    (which->ifindex && which->ifindex != port->ifindex))
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
			    CONGA_A_FLOWLET_MAX, conga_netlink_flowlet_policy,
			    cb->extack);
	if (err)
		return err;
	which->tfl = conga_fabric_params(fabric)->tfl;
	which->leaf = conga_netlink_filter(fabric, cb, attrs,
					   CONGA_A_FLOWLET_ADDR4,
					   CONGA_A_FLOWLET_ADDR6);
	if (IS_ERR(which->leaf))
		return PTR_ERR(which->leaf);
	which->ifindex = attrs[CONGA_A_FLOWLET_IFINDEX] ?
			 nla_get_u32(attrs[CONGA_A_FLOWLET_IFINDEX]) : 0;
	return 0;
}

static int conga_netlink_dump_flowlets(struct sk_buff *skb,
				       struct netlink_callback *cb,
				       struct conga_fabric *fabric)
{
	struct conga_net *cnet = conga_net(fabric->net);
	unsigned long *next = &conga_netlink_cursor(cb)->object;
	struct conga_netlink_flowlets which;
	struct conga_flowlets *flowlets;
	int err;

	err = conga_netlink_read_flowlets(&which, cb, fabric);
	flowlets = rcu_dereference_protected(fabric->flowlets,
					     lockdep_is_held(&cnet->lock));
	for (; !err && *next <= flowlets->mask; (*next)++) {
		err = conga_netlink_dump_flowlet(skb, cb, fabric, &which,
						 READ_ONCE(flowlets->entry[*next]),
						 *next);
		if (err)
			break;
	}
	return err;
}

int conga_netlink_flowlet_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return conga_netlink_dump(skb, cb, conga_netlink_dump_flowlets);
}

/* The module's policies: the same with or without a fabric. */
int conga_netlink_policy_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	unsigned long *number = &conga_netlink_cursor(cb)->object;
	const struct conga_policy *policy;
	void *header;
	int err;

	for (; (policy = conga_policy_get(*number)); (*number)++) {
		header = conga_netlink_begin(skb, cb, CONGA_CMD_POLICY_GET);
		if (!header)
			break;
		err = nla_put_string(skb, CONGA_A_POLICY_NAME, policy->name) ?:
		      nla_put_string(skb, CONGA_A_POLICY_SUMMARY,
				     policy->summary);
		if (conga_netlink_end(skb, header, err))
			break;
	}
	return skb->len;
}
