/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which ports are added, and give way to others.
 *
 * A device that was a nexthop once stays a port, and keeps its LBTag, though it may
 * be no nexthop for a while: a route is short after a link's flap until BGP has
 * filled it up again, and the module leaves out by itself what is no nexthop now.
 * Only where all LBTags are taken does the one that was not used for longest give
 * way. A port whose device is removed goes with it, without us.
 */
#ifndef CONGA_DAEMON_PORT_H
#define CONGA_DAEMON_PORT_H

#include <stdint.h>
#include "daemon/fabric.h"
#include "daemon/view.h"

/**
 * congad_port_follow() - add ports that are wanted, also in the place of others
 * @view: what is wanted
 * @fabric: what there is; ports that are removed are marked as an operator's there
 * @now: nanoseconds, of congad_clock_now()
 * @failures: what the kernel rejected is added to it, and was logged
 * Return: 0, or a positive status if an outcome is unknown.
 */
int congad_port_follow(const struct congad_view *view, const struct congad_fabric *fabric,
		       uint64_t now, int *failures);

/* congad_port_forget - when ports were used last; what was logged of them */
void congad_port_forget(void);

#endif /* CONGA_DAEMON_PORT_H */
