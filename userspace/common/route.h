/* SPDX-License-Identifier: GPL-2.0 */
/* A route has nexthops, which name devices. */
#ifndef CONGA_COMMON_ROUTE_H
#define CONGA_COMMON_ROUTE_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include "common/netlink.h"

/* A nexthop of a route may be dead. */
struct conga_route_hop {
	int ifindex;
	bool has_gateway;
};

/* A route is valid only during the visit: its attributes are those of the message. */
struct conga_route {
	int family;		/* AF_INET or AF_INET6 */
	unsigned char type;	/* RTN_* */
	uint32_t nexthop;	/* id of its nexthop object; 0: none */
	bool has_hops;		/* false if the kernel reports only the nexthop object */
	struct nlattr *multipath;	/* NULL: one hop, the following */
	struct conga_route_hop hop;
};

/* Another result than 0 ends the walk, and means that there was no memory. */
typedef int conga_route_visitor(const struct conga_route *route, void *arg);
typedef int conga_route_hop_visitor(const struct conga_route_hop *hop, void *arg);

/* conga_route_walk - call @visit for each nexthop, and return the last result */
int conga_route_walk(const struct conga_route *route, conga_route_hop_visitor *visit, void *arg);

/* conga_route_dump - call @visit for each unicast route of a family, of all tables; otherwise as
 * conga_netlink_request(), with a @netlink of NETLINK_ROUTE. A kernel without the family answers
 * EOPNOTSUPP.
 */
int conga_route_dump(struct conga_netlink *netlink, int family, conga_route_visitor *visit,
		     void *arg, struct conga_netlink_answer *answer);

/**
 * conga_route_get() - the route to an address, whole, as it stands in the table
 * @netlink: of NETLINK_ROUTE
 * @addr: IPv4 mapped
 * @vrf: ifindex of the VRF whose routes count; 0: the main ones
 * @visit: is called for the route, if there is one
 * @arg: for @visit
 * @answer: filled
 * Return: as conga_netlink_request().
 */
int conga_route_get(struct conga_netlink *netlink, const struct in6_addr *addr, int vrf,
		    conga_route_visitor *visit, void *arg, struct conga_netlink_answer *answer);

#endif /* CONGA_COMMON_ROUTE_H */
