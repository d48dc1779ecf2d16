// SPDX-License-Identifier: GPL-2.0
#include <stdbool.h>
#include <stdio.h>
#include <linux/conga.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <netlink/errno.h>
#include "common/addr.h"
#include "common/array.h"
#include "common/fdb.h"
#include "common/link.h"
#include "common/netlink.h"
#include "common/route.h"
#include "common/status.h"
#include "tool/check_node.h"
#include "tool/check_reach.h"
#include "tool/grammar.h"

struct conga_reach {
	struct conga_node *node;
	unsigned int leaf;		/* the one whose route is read */
	struct conga_array leaves;	/* struct in6_addr, sorted */
	struct conga_array strangers;	/* likewise, of one device */
};

static int conga_reach_read_leaves(struct conga_reach *reach)
{
	struct nlattr *leaf[CONGA_ATTRS_MAX + 1];
	struct in6_addr addr;
	size_t next = 0;

	while (conga_node_next_leaf(reach->node, &next, leaf)) {
		const struct nlattr *addr4 = leaf[CONGA_A_LEAF_ADDR4];

		if (conga_addr_read(addr4 ? addr4 : leaf[CONGA_A_LEAF_ADDR6], &addr) &&
		    conga_array_add(&reach->leaves, &addr))
			return -NLE_NOMEM;
	}
	conga_array_sort(&reach->leaves);
	return 0;
}

/* ---- routes to leaves ---- */

static int conga_reach_on_hop(const struct conga_route_hop *hop, void *arg)
{
	const struct conga_reach *reach = arg;
	struct conga_node_leaf_hop found = { .leaf = reach->leaf, .ifindex = hop->ifindex };

	return conga_array_add(&reach->node->leaf_hops, &found);
}

static int conga_reach_on_route(const struct conga_route *route, void *arg)
{
	return route->type == RTN_UNICAST ? conga_route_walk(route, conga_reach_on_hop, arg) : 0;
}

/* A leaf without a route is rejected, and has no hops. */
static int conga_reach_read_routes(struct conga_reach *reach, struct conga_netlink *netlink)
{
	struct conga_netlink_answer answer;
	int err = 0;

	for (reach->leaf = 0; reach->leaf < reach->leaves.count && !err; reach->leaf++)
		err = conga_route_get(netlink, conga_array_at(&reach->leaves, reach->leaf), 0,
				      conga_reach_on_route, reach, &answer);
	return err;
}

/* The packets of a tunnel that is bound to a device, as a VRF, use other routes. */
static bool conga_reach_is_bound(const struct conga_node *node)
{
	const struct conga_link *vxlan;
	size_t next = 0;

	while ((vxlan = conga_node_next_vxlan(node, &next)))
		if (vxlan->vxlan.lower || vxlan->elsewhere)
			return true;
	return false;
}

/* ---- destinations of tunnels ---- */

static int conga_reach_on_entry(const struct conga_fdb_entry *entry, void *arg)
{
	struct conga_reach *reach = arg;

	if (!entry->has_addr || IN6_IS_ADDR_MULTICAST(&entry->addr) ||
	    (conga_addr_is_v4(&entry->addr) && IN_MULTICAST(ntohl(entry->addr.s6_addr32[3]))) ||
	    conga_array_find(&reach->leaves, &entry->addr))
		return 0;
	return conga_array_add(&reach->strangers, &entry->addr);
}

static int conga_reach_add_strangers(struct conga_reach *reach, const struct conga_link *vxlan)
{
	struct conga_node_strangers strangers;

	conga_array_sort(&reach->strangers);
	if (!reach->strangers.count)
		return 0;
	strangers.count = reach->strangers.count;
	strangers.first = *(struct in6_addr *)conga_array_at(&reach->strangers, 0);
	snprintf(strangers.dev, sizeof(strangers.dev), "%s", vxlan->name);
	return conga_array_add(&reach->node->strangers, &strangers) ? -NLE_NOMEM : 0;
}

/* In collect-metadata mode there is no forwarding table. A dump that changes interrupt is good
 * enough here.
 */
static int conga_reach_read_entries(struct conga_reach *reach, struct conga_netlink *netlink)
{
	struct conga_netlink_answer answer;
	const struct conga_link *vxlan;
	size_t next = 0;
	int err = 0;

	while (!err && (vxlan = conga_node_next_vxlan(reach->node, &next))) {
		if (vxlan->vxlan.external)
			continue;
		conga_array_clean(&reach->strangers);
		err = conga_fdb_dump(netlink, vxlan->ifindex, conga_reach_on_entry, reach, &answer);
		if (!err || err == -NLE_DUMP_INTR)
			err = conga_reach_add_strangers(reach, vxlan);
	}
	return err;
}

int conga_reach_read(struct conga_node *node)
{
	struct conga_netlink netlink = { .protocol = NETLINK_ROUTE };
	struct conga_reach reach = {
		.node = node,
		.leaves = CONGA_ARRAY(struct in6_addr, conga_addr_compare),
		.strangers = CONGA_ARRAY(struct in6_addr, conga_addr_compare),
	};
	int err = conga_reach_read_leaves(&reach);

	if (!err && !conga_reach_is_bound(node))
		err = conga_reach_read_routes(&reach, &netlink);
	if (!err)
		err = conga_reach_read_entries(&reach, &netlink);
	conga_netlink_close(&netlink);
	conga_array_clean(&reach.leaves);
	conga_array_clean(&reach.strangers);
	return err ? conga_node_failed("routes and forwarding entries", err) : CONGA_OK;
}
