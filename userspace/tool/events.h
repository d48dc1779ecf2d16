/* SPDX-License-Identifier: GPL-2.0 */
/* The module sends events. */
#ifndef CONGA_TOOL_EVENTS_H
#define CONGA_TOOL_EVENTS_H

#include <signal.h>
#include <netlink/msg.h>
#include "common/subscription.h"

/* conga_events_open - subscribe to events; returns a status */
int conga_events_open(void);

/* conga_events_read - read some waiting events without blocking; an error has been printed */
enum conga_subscription_result conga_events_read(void (*handle)(struct nl_msg *event));

/* conga_events_wait - wait for an event, or a signal that is not in @mask; returns a status */
int conga_events_wait(const sigset_t *mask);

void conga_events_close(void);

#endif /* CONGA_TOOL_EVENTS_H */
