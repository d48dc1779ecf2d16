// SPDX-License-Identifier: GPL-2.0
/*
 * Routes: which devices lead to a VTEP, or, on a spine, to any other router.
 *
 * A VTEP's route is asked for as it stands in the table (RTM_F_FIB_MATCH), with all
 * its nexthops, the dead ones included: the link that is down now is an uplink, too.
 */
#include <errno.h>
#include <string.h>
#include <linux/rtnetlink.h>
#include "daemon/daemon.h"

#define CONGAD_ROUTE_V4_BITS	32
#define CONGAD_ROUTE_V6_BITS	128

struct congad_route_reader {
	struct congad_view *view;
	struct congad_wanted_port port;	/* its device is filled in */
	bool gateways_only;
	uint8_t type;			/* RTN_*, of the route read last */
};

static int congad_route_add(struct congad_route_reader *reader, int ifindex, bool has_gateway)
{
	if (reader->gateways_only && !has_gateway)
		return 0;
	if (!congad_link_is_uplink(reader->view, ifindex))
		return 0;
	reader->port.ifindex = ifindex;
	return congad_array_add(&reader->view->ports, &reader->port);
}

static int congad_route_add_nexthop(const struct congad_nexthop *nexthop, void *arg)
{
	return congad_route_add(arg, nexthop->ifindex, nexthop->has_gateway);
}

/* RTNH_OK() alone looks at what may lie behind the end. */
static bool congad_route_has_hop(const struct rtnexthop *hop, int len)
{
	return len >= (int)sizeof(*hop) && RTNH_OK(hop, len);
}

/* The nexthops of a multipath route, each with attributes of its own. */
static int congad_route_add_multipath(struct congad_route_reader *reader, struct nlattr *attr)
{
	struct rtnexthop *hop = nla_data(attr);
	struct nlattr *tb[RTA_MAX + 1];
	int len = nla_len(attr), err = 0;

	while (congad_route_has_hop(hop, len) && !err) {
		if (nla_parse(tb, RTA_MAX, (struct nlattr *)RTNH_DATA(hop),
			      hop->rtnh_len - RTNH_LENGTH(0), NULL) < 0)
			return 0;
		err = congad_route_add(reader, hop->rtnh_ifindex,
				       tb[RTA_GATEWAY] || tb[RTA_VIA]);
		len -= RTNH_ALIGN(hop->rtnh_len);
		hop = RTNH_NEXT(hop);
	}
	return err;
}

/* A kernel told to be brief names nothing but the nexthop object. */
static int congad_route_on_reply(struct nlmsghdr *hdr, void *arg)
{
	const struct rtmsg *rtm = nlmsg_data(hdr);
	struct congad_route_reader *reader = arg;
	struct nlattr *tb[RTA_MAX + 1];

	if (nlmsg_parse(hdr, sizeof(*rtm), tb, RTA_MAX, NULL) < 0)
		return 0;
	reader->type = rtm->rtm_type;
	if (rtm->rtm_type != RTN_UNICAST)
		return 0;
	if (tb[RTA_MULTIPATH])
		return congad_route_add_multipath(reader, tb[RTA_MULTIPATH]);
	if (tb[RTA_OIF])
		return congad_route_add(reader, congad_nl_u32(tb[RTA_OIF]),
					tb[RTA_GATEWAY] || tb[RTA_VIA]);
	return congad_nexthop_walk(reader->view, congad_nl_u32(tb[RTA_NH_ID]),
				   congad_route_add_nexthop, reader);
}

static struct nl_msg *congad_route_message(const struct congad_vtep *vtep)
{
	bool v4 = congad_addr_is_v4(&vtep->addr);
	struct rtmsg rtm = {
		.rtm_family = v4 ? AF_INET : AF_INET6,
		.rtm_dst_len = v4 ? CONGAD_ROUTE_V4_BITS : CONGAD_ROUTE_V6_BITS,
		.rtm_flags = RTM_F_FIB_MATCH,
	};
	struct nl_msg *msg = congad_nl_message(RTM_GETROUTE, &rtm, sizeof(rtm));

	if (!msg)
		return NULL;
	congad_addr_put(msg, RTA_DST, RTA_DST, &vtep->addr);
	if (vtep->vrf)
		nla_put_u32(msg, RTA_OIF, vtep->vrf);
	return msg;
}

/* A VTEP that has no route now is a leaf nevertheless; our own address is none. */
static int congad_route_read_leaf(struct congad_view *view, const struct congad_vtep *vtep)
{
	struct congad_wanted_leaf leaf = { .addr = vtep->addr, .vxlan = vtep->vxlan };
	struct congad_route_reader reader = { .view = view, .port.leaf = vtep->addr };
	int err;

	err = congad_nl_ask_route(congad_route_message(vtep), 0, congad_route_on_reply, &reader);
	if (err > 0)
		return err;
	if (reader.type == RTN_LOCAL || reader.type == RTN_BROADCAST ||
	    reader.type == RTN_MULTICAST)
		return 0;
	return congad_array_add(&view->leaves, &leaf);
}

/* congad_route_read_leaves - leaves and uplinks, by the VTEPs */
int congad_route_read_leaves(struct congad_view *view)
{
	int err = 0;
	size_t i;

	for (i = 0; i < view->vteps.count && !err; i++)
		err = congad_route_read_leaf(view, congad_array_at(&view->vteps, i));
	congad_array_sort(&view->leaves);
	congad_array_sort(&view->ports);
	return err;
}

static int congad_route_read_family(struct congad_view *view, int family)
{
	struct congad_route_reader reader = { .view = view, .gateways_only = true };
	struct rtmsg rtm = { .rtm_family = family, .rtm_type = RTN_UNICAST };
	int err;

	err = congad_nl_ask_route(congad_nl_message(RTM_GETROUTE, &rtm, sizeof(rtm)), NLM_F_DUMP,
				  congad_route_on_reply, &reader);
	/* A kernel without this family has none of its routes. */
	return err == -EOPNOTSUPP ? 0 : err;
}

/* congad_route_read_spine - ports: whatever leads to another router */
int congad_route_read_spine(struct congad_view *view)
{
	int err = congad_route_read_family(view, AF_INET);

	if (!err)
		err = congad_route_read_family(view, AF_INET6);
	congad_array_sort(&view->ports);
	return err;
}
