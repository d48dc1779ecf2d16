/* SPDX-License-Identifier: GPL-2.0 */
/* A link is a device as rtnetlink reports it: its kind, and the devices above and below. */
#ifndef CONGA_COMMON_LINK_H
#define CONGA_COMMON_LINK_H

#include <net/if.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include "common/netlink.h"

enum conga_link_kind {
	CONGA_LINK_HARDWARE,	/* has no type */
	CONGA_LINK_VIRTUAL,	/* of another type than those below */
	CONGA_LINK_VETH,
	CONGA_LINK_VXLAN,
	CONGA_LINK_VRF,
	CONGA_LINK_BRIDGE,
	CONGA_LINK_GENEVE,
	CONGA_LINK_OPENVSWITCH,	/* an internal port, e.g. the switch's own device */
	CONGA_LINK_LOOPBACK,
};

struct conga_link_vxlan {
	int lower;		/* device that the tunnel is bound to; 0: none */
	uint16_t dstport;	/* UDP, host order */
	bool external;		/* the tunnel is chosen per packet */
	bool gbp;		/* Group Based Policy */
	bool has_local;
	bool has_remote;
	struct in6_addr local;	/* IPv4 mapped, as is the next */
	struct in6_addr remote;	/* or the group */
};

struct conga_link {
	int ifindex;
	enum conga_link_kind kind;
	unsigned int mtu;	/* bytes */
	int master;		/* bond, bridge or VRF that it is part of; 0: none */
	int lower;		/* what e.g. a VLAN lies on, the peer of a veth; 0: none */
	bool running;		/* up, with carrier */
	bool elsewhere;		/* @lower is a number of another network namespace; a tunnel's
				 * packets leave there
				 */
	char name[IFNAMSIZ];
	struct conga_link_vxlan vxlan;	/* of CONGA_LINK_VXLAN */
};

typedef int conga_link_visitor(const struct conga_link *link, void *arg);

/* conga_link_dump - call @visit for each device, in the kernel's order; otherwise as
 * conga_netlink_request(), with a @netlink of NETLINK_ROUTE
 */
int conga_link_dump(struct conga_netlink *netlink, conga_link_visitor *visit, void *arg,
		    struct conga_netlink_answer *answer);

#endif /* CONGA_COMMON_LINK_H */
