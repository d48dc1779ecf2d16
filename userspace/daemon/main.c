// SPDX-License-Identifier: GPL-2.0
/*
 * congad: options, and the loop that waits for events.
 *
 * It looks when something happened, a moment later, so that what comes together is
 * looked at together, and every few seconds anyhow, since the kernel removes nexthop
 * objects without a word. daemon.h is the map.
 */
#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>
#include "common/netns.h"
#include "common/status.h"
#include "common/units.h"
#include "daemon/daemon.h"

#define CONGAD_COALESCE_NS	(50 * CONGAD_NS_PER_MS)
#define CONGAD_RESYNC_NS	(5 * CONGAD_NS_PER_S)
#define CONGAD_HOLD_S		60
#define CONGAD_IDLE_S		600

/* Of the time at most one part in so many is spent looking. */
#define CONGAD_SHARE		10

struct congad_options congad_options;

static const char congad_usage[] =
	"Usage: congad [ OPTIONS ]\n"
	"Follows forwarding tables and routes: adds ports and leaves to the fabric.\n"
	"OPTIONS := { -n[etns] NAME | -m[ode] { leaf | spine | auto } | -r[ate] RATE |\n"
	"             -hold SECONDS | -idle SECONDS | -v[erbose] | -1 | -once |\n"
	"             -V[ersion] | -h[elp] }\n"
	"  -m    what this box is; auto: a leaf if it has a vxlan device, else a spine\n"
	"  -r    of links that report no speed\n"
	"  -hold a leaf that no vxlan device forwards to is removed after this (60)\n"
	"  -idle where all LBTags are taken, an uplink that was no nexthop for so long\n"
	"        gives way to another (600)\n"
	"  -1    look once, and exit\n";

static const struct option congad_long_options[] = {
	{ "netns", required_argument, NULL, 'n' },
	{ "mode", required_argument, NULL, 'm' },
	{ "rate", required_argument, NULL, 'r' },
	{ "hold", required_argument, NULL, 'H' },
	{ "idle", required_argument, NULL, 'I' },
	{ "verbose", no_argument, NULL, 'v' },
	{ "once", no_argument, NULL, '1' },
	{ "Version", no_argument, NULL, 'V' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 }
};

struct congad_request {
	const char *netns;
	bool once;
	bool version;
	bool help;
};

struct congad_clock {
	uint64_t ended;
	uint64_t took;
	uint64_t due;		/* because of an event; 0: there was none */
};

static int congad_wrong(const char *option, const char *text, const char *why)
{
	fprintf(stderr, "Error: argument \"%s\" is wrong: %s: %s\n", text, option, why);
	return CONGA_USAGE;
}

static int congad_parse_mode(const char *text)
{
	static const char *const words[] = {
		[CONGAD_MODE_AUTO] = "auto",
		[CONGAD_MODE_LEAF] = "leaf",
		[CONGAD_MODE_SPINE] = "spine",
	};
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (strcmp(words[i], text))
			continue;
		congad_options.mode = i;
		return CONGA_OK;
	}
	return congad_wrong("mode", text, "not leaf, spine or auto");
}

static int congad_parse_rate(const char *text)
{
	const char *why = conga_units_parse_rate(text, &congad_options.rate);

	return why ? congad_wrong("rate", text, why) : CONGA_OK;
}

static int congad_parse_seconds(const char *option, const char *text, unsigned long long *ns)
{
	const char *why = conga_units_parse_integer(text, ns);

	if (!why && __builtin_mul_overflow(*ns, CONGAD_NS_PER_S, ns))
		why = "too large";
	return why ? congad_wrong(option, text, why) : CONGA_OK;
}

static int congad_take(int letter, struct congad_request *request)
{
	switch (letter) {
	case 'n':
		request->netns = optarg;
		return CONGA_OK;
	case 'm':
		return congad_parse_mode(optarg);
	case 'r':
		return congad_parse_rate(optarg);
	case 'H':
		return congad_parse_seconds("hold", optarg, &congad_options.hold_ns);
	case 'I':
		return congad_parse_seconds("idle", optarg, &congad_options.idle_ns);
	case 'v':
		congad_options.verbose = true;
		return CONGA_OK;
	case '1':
		request->once = true;
		return CONGA_OK;
	case 'V':
		request->version = true;
		return CONGA_OK;
	case 'h':
		request->help = true;
		return CONGA_OK;
	}
	fputs(congad_usage, stderr);
	return CONGA_USAGE;
}

