// SPDX-License-Identifier: GPL-2.0
#include <stdbool.h>
#include <stdio.h>
#include <linux/conga.h>
#include <netlink/attr.h>
#include "common/array.h"
#include "common/attr.h"
#include "common/names.h"
#include "tool/check_node.h"
#include "tool/check_report.h"
#include "tool/check_route.h"
#include "tool/grammar.h"

/* These are values of fib_multipath_hash_policy, and a bit of fib_multipath_hash_fields. */
#define CONGA_CHECK_HASH_L4	1
#define CONGA_CHECK_HASH_CUSTOM	3
#define CONGA_CHECK_HASH_SPORT	0x10

#define CONGA_CHECK_SYSCTL_MAX	128

struct conga_check_family {
	int family;
	const char *name;
	const char *forwarding;
	bool all_counts;	/* conf/all is added to the device's own value */
};

static const struct conga_check_family conga_check_families[] = {
	{ AF_INET, "ipv4", "ip_forward", true },
	{ AF_INET6, "ipv6", "conf/all/forwarding", false },
};

#define CONGA_CHECK_FAMILIES \
	(sizeof(conga_check_families) / sizeof(*conga_check_families))

/* Returns true if the node chooses between transit ports. */
static bool conga_check_chooses(const struct conga_node *node, int family)
{
	unsigned int route = 0;
	int count = 0;
	size_t i;

	for (i = 0; i < node->hops.count; i++) {
		const struct conga_node_hop *hop = conga_array_at(&node->hops, i);

		if (hop->family != family)
			continue;
		if (hop->route != route)
			count = 0;
		route = hop->route;
		count += conga_node_is_port(node, hop->ifindex, CONGA_ROLE_TRANSIT);
		if (count > 1)
			return true;
	}
	return false;
}

/* Flows between two tunnel endpoints differ only in the source port. */
static bool conga_check_hashes_ports(const char *family)
{
	long policy = conga_node_sysctl(family, "fib_multipath_hash_policy");

	if (policy == CONGA_CHECK_HASH_CUSTOM)
		return conga_node_sysctl(family, "fib_multipath_hash_fields") &
			CONGA_CHECK_HASH_SPORT;
	return policy == CONGA_CHECK_HASH_L4 || policy < 0;
}

void conga_check_hash_policy(const struct conga_check *check, const struct conga_node *node)
{
	const struct conga_check_family *family;
	char object[CONGA_CHECK_SYSCTL_MAX];
	size_t i;

	for (i = 0; i < CONGA_CHECK_FAMILIES; i++) {
		family = &conga_check_families[i];
		if (conga_node_sysctl(family->name, family->forwarding) <= 0 ||
		    conga_check_hashes_ports(family->name) ||
		    !conga_check_chooses(node, family->family))
			continue;
		snprintf(object, sizeof(object), "net.%s.fib_multipath_hash_policy",
			 family->name);
		conga_check_report(check, object,
				   "does not hash ports, so all packets between two leaves leave by one link; hash ports: sysctl -w %s=1",
				   object);
	}
}

/* Returns true if a route of this family uses a gateway on the port. */
static bool conga_check_routes_by(const struct conga_node *node, int family, int ifindex)
{
	size_t i;

	for (i = 0; i < node->hops.count; i++) {
		const struct conga_node_hop *hop = conga_array_at(&node->hops, i);

		if (hop->family == family && hop->ifindex == ifindex && hop->has_gateway)
			return true;
	}
	return false;
}

static bool conga_check_ignores_linkdown(const struct conga_check_family *family,
					 const char *dev)
{
	char name[CONGA_CHECK_SYSCTL_MAX];

	snprintf(name, sizeof(name), "conf/%s/ignore_routes_with_linkdown", dev);
	return conga_node_sysctl(family->name, name);
}

static void conga_check_linkdown_of(const struct conga_check *check, const struct conga_node *node,
				    const struct conga_check_family *family)
{
	struct nlattr *port[CONGA_ATTRS_MAX + 1];
	char object[CONGA_CHECK_SYSCTL_MAX], dev[CONGA_NODE_NAME_MAX];
	unsigned int ifindex;
	size_t next = 0;

	snprintf(object, sizeof(object), "net.%s.conf.all.ignore_routes_with_linkdown",
		 family->name);
	while (conga_node_next_port(node, &next, port)) {
		ifindex = conga_attr_number(port[CONGA_A_PORT_IFINDEX]);
		conga_names_find(ifindex, dev);
		if (conga_check_ignores_linkdown(family, dev) ||
		    !conga_check_routes_by(node, family->family, ifindex))
			continue;
		conga_check_report(check, object,
				   "is off, so routes by %s are used while its link is down; ignore such routes: sysctl -w %s=1",
				   dev, object);
		return;
	}
}

void conga_check_linkdown(const struct conga_check *check, const struct conga_node *node)
{
	size_t i;

	for (i = 0; i < CONGA_CHECK_FAMILIES; i++)
		if (!conga_check_families[i].all_counts ||
		    !conga_check_ignores_linkdown(&conga_check_families[i], "all"))
			conga_check_linkdown_of(check, node, &conga_check_families[i]);
}
