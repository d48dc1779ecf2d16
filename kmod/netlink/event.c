// SPDX-License-Identifier: GPL-2.0
/*
 * Events: a change of configuration is notified by the request that makes it. A change of
 * state (a path, a leaf's state, a link, its speed) is notified by one work, which compares
 * the current state with the last notification. So an event costs the packet that caused it
 * very little, and a flapping state is notified no faster than the work runs.
 */
#include <linux/ktime.h>
#include <net/genetlink.h>

#include "netlink/dump.h"
#include "netlink/event.h"
#include "netlink/family.h"
#include "netlink/get.h"
#include "netlink/reply.h"
#include "objects/fabric.h"
#include "objects/leaf.h"
#include "objects/port.h"
#include "trace.h"

/* Puts the object of an event into the message; negative if there is no room. */
typedef int (*conga_netlink_put_t)(struct sk_buff *skb, void *object);

/* Sends one event, if there is a listener. Listeners that lose an event get an error, from
 * the kernel or, if there is no memory for the event, from here. Any context.
 */
static void conga_netlink_publish(struct net *net,
				  enum conga_netlink_group group, u8 command,
				  conga_netlink_put_t put, void *object)
{
	struct sk_buff *skb;
	void *header;

	if (!genl_has_listeners(&conga_netlink_family, net, group))
		return;
	skb = genlmsg_new(NLMSG_GOODSIZE, GFP_ATOMIC);
	if (!skb) {
		genl_set_err(&conga_netlink_family, net, 0, group, -ENOBUFS);
		return;
	}
	header = genlmsg_put(skb, 0, 0, &conga_netlink_family, 0, command);
	if (put(skb, object)) {
		nlmsg_free(skb);
		return;
	}
	genlmsg_end(skb, header);
	genlmsg_multicast_netns(&conga_netlink_family, net, skb, 0, group,
				GFP_ATOMIC);
}

static int conga_netlink_put_nothing(struct sk_buff *skb, void *unused)
{
	return 0;
}

static int conga_netlink_put_event_fabric(struct sk_buff *skb, void *fabric)
{
	return conga_netlink_put_fabric(skb, fabric, NULL);
}

static int conga_netlink_put_event_port(struct sk_buff *skb, void *port)
{
	return conga_netlink_put_port(skb, port);
}

static int conga_netlink_put_port_key(struct sk_buff *skb, void *object)
{
	const struct conga_port *port = object;

	return nla_put_u32(skb, CONGA_A_PORT_IFINDEX, port->ifindex);
}

static int conga_netlink_put_event_leaf(struct sk_buff *skb, void *leaf)
{
	return conga_netlink_put_leaf(skb, leaf);
}

static int conga_netlink_put_leaf_key(struct sk_buff *skb, void *leaf)
{
	return conga_netlink_put_addr(skb, CONGA_A_LEAF_ADDR4,
				      CONGA_A_LEAF_ADDR6, leaf);
}

/* The key of a path: its leaf, and its port and LBTag */
struct conga_netlink_ends {
	struct conga_leaf	*leaf;
	struct conga_port	*port;
	u8			tag;
};

static int conga_netlink_put_event_path(struct sk_buff *skb, void *object)
{
	const struct conga_netlink_ends *ends = object;

	return conga_netlink_put_path(skb, ends->leaf, ends->port, ends->tag);
}

/* --- changes of configuration --- */

void conga_netlink_tell_fabric(struct conga_fabric *fabric)
{
	conga_netlink_publish(fabric->net, CONGA_NETLINK_CONFIG,
			      CONGA_CMD_FABRIC_NTF,
			      conga_netlink_put_event_fabric, fabric);
}

void conga_netlink_tell_fabric_gone(struct net *net)
{
	conga_netlink_publish(net, CONGA_NETLINK_CONFIG,
			      CONGA_CMD_FABRIC_DEL_NTF,
			      conga_netlink_put_nothing, NULL);
}

void conga_netlink_tell_port(struct conga_port *port)
{
	WRITE_ONCE(port->told_up, conga_port_up(port));
	WRITE_ONCE(port->told_rate, READ_ONCE(port->rate));
	conga_netlink_publish(port->fabric->net, CONGA_NETLINK_CONFIG,
			      CONGA_CMD_PORT_NTF, conga_netlink_put_event_port,
			      port);
}

void conga_netlink_tell_port_gone(struct conga_port *port)
{
	conga_netlink_publish(port->fabric->net, CONGA_NETLINK_CONFIG,
			      CONGA_CMD_PORT_DEL_NTF,
			      conga_netlink_put_port_key, port);
}

