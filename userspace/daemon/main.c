// SPDX-License-Identifier: GPL-2.0
/*
 * congad is the daemon that follows forwarding tables and routes; this is the loop that
 * waits for events. It looks a moment after an event, so that events that arrive
 * together cause one look, and every few seconds, because the kernel removes nexthop
 * objects without an event. No state must survive a restart: each look compares the
 * desired objects with the current ones.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>
#include <conga_version.h>
#include "common/netns.h"
#include "common/status.h"
#include "daemon/clock.h"
#include "daemon/event.h"
#include "daemon/leaf.h"
#include "daemon/log.h"
#include "daemon/options.h"
#include "daemon/sync.h"

#define CONGAD_COALESCE_NS	(50 * CONGAD_NS_PER_MS)
#define CONGAD_RESYNC_NS	(5 * CONGAD_NS_PER_S)

/* At most this fraction of the time is spent on looks. */
#define CONGAD_SHARE		10

struct congad_schedule {
	uint64_t ended;
	uint64_t took;
	uint64_t due;		/* because of an event; 0: there was none */
};

/* Returns true if all objects are as desired. */
static bool congad_main_look(struct congad_schedule *schedule)
{
	uint64_t began = congad_clock_now();
	int failures = 0, err;

	err = congad_sync_look(&failures);
	schedule->ended = congad_clock_now();
	schedule->took = schedule->ended - began;
	schedule->due = 0;
	return !err && !failures;
}

/* The first of several events sets the time. */
static void congad_main_note_event(struct congad_schedule *schedule)
{
	if (!schedule->due)
		schedule->due = congad_clock_now() + CONGAD_COALESCE_NS;
}

/* Returns the earlier of two times; the second may be 0, which means none. */
static uint64_t congad_main_earlier(uint64_t time, uint64_t other)
{
	return other && other < time ? other : time;
}

/* Milliseconds for poll(), rounded up so that it does not spin. */
static int congad_main_time_left(const struct congad_schedule *schedule)
{
	uint64_t due = schedule->ended + CONGAD_RESYNC_NS, now = congad_clock_now();
	uint64_t earliest = schedule->ended + CONGAD_SHARE * schedule->took;

	due = congad_main_earlier(due, congad_leaf_due());
	due = congad_main_earlier(due, schedule->due);
	if (due < earliest)
		due = earliest;
	return due <= now ? 0 : (due - now + CONGAD_NS_PER_MS - 1) / CONGAD_NS_PER_MS;
}

/* Returns false if the daemon must end. */
static bool congad_main_take_signal(int fd, struct congad_schedule *schedule)
{
	struct signalfd_siginfo info;

	if (read(fd, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return true;
	if (info.ssi_signo == SIGHUP)
		schedule->due = congad_clock_now();
	return info.ssi_signo == SIGHUP;
}

/* Returns false if the daemon must end. */
static bool congad_main_wait(int signals, struct congad_schedule *schedule)
{
	struct pollfd fds[] = {
		{ .fd = signals, .events = POLLIN },
		{ .fd = conga_subscription_fd(&congad_event_route), .events = POLLIN },
		{ .fd = conga_subscription_fd(&congad_event_conga), .events = POLLIN },
	};

	if (poll(fds, sizeof(fds) / sizeof(*fds), congad_main_time_left(schedule)) <= 0)
		return true;
	if (fds[1].revents && congad_event_read(&congad_event_route))
		congad_main_note_event(schedule);
	if (fds[2].revents && congad_event_read(&congad_event_conga))
		congad_main_note_event(schedule);
	return !fds[0].revents || congad_main_take_signal(signals, schedule);
}

static int congad_main_loop(int signals)
{
	struct congad_schedule schedule = { 0 };

	congad_main_look(&schedule);
	while (congad_main_wait(signals, &schedule))
		if (!congad_main_time_left(&schedule))
			congad_main_look(&schedule);
	return CONGA_OK;
}

/* Signals are blocked before any change, so that one ends the daemon only between two steps. */
static int congad_main_open_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	if (sigprocmask(SIG_BLOCK, &set, NULL))
		return -1;
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static int congad_main_run(void)
{
	struct congad_schedule schedule = { 0 };
	int signals, status;

	if (congad_event_open())
		return CONGA_REFUSED;
	if (congad_sync_start())
		return CONGA_REFUSED;
	if (congad_options.once)
		return congad_main_look(&schedule) ? CONGA_OK : CONGA_REFUSED;
	signals = congad_main_open_signals();
	if (signals < 0) {
		congad_log_warn("cannot wait for signals: %s", strerror(errno));
		return CONGA_REFUSED;
	}
	status = congad_main_loop(signals);
	close(signals);
	return status;
}

static int congad_main_execute(void)
{
	int status = CONGA_OK;

	if (congad_options.help) {
		congad_options_help();
		return CONGA_OK;
	}
	if (congad_options.version) {
		printf("congad %s\n", CONGA_VERSION);
		return CONGA_OK;
	}
	if (congad_options.netns)
		status = conga_netns_switch(congad_options.netns);
	if (status)
		return status;
	status = congad_main_run();
	congad_event_close();
	congad_sync_stop();
	return status;
}

int main(int argc, char **argv)
{
	int status = congad_options_parse(argc, argv);

	return status ? status : congad_main_execute();
}
