/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Routes: which devices lead to a VTEP, or, on a spine, to any other router.
 *
 * A VTEP's route is asked for as it stands in the table, with all its nexthops, the dead ones
 * included: the link that is down now is an uplink, too.
 */
#ifndef CONGA_DAEMON_ROUTE_H
#define CONGA_DAEMON_ROUTE_H

#include "daemon/view.h"

/* congad_route_read_leaves - leaves and uplinks that are wanted, by the VTEPs; a status */
int congad_route_read_leaves(struct congad_view *view);

/* congad_route_read_spine - ports that are wanted: whatever leads to another router; a status */
int congad_route_read_spine(struct congad_view *view);

#endif /* CONGA_DAEMON_ROUTE_H */
