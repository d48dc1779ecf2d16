// SPDX-License-Identifier: GPL-2.0
/* Routes are parsed here: libnl-route does not support nexthop objects of routes up to version
 * 3.7, and makes an object of each of the million routes that a router may have.
 */
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include "common/addr.h"
#include "common/attr.h"
#include "common/route.h"

#define CONGA_ROUTE_V4_BITS	32
#define CONGA_ROUTE_V6_BITS	128

struct conga_route_reader {
	conga_route_visitor *visit;
	void *arg;
};

/* RTNH_OK() alone reads bytes that may lie after the end. */
static bool conga_route_has_hop(const struct rtnexthop *hop, int len)
{
	return len >= (int)sizeof(*hop) && RTNH_OK(hop, len);
}

/* Visits the nexthops of a multipath route, each with attributes of its own. */
static int conga_route_walk_multipath(struct nlattr *multipath, conga_route_hop_visitor *visit,
				      void *arg)
{
	struct rtnexthop *rtnh = nla_data(multipath);
	int len = nla_len(multipath), err = 0;
	struct nlattr *tb[RTA_MAX + 1];
	struct conga_route_hop hop;

	while (conga_route_has_hop(rtnh, len) && !err) {
		if (nla_parse(tb, RTA_MAX, (struct nlattr *)RTNH_DATA(rtnh),
			      rtnh->rtnh_len - RTNH_LENGTH(0), NULL) < 0)
			return 0;
		hop.ifindex = rtnh->rtnh_ifindex;
		hop.has_gateway = tb[RTA_GATEWAY] || tb[RTA_VIA];
		err = visit(&hop, arg);
		len -= RTNH_ALIGN(rtnh->rtnh_len);
		rtnh = RTNH_NEXT(rtnh);
	}
	return err;
}

int conga_route_walk(const struct conga_route *route, conga_route_hop_visitor *visit, void *arg)
{
	if (route->multipath)
		return conga_route_walk_multipath(route->multipath, visit, arg);
	return route->has_hops ? visit(&route->hop, arg) : 0;
}

static int conga_route_on_reply(struct nl_msg *reply, void *arg)
{
	const struct rtmsg *rtm = nlmsg_data(nlmsg_hdr(reply));
	const struct conga_route_reader *reader = arg;
	struct nlattr *tb[RTA_MAX + 1];
	struct conga_route route;

	if (nlmsg_parse(nlmsg_hdr(reply), sizeof(*rtm), tb, RTA_MAX, NULL) < 0)
		return 0;
	route = (struct conga_route) {
		.family = rtm->rtm_family,
		.type = rtm->rtm_type,
		.nexthop = conga_attr_number(tb[RTA_NH_ID]),
		.has_hops = tb[RTA_MULTIPATH] || tb[RTA_OIF],
		.multipath = tb[RTA_MULTIPATH],
		.hop.ifindex = conga_attr_number(tb[RTA_OIF]),
		.hop.has_gateway = tb[RTA_GATEWAY] || tb[RTA_VIA],
	};
	return reader->visit(&route, reader->arg);
}

int conga_route_dump(struct conga_netlink *netlink, int family, conga_route_visitor *visit,
		     void *arg, struct conga_netlink_answer *answer)
{
	struct conga_route_reader reader = { .visit = visit, .arg = arg };
	struct rtmsg rtm = { .rtm_family = family, .rtm_type = RTN_UNICAST };
	struct nl_msg *msg = conga_netlink_message(RTM_GETROUTE, &rtm, sizeof(rtm));

	return conga_netlink_request_once(netlink, msg, NLM_F_DUMP, conga_route_on_reply, &reader,
					  answer);
}

/* RTM_F_FIB_MATCH requests the route with all its nexthops. */
static struct nl_msg *conga_route_question(const struct in6_addr *addr, int vrf)
{
	bool v4 = conga_addr_is_v4(addr);
	struct rtmsg rtm = {
		.rtm_family = v4 ? AF_INET : AF_INET6,
		.rtm_dst_len = v4 ? CONGA_ROUTE_V4_BITS : CONGA_ROUTE_V6_BITS,
		.rtm_flags = RTM_F_FIB_MATCH,
	};
	struct nl_msg *msg = conga_netlink_message(RTM_GETROUTE, &rtm, sizeof(rtm));

	if (!msg)
		return NULL;
	conga_addr_put(msg, RTA_DST, RTA_DST, addr);
	if (vrf)
		nla_put_u32(msg, RTA_OIF, vrf);
	return msg;
}

int conga_route_get(struct conga_netlink *netlink, const struct in6_addr *addr, int vrf,
		    conga_route_visitor *visit, void *arg, struct conga_netlink_answer *answer)
{
	struct conga_route_reader reader = { .visit = visit, .arg = arg };
	struct nl_msg *msg = conga_route_question(addr, vrf);

	return conga_netlink_request_once(netlink, msg, 0, conga_route_on_reply, &reader, answer);
}
