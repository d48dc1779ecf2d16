/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The daemon adds the leaves that a vxlan device forwards to, and removes them some
 * time after, because BGP withdraws a VTEP and announces it again.
 */
#ifndef CONGA_DAEMON_LEAF_H
#define CONGA_DAEMON_LEAF_H

#include <stdint.h>
#include "daemon/fabric.h"
#include "daemon/view.h"

/**
 * congad_leaf_follow() - add leaves that are wanted, remove those that were not for long
 * @view: what is wanted
 * @fabric: what there is
 * @now: nanoseconds, of congad_clock_now()
 * @failures: what the kernel rejected is added to it, and was logged
 * Return: 0, or a positive status if an outcome is unknown.
 */
int congad_leaf_follow(const struct congad_view *view, const struct congad_fabric *fabric,
		       uint64_t now, int *failures);

/* congad_leaf_due - when the next look without an event is due, in ns; 0: never */
uint64_t congad_leaf_due(void);

/* congad_leaf_forget - forget since when leaves are not wanted, and which messages were logged */
void congad_leaf_forget(void);

#endif /* CONGA_DAEMON_LEAF_H */
