// SPDX-License-Identifier: GPL-2.0
/* The run: one epoll loop starts transfers when they are due, and notifies them when data
 * can be sent or received.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "flowgen.h"

#define EVENTS	256
#define TICK_MS	100		/* for the sake of the progress */
#define TELL_NS	(100 * 1000000ULL)

/* The data of an event: a connection's number twice, plus 1 for its receiver. */
#define COOKIE_TIMER	(~0ULL)

double cpu_idle;
atomic_bool interrupted;
__u64 elapsed;
static __u64 t0;
static __u64 limit;		/* ns since the start */
static __u64 armed;		/* what the timer is set to, since the start */
static int epoll_fd, timer_fd;
static sigset_t signals_taken;	/* while the loop waits, and only then */

void clock_look(void)
{
	elapsed = now_ns() - t0;
}

static void timer_arm(__u64 at)
{
	struct itimerspec its = { 0 };

	if (at == armed)
		return;
	its.it_value.tv_sec = (t0 + at) / NSEC_PER_SEC;
	its.it_value.tv_nsec = (t0 + at) % NSEC_PER_SEC;
	if (timerfd_settime(timer_fd, TFD_TIMER_ABSTIME, &its, NULL))
		die(EXIT_RUNTIME, "cannot arm a timer: %s", strerror(errno));
	armed = at;
}

static void arrivals_run(void)
{
	struct flow *f;

	while ((f = queue_first()) && f->arrival_ns <= elapsed) {
		queue_take();
		flow_start(f);
	}
	timer_arm(f && f->arrival_ns < limit ? f->arrival_ns : limit);
}

static void progress(bool last)
{
	static __u64 next;
	bool tty;

	if (opt.quiet || (!last && elapsed < next))
		return;
	tty = isatty(STDERR_FILENO);
	next = elapsed + NSEC_PER_SEC;
	fprintf(stderr, "%s  %5.1f s: %u of %u transfers done, %u open, %.1f MB%s",
		tty ? "\r" : "", elapsed / 1e9, n_done, n_flows, n_started - n_done,
		bytes_received / 1e6, tty && !last ? "   " : "\n");
}

/* Tells how far the run is when the clock was read anyway: reading it once more would change
 * what is simulated.
 */
static void progress_tell(FILE *file)
{
	static __u64 next = TELL_NS;

	if (!file || elapsed < next)
		return;
	next = elapsed - elapsed % TELL_NS + TELL_NS;
	if (fprintf(file, "progress %llu %u %llu\n", elapsed, n_done, bytes_received) < 0 ||
	    fflush(file))
		die(EXIT_RUNTIME, "cannot write \"%s\": %s", opt.progress, strerror(errno));
}

static void event_handle(const struct epoll_event *ev)
{
	struct conn *c;

	if (ev->data.u64 == COOKIE_TIMER) {
		if (elapsed < armed)
			elapsed = armed;
		return;		/* arrivals are run in any case */
	}
	c = &conns[ev->data.u64 / 2];
	if (ev->data.u64 & 1)
		conn_receive(c);
	else
		conn_serve(c, ev->events & EPOLLIN, ev->events & EPOLLOUT);
}

/* No time passes between unblocking a signal and waiting for it. */
static void signals_defer(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, &signals_taken);
}

static void loop_setup(void)
{
	__u32 i;

	signals_defer();
	epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (epoll_fd < 0 || timer_fd < 0)
		die(EXIT_RUNTIME, "cannot make an event loop: %s", strerror(errno));
	epoll_watch(epoll_fd, timer_fd, EPOLLIN | EPOLLET, COOKIE_TIMER);
	for (i = 0; i < n_conns; i++) {
		epoll_watch(epoll_fd, conns[i].tx_fd,
			    EPOLLOUT | EPOLLET | (opt.requests ? EPOLLIN : 0), 2ULL * i);
		epoll_watch(epoll_fd, conns[i].rx_fd, EPOLLIN, 2ULL * i + 1);
	}
}

/* Idle time of all processors since boot, in seconds. */
static double idle_seconds(void)
{
	FILE *uptime = fopen("/proc/uptime", "r");
	double up, idle;

	if (!uptime || fscanf(uptime, "%lf %lf", &up, &idle) != 2)
		die(EXIT_RUNTIME, "cannot read /proc/uptime");
	fclose(uptime);
	return idle;
}

static __u64 limit_ns(void)
{
	__u64 last = 0;
	__u32 i;

	if (opt.limit)
		return opt.limit * NSEC_PER_SEC;
	for (i = 0; i < n_flows; i++)
		if (!flows[i].waits)
			last = flows[i].arrival_ns;
	return last + opt.drain * NSEC_PER_SEC;
}

/* A time limit would read the clock once more; if time is simulated, this read takes time.
 */
static void events_await(void)
{
	struct epoll_event ev[EVENTS];
	int i, n;

	n = epoll_pwait(epoll_fd, ev, EVENTS, opt.quiet ? -1 : TICK_MS, &signals_taken);
	if (n < 0 && errno != EINTR)
		die(EXIT_RUNTIME, "epoll failed: %s", strerror(errno));
	if (n <= 0 || !opt.quiet)
		clock_look();
	for (i = 0; i < n; i++)
		event_handle(&ev[i]);
}

/* Opens a pipe to a program that acts at the same time, and waits for it. */
static FILE *pipe_open(const char *name)
{
	FILE *file;

	if (!name)
		return NULL;
	file = fopen(name, "w");
	if (!file)
		die(EXIT_RUNTIME, "cannot write \"%s\": %s", name, strerror(errno));
	return file;
}

static void begin_tell(FILE *begin)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	if (fprintf(begin, "begin %lld.%09ld\n", (long long)now.tv_sec, now.tv_nsec) < 0 ||
	    fclose(begin))
		die(EXIT_RUNTIME, "cannot write \"%s\": %s", opt.begin, strerror(errno));
}

/* Returns the duration in ns. */
__u64 flows_run(void)
{
	double idle = idle_seconds();
	FILE *begin, *told;

	queue_setup();
	loop_setup();
	limit = limit_ns();
	begin = pipe_open(opt.begin);
	told = pipe_open(opt.progress);
	t0 = now_ns();
	if (begin)
		begin_tell(begin);
	while (n_done < n_flows && elapsed < limit && !interrupted) {
		arrivals_run();
		events_await();
		progress(false);
		progress_tell(told);
	}
	clock_look();
	progress(true);
	if (told)
		fclose(told);
	if (elapsed)
		cpu_idle = (idle_seconds() - idle) * NSEC_PER_SEC / elapsed /
			   sysconf(_SC_NPROCESSORS_ONLN);
	return elapsed;
}
