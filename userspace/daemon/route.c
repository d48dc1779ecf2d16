// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <linux/rtnetlink.h>
#include "common/route.h"
#include "daemon/link.h"
#include "daemon/nexthop.h"
#include "daemon/nl.h"
#include "daemon/route.h"

struct congad_route_reader {
	struct congad_view *view;
	struct congad_wanted_port port;	/* the device is filled in later */
	bool gateways_only;
	unsigned char type;		/* RTN_*, of the last route read */
};

static int congad_route_add(struct congad_route_reader *reader, int ifindex, bool has_gateway)
{
	if (reader->gateways_only && !has_gateway)
		return 0;
	reader->port.ifindex = ifindex;
	if (congad_link_is_uplink(reader->view, ifindex))
		return conga_array_add(&reader->view->ports, &reader->port);
	if (congad_link_is_bridge(reader->view, ifindex))
		return conga_array_add(&reader->view->bridges, &reader->port);
	return 0;
}

static int congad_route_add_nexthop(const struct conga_nexthop *nexthop, void *arg)
{
	return congad_route_add(arg, nexthop->ifindex, nexthop->has_gateway);
}

static int congad_route_add_hop(const struct conga_route_hop *hop, void *arg)
{
	return congad_route_add(arg, hop->ifindex, hop->has_gateway);
}

static int congad_route_on_route(const struct conga_route *route, void *arg)
{
	struct congad_route_reader *reader = arg;

	reader->type = route->type;
	if (route->type != RTN_UNICAST)
		return 0;
	if (route->has_hops)
		return conga_route_walk(route, congad_route_add_hop, reader);
	return congad_nexthop_walk(reader->view, route->nexthop, congad_route_add_nexthop,
				   reader);
}

/* A VTEP that has no route now is a leaf nevertheless; the node's own address is not. */
static int congad_route_read_leaf(struct congad_view *view, const struct congad_vtep *vtep)
{
	struct congad_wanted_leaf leaf = { .addr = vtep->addr, .vxlan = vtep->vxlan };
	struct congad_route_reader reader = { .view = view, .port.leaf = vtep->addr };
	struct conga_netlink_answer answer;
	int err;

	err = conga_route_get(&congad_nl_route, &vtep->addr, vtep->vrf, congad_route_on_route,
			      &reader, &answer);
	err = congad_nl_verdict(&answer, err);
	if (err > 0)
		return err;
	if (reader.type == RTN_LOCAL || reader.type == RTN_BROADCAST ||
	    reader.type == RTN_MULTICAST)
		return 0;
	return conga_array_add(&view->leaves, &leaf);
}

int congad_route_read_leaves(struct congad_view *view)
{
	int err = 0;
	size_t i;

	for (i = 0; i < view->vteps.count && !err; i++)
		err = congad_route_read_leaf(view, conga_array_at(&view->vteps, i));
	conga_array_sort(&view->leaves);
	conga_array_sort(&view->ports);
	conga_array_sort(&view->bridges);
	return err;
}

static int congad_route_read_family(struct congad_view *view, int family)
{
	struct congad_route_reader reader = { .view = view, .gateways_only = true };
	struct conga_netlink_answer answer;
	int err;

	err = conga_route_dump(&congad_nl_route, family, congad_route_on_route, &reader, &answer);
	err = congad_nl_verdict(&answer, err);
	/* A kernel without this address family has no routes of it. */
	return err == -EOPNOTSUPP ? 0 : err;
}

int congad_route_read_spine(struct congad_view *view)
{
	int err = congad_route_read_family(view, AF_INET);

	if (!err)
		err = congad_route_read_family(view, AF_INET6);
	conga_array_sort(&view->ports);
	return err;
}
