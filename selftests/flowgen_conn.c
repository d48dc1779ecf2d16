// SPDX-License-Identifier: GPL-2.0
/* Connections between namespaces, all open before the first transfer. */
#include <errno.h>
#include <fcntl.h>
#include <linux/tcp.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "flowgen.h"

#define PORT		"5001"
#define CONNECT_SECONDS	20
#define EVENTS		64
#define WAIT_MS		1000	/* at least so often the deadline is looked at */

struct conn *conns;
__u32 n_conns;

/* For good: what follows opens sockets only, and a socket stays where it was made. */
static void enter(const struct host *h)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "/run/netns/%s", h->ns);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		die(EXIT_RUNTIME, "cannot open network namespace \"%s\": %s",
		    h->ns, strerror(errno));
	if (setns(fd, CLONE_NEWNET))
		die(EXIT_RUNTIME, "cannot use network namespace \"%s\": %s",
		    h->ns, strerror(errno));
	close(fd);
}

void host_resolve(struct host *h)
{
	struct addrinfo hints = {
		.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV,
		.ai_socktype = SOCK_STREAM,
	};
	struct addrinfo *ai;
	int err;

	err = getaddrinfo(h->addr, PORT, &hints, &ai);
	if (err)
		die(EXIT_USAGE, "\"%s\" is not an IP address: %s", h->addr,
		    gai_strerror(err));
	memcpy(&h->sa, ai->ai_addr, ai->ai_addrlen);
	h->sa_len = ai->ai_addrlen;
	freeaddrinfo(ai);
}

static int socket_open(const struct host *h)
{
	int fd = socket(h->sa.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		die(EXIT_RUNTIME, "cannot open a socket in \"%s\": %s", h->ns,
		    strerror(errno));
	return fd;
}

void epoll_watch(int epoll_fd, int fd, __u32 events, __u64 cookie)
{
	struct epoll_event ev = { .events = events, .data.u64 = cookie };

	if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &ev))
		die(EXIT_RUNTIME, "epoll refuses a socket: %s", strerror(errno));
}

static void host_listen(struct host *h)
{
	int one = 1;

	enter(h);
	h->listener = socket_open(h);
	setsockopt(h->listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(h->listener, (void *)&h->sa, h->sa_len) ||
	    listen(h->listener, SOMAXCONN))
		die(EXIT_RUNTIME, "cannot listen on %s in \"%s\": %s", h->addr,
		    h->ns, strerror(errno));
}

static void conn_open(struct conn *c, const struct host *a, const struct host *b)
{
	c->from = a;
	c->to = b;
	c->rx_fd = -1;
	c->tx_fd = socket_open(a);
	if (connect(c->tx_fd, (const void *)&b->sa, b->sa_len) && errno != EINPROGRESS)
		die(EXIT_RUNTIME, "cannot connect from \"%s\" to %s: %s", a->ns,
		    b->addr, strerror(errno));
}

static bool same_address(const struct sockaddr_storage *a,
			 const struct sockaddr_storage *b)
{
	const struct sockaddr_in6 *a6 = (const void *)a, *b6 = (const void *)b;
	const struct sockaddr_in *a4 = (const void *)a, *b4 = (const void *)b;

	if (a->ss_family != b->ss_family)
		return false;
	if (a->ss_family == AF_INET)
		return a4->sin_port == b4->sin_port &&
		       a4->sin_addr.s_addr == b4->sin_addr.s_addr;
	return a6->sin6_port == b6->sin6_port &&
	       !memcmp(&a6->sin6_addr, &b6->sin6_addr, sizeof(a6->sin6_addr));
}

/* Both ends are ours: the accepted socket's peer names the connection. */
static void conn_match(const struct host *h, int fd, const struct sockaddr_storage *peer)
{
	struct sockaddr_storage local;
	socklen_t len;
	__u32 i;

	for (i = 0; i < n_conns; i++) {
		if (conns[i].to != h || conns[i].rx_fd >= 0)
			continue;
		len = sizeof(local);
		if (getsockname(conns[i].tx_fd, (void *)&local, &len) ||
		    !same_address(&local, peer))
			continue;
		conns[i].rx_fd = fd;
		return;
	}
	die(EXIT_RUNTIME, "a stranger connected to %s in \"%s\"", h->addr, h->ns);
}

static __u32 host_accept(const struct host *h)
{
	struct sockaddr_storage peer;
	socklen_t len = sizeof(peer);
	__u32 count = 0;
	int fd;

	while ((fd = accept4(h->listener, (void *)&peer, &len,
			     SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
		conn_match(h, fd, &peer);
		count++;
		len = sizeof(peer);
	}
	if (errno != EAGAIN)
		die(EXIT_RUNTIME, "cannot accept in \"%s\": %s", h->ns, strerror(errno));
	return count;
}

static void host_connect(const struct host *a, const struct host *b, __u32 first)
{
	__u32 k;

	for (k = 0; k < opt.per_pair; k++)
		conn_open(&conns[first + k], a, b);
}

static void hosts_connect(struct host *a, __u32 n_a, struct host *b, __u32 n_b, bool back)
{
	__u32 i, j;

	for (i = 0; i < n_a; i++) {
		enter(&a[i]);
		for (j = 0; j < n_b; j++)
			host_connect(&a[i], &b[j], back ? conn_index(true, j, i, 0) :
							  conn_index(false, i, j, 0));
	}
}

static void listeners_open(int epoll_fd, struct host *h, __u32 n)
{
	__u32 i;

	for (i = 0; i < n; i++) {
		host_listen(&h[i]);
		epoll_watch(epoll_fd, h[i].listener, EPOLLIN, (uintptr_t)&h[i]);
	}
}

static void listeners_close(struct host *h, __u32 n)
{
	while (n--)
		close(h[n].listener);
}

static void conns_accept(int epoll_fd)
{
	__u64 deadline = now_ns() + CONNECT_SECONDS * NSEC_PER_SEC;
	struct epoll_event ev[EVENTS];
	__u32 accepted = 0;
	int i, n;

	while (accepted < n_conns && !interrupted) {
		n = epoll_wait(epoll_fd, ev, EVENTS, WAIT_MS);
		for (i = 0; i < n; i++)
			accepted += host_accept((void *)(uintptr_t)ev[i].data.u64);
		if (now_ns() > deadline)
			die(EXIT_RUNTIME, "only %u of %u connections came up in %d s",
			    accepted, n_conns, CONNECT_SECONDS);
	}
}

void conns_setup(void)
{
	int epoll_fd = epoll_create1(EPOLL_CLOEXEC);

	conns = calloc(n_conns, sizeof(*conns));
	if (epoll_fd < 0 || !conns)
		die(EXIT_RUNTIME, "cannot prepare %u connections: %s", n_conns,
		    strerror(errno));
	listeners_open(epoll_fd, to, n_to);
	if (opt.both_ways)
		listeners_open(epoll_fd, from, n_from);
	hosts_connect(from, n_from, to, n_to, false);
	if (opt.both_ways)
		hosts_connect(to, n_to, from, n_from, true);
	conns_accept(epoll_fd);
	listeners_close(to, n_to);
	if (opt.both_ways)
		listeners_close(from, n_from);
	close(epoll_fd);
}

__u32 conn_retrans(const struct conn *c)
{
	struct tcp_info info = { 0 };
	socklen_t len = sizeof(info);

	if (getsockopt(c->tx_fd, IPPROTO_TCP, TCP_INFO, &info, &len))
		die(EXIT_RUNTIME, "cannot read TCP_INFO: %s", strerror(errno));
	return info.tcpi_total_retrans;
}
