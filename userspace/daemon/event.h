/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the kernel tells by itself. Events only say when to look again, so that one
 * that is lost, as when many come at once, costs nothing but a look.
 */
#ifndef CONGA_DAEMON_EVENT_H
#define CONGA_DAEMON_EVENT_H

#include <stdbool.h>
#include "common/subscription.h"

/* Those of rtnetlink, and those of conga */
extern struct conga_subscription congad_event_route;
extern struct conga_subscription congad_event_conga;

/* congad_event_open - both; 0, or CONGAD_FAILED after it was logged */
int congad_event_open(void);

/* congad_event_join_config - again after the module was loaded again; 0, or a negative code of
 * libnl, as if @group is 0, none
 */
int congad_event_join_config(int group);

/* congad_event_read - all that came; true: look again. An overflow is an event. */
bool congad_event_read(struct conga_subscription *subscription);

void congad_event_close(void);

#endif /* CONGA_DAEMON_EVENT_H */
