/* SPDX-License-Identifier: GPL-2.0 */
/* A view has what one look has found. */
#ifndef CONGA_DAEMON_VIEW_H
#define CONGA_DAEMON_VIEW_H

#include <netinet/in.h>
#include <stdbool.h>
#include <linux/conga.h>
#include "common/array.h"

struct congad_vtep {
	struct in6_addr addr;	/* first; IPv4 mapped, as are the others */
	int vrf;		/* the VRF whose routes lead there; 0: the main ones */
	int vxlan;		/* a device that forwards to it; 0: an operator's leaf */
};

struct congad_wanted_leaf {
	struct in6_addr addr;	/* first */
	int vxlan;
};

struct congad_wanted_port {
	int ifindex;
	struct in6_addr leaf;	/* it leads there; unspecified on a spine */
};

/* A vxlan device whose forwarding table has a VTEP, or refers to one */
struct congad_source {
	int ifindex;
};

/* Arrays are sorted after they were read. */
struct congad_view {
	struct conga_array links;	/* struct conga_link, by ifindex */
	struct conga_array nexthops;	/* struct conga_nexthop, by id and member */
	struct conga_array vteps;	/* by address and VRF */
	struct conga_array leaves;	/* wanted, by address */
	struct conga_array ports;	/* wanted, by ifindex */
	struct conga_array bridges;	/* would be wanted ports, by ifindex */
	struct conga_array sources;	/* vxlan devices that forward to a VTEP, by ifindex */
	enum conga_role role;		/* of the ports */
};

void congad_view_setup(struct congad_view *view);
void congad_view_clean(struct congad_view *view);

/* congad_view_has_vxlan - does a device exist whose packets leave in this network namespace? */
bool congad_view_has_vxlan(const struct congad_view *view);

#endif /* CONGA_DAEMON_VIEW_H */
