// SPDX-License-Identifier: GPL-2.0
/*
 * Events: what was configured is told by whoever does it; what happened (a path,
 * a leaf's state, a link) by one work, which compares the world with what it told
 * last. So an event costs the packet that caused it next to nothing, and what
 * flutters is told no faster than the work runs.
 */
#include <net/genetlink.h>

#include "leaf.h"
#include "netlink.h"
#include "port.h"

/* Room for any of them: a port is the longest. */
#define CONGA_EVENT_SIZE	NLMSG_GOODSIZE

static bool conga_netlink_heard(const struct net *net,
				enum conga_netlink_group group)
{
	return genl_has_listeners(&conga_netlink_family, (struct net *)net,
				  group);
}

static struct sk_buff *conga_netlink_event(u8 command, void **header)
{
	struct sk_buff *skb = genlmsg_new(CONGA_EVENT_SIZE, GFP_ATOMIC);

	if (!skb)
		return NULL;
	*header = genlmsg_put(skb, 0, 0, &conga_netlink_family, 0, command);
	return skb;
}

/* Takes @skb over. Listeners that lose an event are told so by the kernel. */
static void conga_netlink_send(struct net *net, struct sk_buff *skb,
			       void *header, int err,
			       enum conga_netlink_group group)
{
	if (err) {
		nlmsg_free(skb);
		return;
	}
	genlmsg_end(skb, header);
	genlmsg_multicast_netns(&conga_netlink_family, net, skb, 0, group,
				GFP_ATOMIC);
}

/* --- what was configured --- */

void conga_netlink_tell_fabric(struct conga_fabric *fabric)
{
	struct sk_buff *skb;
	void *header;

	if (!conga_netlink_heard(fabric->net, CONGA_NETLINK_CONFIG))
		return;
	skb = conga_netlink_event(CONGA_CMD_FABRIC_NTF, &header);
	if (skb)
		conga_netlink_send(fabric->net, skb, header,
				   conga_netlink_put_fabric(skb, fabric, NULL),
				   CONGA_NETLINK_CONFIG);
}

void conga_netlink_tell_fabric_gone(struct net *net)
{
	struct sk_buff *skb;
	void *header;

	if (!conga_netlink_heard(net, CONGA_NETLINK_CONFIG))
		return;
	skb = conga_netlink_event(CONGA_CMD_FABRIC_DEL_NTF, &header);
	if (skb)
		conga_netlink_send(net, skb, header, 0, CONGA_NETLINK_CONFIG);
}

static void conga_netlink_send_port(struct conga_port *port,
				    enum conga_netlink_group group)
{
	struct net *net = port->fabric->net;
	struct sk_buff *skb;
	void *header;

	if (!conga_netlink_heard(net, group))
		return;
	skb = conga_netlink_event(CONGA_CMD_PORT_NTF, &header);
	if (skb)
		conga_netlink_send(net, skb, header,
				   conga_netlink_put_port(skb, port), group);
}

void conga_netlink_tell_port(struct conga_port *port)
{
	WRITE_ONCE(port->told_up, conga_port_up(port));
	conga_netlink_send_port(port, CONGA_NETLINK_CONFIG);
}

void conga_netlink_tell_port_gone(const struct conga_port *port)
{
	struct net *net = port->fabric->net;
	struct sk_buff *skb;
	void *header;

	if (!conga_netlink_heard(net, CONGA_NETLINK_CONFIG))
		return;
	skb = conga_netlink_event(CONGA_CMD_PORT_DEL_NTF, &header);
	if (skb)
		conga_netlink_send(net, skb, header,
				   nla_put_u32(skb, CONGA_A_PORT_IFINDEX,
					       port->ifindex),
				   CONGA_NETLINK_CONFIG);
}

static void conga_netlink_send_leaf(struct conga_leaf *leaf,
				    enum conga_netlink_group group)
{
	struct net *net = leaf->fabric->net;
	struct sk_buff *skb;
	void *header;

	if (!conga_netlink_heard(net, group))
		return;
	skb = conga_netlink_event(CONGA_CMD_LEAF_NTF, &header);
	if (skb)
		conga_netlink_send(net, skb, header,
				   conga_netlink_put_leaf(skb, leaf), group);
}