void conga_netlink_tell_leaf(struct conga_leaf *leaf)
{
	conga_netlink_publish(leaf->fabric->net, CONGA_NETLINK_CONFIG,
			      CONGA_CMD_LEAF_NTF, conga_netlink_put_event_leaf,
			      leaf);
	conga_fabric_changed(leaf->fabric);
}

void conga_netlink_tell_leaf_gone(struct conga_leaf *leaf)
{
	conga_netlink_publish(leaf->fabric->net, CONGA_NETLINK_CONFIG,
			      CONGA_CMD_LEAF_DEL_NTF,
			      conga_netlink_put_leaf_key, leaf);
}

/* --- changes of state --- */

static u8 conga_netlink_path_now(const struct conga_netlink_ends *ends)
{
	u8 reason;

	if (!ends->port || !conga_leaf_has_path(ends->leaf, ends->tag))
		return 0;
	local_bh_disable();
	reason = conga_leaf_path_reason(ends->leaf, ends->port, ends->tag);
	local_bh_enable();
	return reason;
}

/* A path that goes together with its port has no event: the port's event implies it. */
static void conga_netlink_news_paths(struct conga_leaf *leaf)
{
	struct conga_netlink_ends ends = { .leaf = leaf };
	u8 tag, before, reason;

	for (tag = 0; tag < CONGA_TAGS_MAX; tag++) {
		ends.tag = tag;
		ends.port = conga_port_hop(leaf->fabric, tag);
		reason = conga_netlink_path_now(&ends);
		if (reason == leaf->told.path[tag])
			continue;
		before = leaf->told.path[tag];
		leaf->told.path[tag] = reason;
		if (!reason)
			continue;
		trace_conga_path(leaf, ends.port, tag, before, reason);
		conga_netlink_publish(leaf->fabric->net, CONGA_NETLINK_STATE,
				      CONGA_CMD_PATH_NTF,
				      conga_netlink_put_event_path, &ends);
	}
}

/* A leaf without a notified state has just been added, which had its own event. */
static void conga_netlink_news_leaf(struct conga_leaf *leaf)
{
	struct conga_leaf_told *told = &leaf->told;
	u8 state = READ_ONCE(leaf->state);
	u8 reason = conga_leaf_reason(leaf, conga_fabric_params(leaf->fabric));
	bool news = told->reason &&
		    (told->state != state || told->reason != reason);

	told->state = state;
	told->reason = reason;
	if (news)
		conga_netlink_publish(leaf->fabric->net, CONGA_NETLINK_STATE,
				      CONGA_CMD_LEAF_NTF,
				      conga_netlink_put_event_leaf, leaf);
	conga_netlink_news_paths(leaf);
}

/* A rate that followed the device is an event of configuration, which includes the state. */
static void conga_netlink_news_port(struct conga_port *port)
{
	u64 rate = READ_ONCE(port->rate);
	bool up = conga_port_up(port);
	bool other_rate = READ_ONCE(port->told_rate) != rate;

	if (READ_ONCE(port->told_up) == up && !other_rate)
		return;
	WRITE_ONCE(port->told_up, up);
	WRITE_ONCE(port->told_rate, rate);
	conga_netlink_publish(port->fabric->net,
			      other_rate ? CONGA_NETLINK_CONFIG : CONGA_NETLINK_STATE,
			      CONGA_CMD_PORT_NTF, conga_netlink_put_event_port, port);
}

static void conga_netlink_news_ports(struct conga_fabric *fabric)
{
	struct conga_port *port;

	list_for_each_entry_rcu(port, &fabric->ports, list)
		conga_netlink_news_port(port);
}

static bool conga_netlink_news_next(struct conga_fabric *fabric,
				    unsigned long *index)
{
	struct conga_leaf *leaf;

	rcu_read_lock();
	leaf = xa_find(&fabric->leaf_index, index, U16_MAX, XA_PRESENT);
	if (leaf)
		conga_netlink_news_leaf(leaf);
	rcu_read_unlock();
	(*index)++;
	return leaf;
}

/* conga_netlink_news - the work of a fabric's event_work */
void conga_netlink_news(struct work_struct *work)
{
	struct conga_fabric *fabric = container_of(work, struct conga_fabric,
						   event_work.work);
	u64 began = ktime_get_ns(), spent = 0;
	unsigned long index = 0;
	bool more;

	if (conga_pace_wait(&fabric->event_pace)) {
		conga_fabric_changed(fabric);
		return;
	}
	rcu_read_lock();
	conga_netlink_news_ports(fabric);
	rcu_read_unlock();
	do {
		more = conga_netlink_news_next(fabric, &index);
		spent += ktime_get_ns() - began;
		cond_resched();
		began = ktime_get_ns();
	} while (more);
	conga_pace_spent(&fabric->event_pace, fabric->net, spent);
}
