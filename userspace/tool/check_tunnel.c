// SPDX-License-Identifier: GPL-2.0
#include <stdbool.h>
#include <stdio.h>
#include <linux/conga.h>
#include <netlink/attr.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include "common/addr.h"
#include "common/array.h"
#include "common/attr.h"
#include "common/link.h"
#include "common/names.h"
#include "tool/check_node.h"
#include "tool/check_report.h"
#include "tool/check_tunnel.h"
#include "tool/grammar.h"

#define CONGA_CHECK_PORT_MAX	sizeof("UDP port 65535")

/* Of a list of UDP ports as "conga fabric set" takes it, with one more */
#define CONGA_CHECK_LIST_MAX	((CONGA_DSTPORTS_MAX + 1) * sizeof("dstport 65535 "))

/* A node without leaves and uplinks, as a spine, ends no tunnels. */
static bool conga_check_ends_tunnels(const struct conga_node *node)
{
	struct nlattr *port[CONGA_ATTRS_MAX + 1];
	size_t next = 0;

	while (conga_node_next_port(node, &next, port))
		if (conga_attr_number(port[CONGA_A_PORT_ROLE]) == CONGA_ROLE_UPLINK)
			return true;
	return node->state.leaves.count;
}

/* Sockets are looked at, not devices: a device may have been moved to another network namespace,
 * while its socket stays in this one.
 */
void conga_check_dstport_unused(const struct conga_check *check, const struct conga_node *node)
{
	struct nlmsghdr *fabric = nlmsg_hdr(node->state.fabric.msgs[0]);
	char object[CONGA_CHECK_PORT_MAX];
	struct nlattr *attr;
	int rem;

	if (!conga_check_ends_tunnels(node))
		return;
	nlmsg_for_each_attr(attr, fabric, GENL_HDRLEN, rem) {
		if (nla_type(attr) != CONGA_A_FABRIC_DSTPORT ||
		    conga_node_has_socket(conga_attr_number(attr)))
			continue;
		snprintf(object, sizeof(object), "UDP port %llu", conga_attr_number(attr));
		conga_check_report(check, object,
				   "is a port of the fabric, but no vxlan device that is up uses it, so hellos of other leaves are not answered about it; give the fabric the port of the tunnels: conga fabric set dstport PORT");
	}
}

/* Writes the ports of the fabric, and one more: a list replaces the previous list. */
static void conga_check_dstport_list(const struct conga_node *node, unsigned int more,
				     char text[CONGA_CHECK_LIST_MAX])
{
	struct nlmsghdr *fabric = nlmsg_hdr(node->state.fabric.msgs[0]);
	struct nlattr *attr;
	size_t len = 0;
	int rem;

	nlmsg_for_each_attr(attr, fabric, GENL_HDRLEN, rem)
		if (nla_type(attr) == CONGA_A_FABRIC_DSTPORT && len < CONGA_CHECK_LIST_MAX)
			len += snprintf(text + len, CONGA_CHECK_LIST_MAX - len, "dstport %llu ",
					conga_attr_number(attr));
	if (len < CONGA_CHECK_LIST_MAX)
		snprintf(text + len, CONGA_CHECK_LIST_MAX - len, "dstport %u", more);
}

/* A tunnel beside the fabric may be intended. */
void conga_check_dstport_other(const struct conga_check *check, const struct conga_node *node)
{
	char list[CONGA_CHECK_LIST_MAX];
	size_t i;

	for (i = 0; i < node->links.count; i++) {
		const struct conga_link *link = conga_array_at(&node->links, i);

		if (link->kind != CONGA_LINK_VXLAN || !link->running ||
		    conga_node_takes(node, link->vxlan.dstport))
			continue;
		conga_check_dstport_list(node, link->vxlan.dstport, list);
		conga_check_report(check, link->name,
				   "uses UDP port %u, which is none of the fabric, so its packets are not balanced; if they must be: conga fabric set %s",
				   link->vxlan.dstport, list);
	}
}

/* All destinations of a tunnel that are no leaves are one finding. */
void conga_check_no_leaf(const struct conga_check *check, const struct conga_node *node)
{
	char addr[CONGA_ADDR_TEXT_MAX];
	size_t i;

	for (i = 0; i < node->strangers.count; i++) {
		const struct conga_node_strangers *strangers = conga_array_at(&node->strangers, i);

		conga_addr_text(&strangers->first, addr);
		conga_check_report(check, strangers->dev,
				   "sends to %u addresses that are no leaves, %s among them, and these packets are not balanced; add the leaves, or let congad do it: conga leaf add %s",
				   strangers->count, addr, addr);
	}
}

/* Does an earlier route use the device, which was reported then? */
static bool conga_check_was_reported(const struct conga_node *node, size_t index)
{
	const struct conga_node_leaf_hop *hop = conga_array_at(&node->leaf_hops, index);
	size_t i;

	for (i = 0; i < index; i++) {
		const struct conga_node_leaf_hop *other = conga_array_at(&node->leaf_hops, i);

		if (other->ifindex == hop->ifindex)
			return true;
	}
	return false;
}

/* A leaf that no uplink leads to is another finding. */
static bool conga_check_has_uplink(const struct conga_node *node, unsigned int leaf)
{
	size_t i;

	for (i = 0; i < node->leaf_hops.count; i++) {
		const struct conga_node_leaf_hop *hop = conga_array_at(&node->leaf_hops, i);

		if (hop->leaf == leaf && conga_node_is_port(node, hop->ifindex, CONGA_ROLE_UPLINK))
			return true;
	}
	return false;
}

static void conga_check_no_port_report(const struct conga_check *check,
				       const struct conga_node *node,
				       const struct conga_node_leaf_hop *hop)
{
	char dev[CONGA_NODE_NAME_MAX];

	conga_names_find(hop->ifindex, dev);
	if (conga_node_is_port(node, hop->ifindex, 0))
		conga_check_report(check, dev,
				   "is a nexthop of a route to a leaf, but a transit port, so no packets are balanced over it; delete the port, and add it as an uplink: conga port add %s role uplink",
				   dev);
	else
		conga_check_report(check, dev,
				   "is a nexthop of a route to a leaf, but no port, so packets that the kernel would send by it are not balanced; add it: conga port add %s role uplink",
				   dev);
}

void conga_check_no_port(const struct conga_check *check, const struct conga_node *node)
{
	size_t i;

	for (i = 0; i < node->leaf_hops.count; i++) {
		const struct conga_node_leaf_hop *hop = conga_array_at(&node->leaf_hops, i);

		if (!conga_node_is_port(node, hop->ifindex, CONGA_ROLE_UPLINK) &&
		    !conga_check_was_reported(node, i) && conga_check_has_uplink(node, hop->leaf))
			conga_check_no_port_report(check, node, hop);
	}
}
