/* SPDX-License-Identifier: GPL-2.0 */
/* Output is repeated until a signal arrives. */
#ifndef CONGA_TOOL_REPEAT_H
#define CONGA_TOOL_REPEAT_H

#include <signal.h>
#include <stdbool.h>

/* Between these two calls signals end only repeated output. */
void conga_repeat_begin(void);
void conga_repeat_end(void);

/* conga_repeat_goes_on - has no signal arrived, and is the output read? */
bool conga_repeat_goes_on(void);

/* conga_repeat_is_on - was repetition begun, and does it go on? */
bool conga_repeat_is_on(void);

/* conga_repeat_pause - wait so many ms, or until a signal arrives */
void conga_repeat_pause(int ms);

/* conga_repeat_mask - the signals that are blocked except during waits */
const sigset_t *conga_repeat_mask(void);

/* conga_repeat_wait - wait for the next interval, a signal, or input on @fd unless it is
 * negative; returns true if the interval is over
 */
bool conga_repeat_wait(int fd);

/* conga_repeat_print_time - print the time before a line, with -t */
void conga_repeat_print_time(void);

/* conga_repeat_now - nanoseconds, monotonic */
unsigned long long conga_repeat_now(void);

#endif /* CONGA_TOOL_REPEAT_H */
