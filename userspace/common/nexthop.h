/* SPDX-License-Identifier: GPL-2.0 */
/* These functions read nexthop objects and their groups. */
#ifndef CONGA_COMMON_NEXTHOP_H
#define CONGA_COMMON_NEXTHOP_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include "common/netlink.h"

struct conga_nexthop {
	uint32_t id;
	uint32_t member;	/* id of a member of the group; 0: not a group */
	int ifindex;		/* 0: none, as of a group and of a blackhole */
	bool has_gateway;
	struct in6_addr gateway;	/* IPv4 mapped */
};

typedef int conga_nexthop_visitor(const struct conga_nexthop *nexthop, void *arg);

/* conga_nexthop_dump - call @visit for each object, and for each member of a group; otherwise as
 * conga_netlink_request(), with a @netlink of NETLINK_ROUTE
 */
int conga_nexthop_dump(struct conga_netlink *netlink, conga_nexthop_visitor *visit, void *arg,
		       struct conga_netlink_answer *answer);

#endif /* CONGA_COMMON_NEXTHOP_H */
