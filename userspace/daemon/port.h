/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The daemon adds ports, and replaces idle ones. A device that was a nexthop once stays
 * a port, and keeps its LBTag, even while it is no nexthop: a route is short after a
 * link's flap until BGP has completed it, and the module leaves out current
 * non-nexthops by itself. Only when no LBTag is free, the uplink that was unused for
 * longest is replaced. A port is removed with its device, without the daemon.
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

/* congad_port_forget - forget when ports were used last, and which messages were logged */
void congad_port_forget(void);

#endif /* CONGA_DAEMON_PORT_H */
