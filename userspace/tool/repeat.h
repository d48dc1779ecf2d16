/* SPDX-License-Identifier: GPL-2.0 */
/* What is told again and again, until a signal. */
#ifndef CONGA_TOOL_REPEAT_H
#define CONGA_TOOL_REPEAT_H

#include <signal.h>
#include <stdbool.h>

/* Between these two signals only end what repeats. */
void conga_repeat_begin(void);
void conga_repeat_end(void);

/* conga_repeat_goes_on - no signal came, and what is written is read */
bool conga_repeat_goes_on(void);

/* conga_repeat_is_on - it was begun, and goes on */
bool conga_repeat_is_on(void);

/* conga_repeat_pause - until so many ms are over, or a signal comes */
void conga_repeat_pause(int ms);

/* conga_repeat_mask - the signals that are blocked while something is waited for */
const sigset_t *conga_repeat_mask(void);

/* conga_repeat_wait - until it is time again, or a signal comes, or @fd, if it is not negative,
 * can be read; true if it is time
 */
bool conga_repeat_wait(int fd);

/* conga_repeat_print_time - with -t, before a line */
void conga_repeat_print_time(void);

/* conga_repeat_now - nanoseconds, monotonic */
unsigned long long conga_repeat_now(void);

#endif /* CONGA_TOOL_REPEAT_H */
