/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Routes show which devices lead to a VTEP or, on a spine, to any other router. A
 * VTEP's route is read from the table with all its nexthops, including dead ones: a
 * link that is down now is an uplink, too.
 */
#ifndef CONGA_DAEMON_ROUTE_H
#define CONGA_DAEMON_ROUTE_H

#include "daemon/view.h"

/* congad_route_read_leaves - read the wanted leaves and uplinks, by the VTEPs; returns a status */
int congad_route_read_leaves(struct congad_view *view);

/* congad_route_read_spine - read the wanted ports, devices towards other routers; returns a
 * status
 */
int congad_route_read_spine(struct congad_view *view);

#endif /* CONGA_DAEMON_ROUTE_H */
