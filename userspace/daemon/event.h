/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel sends events, which only trigger a look. A lost event, as when many arrive
 * at once, costs nothing but a look.
 */
#ifndef CONGA_DAEMON_EVENT_H
#define CONGA_DAEMON_EVENT_H

#include <stdbool.h>
#include "common/subscription.h"

/* There are events of rtnetlink, and those of conga. */
extern struct conga_subscription congad_event_route;
extern struct conga_subscription congad_event_conga;

/* congad_event_open - open both sockets; returns 0, or CONGAD_FAILED after it was logged */
int congad_event_open(void);

/* congad_event_join_config - join the group again after the module was reloaded; returns 0, or a
 * negative code of libnl, also if @group is 0 (there is none)
 */
int congad_event_join_config(int group);

/* congad_event_read - read all waiting events; returns true if another look is needed. An
 * overflow is an event.
 */
bool congad_event_read(struct conga_subscription *subscription);

void congad_event_close(void);

#endif /* CONGA_DAEMON_EVENT_H */
