/* SPDX-License-Identifier: GPL-2.0 */
/* A view has nexthop objects, of routes and of forwarding entries (EVPN multihoming). */
#ifndef CONGA_DAEMON_NEXTHOP_H
#define CONGA_DAEMON_NEXTHOP_H

#include "common/nexthop.h"
#include "daemon/view.h"

/* congad_nexthop_read - read all nexthop objects into @view; returns a status */
int congad_nexthop_read(struct congad_view *view);

/* congad_nexthop_walk - call @visit for the nexthop, or for all members of the group; groups are
 * not nested. Ends with the first result other than 0, and returns it.
 */
int congad_nexthop_walk(const struct congad_view *view, uint32_t id,
			conga_nexthop_visitor *visit, void *arg);

#endif /* CONGA_DAEMON_NEXTHOP_H */