static int congad_parse(int argc, char **argv, struct congad_request *request)
{
	int status = CONGA_OK, letter;

	congad_options.hold_ns = CONGAD_HOLD_S * CONGAD_NS_PER_S;
	congad_options.idle_ns = CONGAD_IDLE_S * CONGAD_NS_PER_S;
	while (!status) {
		letter = getopt_long_only(argc, argv, "n:m:r:v1Vh", congad_long_options, NULL);
		if (letter < 0)
			break;
		status = congad_take(letter, request);
	}
	if (!status && optind < argc) {
		fprintf(stderr, "Error: argument \"%s\" is unknown\n%s", argv[optind],
			congad_usage);
		status = CONGA_USAGE;
	}
	return status;
}

/* Returns true if all is as it should be. */
static bool congad_look(struct congad_clock *clock)
{
	uint64_t began = congad_sync_now();
	int failures = 0, err;

	err = congad_sync(&failures);
	clock->ended = congad_sync_now();
	clock->took = clock->ended - began;
	clock->due = 0;
	return !err && !failures;
}

/* The first event of several sets the time. */
static void congad_note_event(struct congad_clock *clock)
{
	if (!clock->due)
		clock->due = congad_sync_now() + CONGAD_COALESCE_NS;
}

/* Of two times, of which the second may be none. */
static uint64_t congad_earlier(uint64_t time, uint64_t other)
{
	return other && other < time ? other : time;
}

/* Milliseconds for poll(), rounded up so that it does not spin. */
static int congad_time_left(const struct congad_clock *clock)
{
	uint64_t due = clock->ended + CONGAD_RESYNC_NS, now = congad_sync_now();
	uint64_t earliest = clock->ended + CONGAD_SHARE * clock->took;

	due = congad_earlier(due, congad_leaf_due());
	due = congad_earlier(due, clock->due);
	if (due < earliest)
		due = earliest;
	return due <= now ? 0 : (due - now + CONGAD_NS_PER_MS - 1) / CONGAD_NS_PER_MS;
}

/* Returns false if we are to end. */
static bool congad_take_signal(int fd, struct congad_clock *clock)
{
	struct signalfd_siginfo info;

	if (read(fd, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return true;
	if (info.ssi_signo == SIGHUP)
		clock->due = congad_sync_now();
	return info.ssi_signo == SIGHUP;
}

/* Returns false if we are to end. */
static bool congad_wait(int signals, struct congad_clock *clock)
{
	struct pollfd fds[] = {
		{ .fd = signals, .events = POLLIN },
		{ .fd = congad_event_fd_route(), .events = POLLIN },
		{ .fd = congad_event_fd_conga(), .events = POLLIN },
	};

	if (poll(fds, sizeof(fds) / sizeof(*fds), congad_time_left(clock)) <= 0)
		return true;
	if (fds[1].revents && congad_event_read(fds[1].fd))
		congad_note_event(clock);
	if (fds[2].revents && congad_event_read(fds[2].fd))
		congad_note_event(clock);
	return !fds[0].revents || congad_take_signal(signals, clock);
}

static int congad_loop(int signals)
{
	struct congad_clock clock = { 0 };

	congad_look(&clock);
	while (congad_wait(signals, &clock))
		if (!congad_time_left(&clock))
			congad_look(&clock);
	return CONGA_OK;
}

/* Before anything is made, so that a signal ends us between two steps only. */
static int congad_open_signals(void)
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

static int congad_run(bool once)
{
	struct congad_clock clock = { 0 };
	int signals, status;

	if (congad_event_open())
		return CONGA_REFUSED;
	if (congad_sync_start())
		return CONGA_REFUSED;
	if (once)
		return congad_look(&clock) ? CONGA_OK : CONGA_REFUSED;
	signals = congad_open_signals();
	if (signals < 0) {
		congad_log_warn("cannot wait for signals: %s", strerror(errno));
		return CONGA_REFUSED;
	}
	status = congad_loop(signals);
	close(signals);
	return status;
}

static int congad_execute(const struct congad_request *request)
{
	int status = CONGA_OK;

	if (request->help) {
		fputs(congad_usage, stdout);
		return CONGA_OK;
	}
	if (request->version) {
		printf("congad %s\n", CONGA_TOOL_VERSION);
		return CONGA_OK;
	}
	if (request->netns)
		status = conga_netns_switch(request->netns);
	if (status)
		return status;
	status = congad_run(request->once);
	congad_event_close();
	congad_sync_stop();
	return status;
}

int main(int argc, char **argv)
{
	struct congad_request request = { 0 };
	int status = congad_parse(argc, argv, &request);

	return status ? status : congad_execute(&request);
}
