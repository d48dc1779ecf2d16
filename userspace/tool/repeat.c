// SPDX-License-Identifier: GPL-2.0
/*
 * Output is repeated until a signal arrives. Signals are handled only during waits, so
 * that no line is cut and the terminal is always restored.
 */
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include "tool/options.h"
#include "tool/print.h"
#include "tool/repeat.h"

#define CONGA_REPEAT_NS_PER_S	1000000000ULL
#define CONGA_REPEAT_NS_PER_MS	1000000
#define CONGA_REPEAT_NS_PER_US	1000
#define CONGA_REPEAT_MS_PER_S	1000

#define CONGA_REPEAT_DATE_MAX	64
#define CONGA_REPEAT_STAMP_MAX	(CONGA_REPEAT_DATE_MAX + 16)

static const int conga_repeat_signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

#define CONGA_REPEAT_SIGNALS	(sizeof(conga_repeat_signals) / sizeof(*conga_repeat_signals))

static bool conga_repeat_begun;
static atomic_bool conga_repeat_stopped;
static struct sigaction conga_repeat_old[CONGA_REPEAT_SIGNALS];
static sigset_t conga_repeat_old_mask;
static unsigned long long conga_repeat_due;	/* ns */

unsigned long long conga_repeat_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * CONGA_REPEAT_NS_PER_S + now.tv_nsec;
}

static void conga_repeat_on_signal(int number)
{
	(void)number;
	conga_repeat_stopped = true;
}

void conga_repeat_begin(void)
{
	struct sigaction stop = { .sa_handler = conga_repeat_on_signal };
	sigset_t block;
	size_t i;

	conga_repeat_begun = true;
	conga_repeat_stopped = false;
	conga_repeat_due = conga_repeat_now() + conga_options.interval;
	sigemptyset(&block);
	for (i = 0; i < CONGA_REPEAT_SIGNALS; i++)
		sigaddset(&block, conga_repeat_signals[i]);
	sigprocmask(SIG_BLOCK, &block, &conga_repeat_old_mask);
	for (i = 0; i < CONGA_REPEAT_SIGNALS; i++)
		sigaction(conga_repeat_signals[i], &stop, &conga_repeat_old[i]);
}

void conga_repeat_end(void)
{
	size_t i;

	for (i = 0; i < CONGA_REPEAT_SIGNALS; i++)
		sigaction(conga_repeat_signals[i], &conga_repeat_old[i], NULL);
	sigprocmask(SIG_SETMASK, &conga_repeat_old_mask, NULL);
	conga_repeat_begun = false;
}

/* Output stops also when the reader has closed the pipe. */
bool conga_repeat_goes_on(void)
{
	return !conga_repeat_stopped && !ferror(stdout);
}

/* Returns true if output repeats and no signal has ended it. */
bool conga_repeat_is_on(void)
{
	return conga_repeat_begun && conga_repeat_goes_on();
}

/* Waits so many ms, or until a signal arrives. */
void conga_repeat_pause(int ms)
{
	struct timespec timeout = {
		.tv_sec = ms / CONGA_REPEAT_MS_PER_S,
		.tv_nsec = ms % CONGA_REPEAT_MS_PER_S * CONGA_REPEAT_NS_PER_MS,
	};

	ppoll(NULL, 0, &timeout, conga_repeat_begun ? &conga_repeat_old_mask : NULL);
}

/* These signals may arrive during a wait. */
const sigset_t *conga_repeat_mask(void)
{
	return &conga_repeat_old_mask;
}

/* Waits for the next interval, a signal, or input on @fd unless it is negative. Returns true if
 * the interval is over.
 */
bool conga_repeat_wait(int fd)
{
	struct pollfd input = { .fd = fd, .events = POLLIN };
	unsigned long long now = conga_repeat_now(), left;
	struct timespec timeout;

	left = conga_repeat_due > now ? conga_repeat_due - now : 0;
	timeout.tv_sec = left / CONGA_REPEAT_NS_PER_S;
	timeout.tv_nsec = left % CONGA_REPEAT_NS_PER_S;
	ppoll(&input, 1, &timeout, &conga_repeat_old_mask);
	now = conga_repeat_now();
	if (now < conga_repeat_due)
		return false;
	/* Missed intervals, as after a stopped process, are skipped. */
	conga_repeat_due += conga_options.interval;
	if (conga_repeat_due < now)
		conga_repeat_due = now + conga_options.interval;
	return true;
}

/* Prints the time before a line, with -t. */
void conga_repeat_print_time(void)
{
	char date[CONGA_REPEAT_DATE_MAX], stamp[CONGA_REPEAT_STAMP_MAX];
	struct timespec now;
	struct tm local;

	if (!conga_options.timestamps)
		return;
	clock_gettime(CLOCK_REALTIME, &now);
	localtime_r(&now.tv_sec, &local);
	strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &local);
	snprintf(stamp, sizeof(stamp), "[%s.%06u]", date,
		 (unsigned int)now.tv_nsec / CONGA_REPEAT_NS_PER_US);
	conga_print_text(stamp);
	conga_print_number("time_ns", NULL, now.tv_sec * CONGA_REPEAT_NS_PER_S + now.tv_nsec);
}
