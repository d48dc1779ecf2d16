/* SPDX-License-Identifier: GPL-2.0 */
/* Nexthop objects of a view: of routes, and of forwarding entries (EVPN multihoming). */
#ifndef CONGA_DAEMON_NEXTHOP_H
#define CONGA_DAEMON_NEXTHOP_H

#include "common/nexthop.h"
#include "daemon/view.h"

/* congad_nexthop_read - all nexthop objects into @view; a status */
int congad_nexthop_read(struct congad_view *view);

/* congad_nexthop_walk - calls @visit for the nexthop, or for all of the group; groups are not
 * nested. Ends with the first result that is not 0, and returns it.
 */
int congad_nexthop_walk(const struct congad_view *view, uint32_t id,
			conga_nexthop_visitor *visit, void *arg);

#endif /* CONGA_DAEMON_NEXTHOP_H */
