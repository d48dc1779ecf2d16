// SPDX-License-Identifier: GPL-2.0
/* The run: one epoll loop starts transfers when they are due, feeds the senders
 * and drains the receivers.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "flowgen.h"

#define CHUNK	(256 * 1024)	/* bytes offered to one read or write */
#define EVENTS	64
#define PIECE	(64 * 1024)
#define TICK_MS	100		/* at least so often the deadline is looked at */

/* What an event is about: a connection's number twice, plus 1 for its receiver. */
#define COOKIE_TIMER	(~0ULL)

__u32 n_done;
__u64 bytes_received;
double cpu_idle;
atomic_bool interrupted;
static __u32 n_started;
static __u64 t0;
static int epoll_fd, timer_fd;
static char zeros[CHUNK], sink[CHUNK];

static void conn_send(struct conn *c)
{
	ssize_t n;

	while (c->to_send) {
		n = send(c->tx_fd, zeros, c->to_send < CHUNK ? c->to_send : CHUNK,
			 MSG_NOSIGNAL);
		if (n < 0 && errno == EAGAIN)
			return;
		if (n < 0)
			die(EXIT_RUNTIME, "sending from \"%s\" to \"%s\" failed: %s",
			    c->from->ns, c->to->ns, strerror(errno));
		c->to_send -= n;
	}
}

/* Wake up for the end of the transfer or a good piece of it, not for every packet. */
static void conn_expect(const struct conn *c)
{
	int bytes = c->to_receive < PIECE ? c->to_receive : PIECE;

	if (setsockopt(c->rx_fd, SOL_SOCKET, SO_RCVLOWAT, &bytes, sizeof(bytes)))
		die(EXIT_RUNTIME, "cannot set SO_RCVLOWAT: %s", strerror(errno));
}

static void conn_start_next(struct conn *c)
{
	if (!c->head)
		return;
	c->to_send = c->head->size;
	c->to_receive = c->head->size;
	c->retrans_before = conn_retrans(c);
	conn_expect(c);
	conn_send(c);
}

static void conn_finish(struct conn *c)
{
	struct flow *f = c->head;

	f->fct_ns = now_ns() - t0 - f->arrival_ns;
	f->retrans = conn_retrans(c) - c->retrans_before;
	f->done = true;
	n_done++;
	c->head = f->next;
	conn_start_next(c);
}

/* MSG_TRUNC: the kernel drops the bytes instead of copying them. */
static void conn_receive(struct conn *c)
{
	ssize_t n = recv(c->rx_fd, sink, CHUNK, MSG_TRUNC);

	if (n < 0 && errno == EAGAIN)
		return;
	if (n < 0)
		die(EXIT_RUNTIME, "receiving in \"%s\" failed: %s", c->to->ns,
		    strerror(errno));
	if (n == 0 || (__u64)n > c->to_receive)
		die(EXIT_RUNTIME, "connection from \"%s\" to \"%s\" %s", c->from->ns,
		    c->to->ns, n ? "brought bytes nobody sent" : "was closed");
	bytes_received += n;
	c->to_receive -= n;
	if (c->to_receive)
		conn_expect(c);
	else
		conn_finish(c);
}

static void flow_start(struct flow *f)
{
	struct conn *c = &conns[f->conn];

	if (c->head) {
		c->tail->next = f;
		c->tail = f;
		return;
	}
	c->head = f;
	c->tail = f;
	conn_start_next(c);
}

static void timer_arm(__u64 at)
{
	struct itimerspec its = { 0 };

	its.it_value.tv_sec = at / NSEC_PER_SEC;
	its.it_value.tv_nsec = at % NSEC_PER_SEC;
	if (timerfd_settime(timer_fd, TFD_TIMER_ABSTIME, &its, NULL))
		die(EXIT_RUNTIME, "cannot arm a timer: %s", strerror(errno));
}

static void arrivals_run(__u64 now)
{
	while (n_started < n_flows && t0 + flows[n_started].arrival_ns <= now)
		flow_start(&flows[n_started++]);
	if (n_started < n_flows)
		timer_arm(t0 + flows[n_started].arrival_ns);
}

static void progress(__u64 now, bool last)
{
	static __u64 next;
	bool tty = isatty(STDERR_FILENO);

	if (opt.quiet || (!last && now < next))
		return;
	next = now + NSEC_PER_SEC;
	fprintf(stderr, "%s  %5.1f s: %u of %u transfers done, %u open, %.1f MB%s",
		tty ? "\r" : "", (now - t0) / 1e9, n_done, n_flows, n_started - n_done,
		bytes_received / 1e6, tty && !last ? "   " : "\n");
}

static void event_handle(const struct epoll_event *ev)
{
	struct conn *c;

	if (ev->data.u64 == COOKIE_TIMER)
		return;		/* the timer: arrivals are run in any case */
	c = &conns[ev->data.u64 / 2];
	if (ev->data.u64 & 1)
		conn_receive(c);
	else
		conn_send(c);
}

static void loop_setup(void)
{
	__u32 i;

	epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (epoll_fd < 0 || timer_fd < 0)
		die(EXIT_RUNTIME, "cannot make an event loop: %s", strerror(errno));
	epoll_watch(epoll_fd, timer_fd, EPOLLIN | EPOLLET, COOKIE_TIMER);
	for (i = 0; i < n_conns; i++) {
		epoll_watch(epoll_fd, conns[i].tx_fd, EPOLLOUT | EPOLLET, 2ULL * i);
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

/* Returns how long it took, in ns. */
__u64 flows_run(void)
{
	double idle = idle_seconds();
	struct epoll_event ev[EVENTS];
	__u64 now, end;
	int i, n;

	loop_setup();
	now = now_ns();
	t0 = now;
	end = t0 + flows[n_flows - 1].arrival_ns + opt.drain * NSEC_PER_SEC;
	while (n_done < n_flows && now < end && !interrupted) {
		arrivals_run(now);
		n = epoll_wait(epoll_fd, ev, EVENTS, TICK_MS);
		if (n < 0 && errno != EINTR)
			die(EXIT_RUNTIME, "epoll failed: %s", strerror(errno));
		for (i = 0; i < n; i++)
			event_handle(&ev[i]);
		now = now_ns();
		progress(now, false);
	}
	progress(now, true);
	cpu_idle = (idle_seconds() - idle) * NSEC_PER_SEC / (now - t0) /
		   sysconf(_SC_NPROCESSORS_ONLN);
	return now - t0;
}