void conga_netlink_tell_leaf(struct conga_leaf *leaf)
{
	conga_netlink_send_leaf(leaf, CONGA_NETLINK_CONFIG);
	conga_fabric_changed(leaf->fabric);
}

void conga_netlink_tell_leaf_gone(const struct conga_leaf *leaf)
{
	struct net *net = leaf->fabric->net;
	struct sk_buff *skb;
	void *header;

	if (!conga_netlink_heard(net, CONGA_NETLINK_CONFIG))
		return;
	skb = conga_netlink_event(CONGA_CMD_LEAF_DEL_NTF, &header);
	if (skb)
		conga_netlink_send(net, skb, header,
				   conga_netlink_put_addr(skb, CONGA_A_LEAF_ADDR4,
							  CONGA_A_LEAF_ADDR6,
							  leaf),
				   CONGA_NETLINK_CONFIG);
}

/* --- what happened --- */

static void conga_netlink_send_path(struct conga_leaf *leaf,
				    struct conga_port *port)
{
	struct net *net = leaf->fabric->net;
	struct sk_buff *skb;
	void *header;

	if (!conga_netlink_heard(net, CONGA_NETLINK_STATE))
		return;
	skb = conga_netlink_event(CONGA_CMD_PATH_NTF, &header);
	if (skb)
		conga_netlink_send(net, skb, header,
				   conga_netlink_put_path(skb, leaf, port),
				   CONGA_NETLINK_STATE);
}

static u8 conga_netlink_path_now(struct conga_leaf *leaf, struct conga_port *port)
{
	u8 reason;

	local_bh_disable();
	reason = conga_leaf_path_reason(leaf, port);
	local_bh_enable();
	return reason;
}

/* A path that goes with its port is told of by the port. */
static void conga_netlink_news_paths(struct conga_leaf *leaf)
{
	u8 tag, reason;

	for (tag = 0; tag < CONGA_TAGS_MAX; tag++) {
		struct conga_port *port = conga_port_uplink(leaf->fabric, tag);

		reason = port ? conga_netlink_path_now(leaf, port) : 0;
		if (reason == leaf->told.path[tag])
			continue;
		leaf->told.path[tag] = reason;
		if (port)
			conga_netlink_send_path(leaf, port);
	}
}

/* A leaf that was never told of has just been added, which was told. */
static void conga_netlink_news_leaf(struct conga_leaf *leaf)
{
	struct conga_leaf_told *told = &leaf->told;
	u8 state = READ_ONCE(leaf->state);
	u8 reason = conga_leaf_reason(leaf, conga_fabric_params(leaf->fabric));
	bool news = told->state &&
		    (told->state != state || told->reason != reason);

	told->state = state;
	told->reason = reason;
	if (news)
		conga_netlink_send_leaf(leaf, CONGA_NETLINK_STATE);
	conga_netlink_news_paths(leaf);
}

static void conga_netlink_news_ports(struct conga_fabric *fabric)
{
	struct conga_port *port;

	list_for_each_entry_rcu(port, &fabric->ports, list) {
		bool up = conga_port_up(port);

		if (READ_ONCE(port->told_up) == up)
			continue;
		WRITE_ONCE(port->told_up, up);
		conga_netlink_send_port(port, CONGA_NETLINK_STATE);
	}
}

static void conga_netlink_news(struct work_struct *work)
{
	struct conga_fabric *fabric = container_of(work, struct conga_fabric,
						   event_work);
	struct conga_leaf *leaf;
	unsigned long index = 0;

	rcu_read_lock();
	conga_netlink_news_ports(fabric);
	rcu_read_unlock();
	do {
		rcu_read_lock();
		leaf = xa_find(&fabric->leaf_index, &index, U16_MAX, XA_PRESENT);
		if (leaf)
			conga_netlink_news_leaf(leaf);
		rcu_read_unlock();
		index++;
		cond_resched();
	} while (leaf);
}

/* conga_netlink_event_setup - of a fabric that nobody sees yet */
void conga_netlink_event_setup(struct conga_fabric *fabric)
{
	INIT_WORK(&fabric->event_work, conga_netlink_news);
}
