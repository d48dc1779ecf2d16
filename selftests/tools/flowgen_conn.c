// SPDX-License-Identifier: GPL-2.0
/* Connections between namespaces, all open before the first transfer. */
#include <errno.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "flowgen.h"

#define CONNECT_SECONDS	20
#define EVENTS		64
#define WAIT_MS		1000	/* at least so often the deadline is looked at */

struct conn *conns;
__u32 n_conns;

static __u32 *slots;		/* by hash of the sender's end: a connection's number
				 * plus 1, or 0
				 */
static __u32 slots_mask;

static struct end end_of(const struct sockaddr_storage *sa)
{
	const struct sockaddr_in6 *a6 = (const void *)sa;
	const struct sockaddr_in *a4 = (const void *)sa;
	struct end end = { 0 };

	if (sa->ss_family == AF_INET) {
		memcpy(end.addr, &a4->sin_addr, sizeof(a4->sin_addr));
		memcpy(end.port, &a4->sin_port, sizeof(end.port));
	} else {
		memcpy(end.addr, &a6->sin6_addr, sizeof(end.addr));
		memcpy(end.port, &a6->sin6_port, sizeof(end.port));
	}
	return end;
}

/* FNV-1a */
static __u32 end_hash(const struct end *end)
{
	const __u8 *byte = (const void *)end;
	__u32 hash = 2166136261U;
	size_t i;

	for (i = 0; i < sizeof(*end); i++)
		hash = (hash ^ byte[i]) * 16777619U;
	return hash ^ hash >> 16;
}

/* Both ends are in this process: the accepted socket's peer names the connection. Returns
 * the place of the connection to this host with that other end, or the place where it must
 * be added.
 */
static __u32 *slot_find(const struct host *h, const struct end *end)
{
	__u32 i = end_hash(end) & slots_mask;
	const struct conn *c;

	for (; slots[i]; i = (i + 1) & slots_mask) {
		c = &conns[slots[i] - 1];
		if (c->to == h && !memcmp(&c->end, end, sizeof(*end)))
			break;
	}
	return &slots[i];
}

static void slots_setup(void)
{
	for (slots_mask = 1; slots_mask < 2 * n_conns; slots_mask = 2 * slots_mask + 1)
		;
	slots = calloc(slots_mask + 1, sizeof(*slots));
	if (!slots)
		die(EXIT_RUNTIME, "no memory for %u connections", n_conns);
}

static void conn_open(struct conn *c)
{
	struct sockaddr_storage local;
	socklen_t len = sizeof(local);

	c->rx_fd = -1;
	c->lowat = 1;		/* the kernel's default */
	c->tx_fd = socket_open(c->from);
	if (connect(c->tx_fd, (const void *)&c->to->sa, c->to->sa_len) &&
	    errno != EINPROGRESS)
		die(EXIT_RUNTIME, "cannot connect from \"%s\" to %s: %s", c->from->ns,
		    c->to->addr, strerror(errno));
	if (getsockname(c->tx_fd, (void *)&local, &len))
		die(EXIT_RUNTIME, "a connection from \"%s\" has no address: %s",
		    c->from->ns, strerror(errno));
	c->end = end_of(&local);
	*slot_find(c->to, &c->end) = c - conns + 1;
}

static void conn_match(const struct host *h, int fd, const struct sockaddr_storage *peer)
{
	const struct end end = end_of(peer);
	__u32 slot = *slot_find(h, &end);

	if (!slot || conns[slot - 1].rx_fd >= 0)
		die(EXIT_RUNTIME, "a stranger connected to %s in \"%s\"", h->addr, h->ns);
	conns[slot - 1].rx_fd = fd;
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

/* conns_accept - accepts until the requested number is reached */
static void conns_accept(int epoll_fd, __u32 wanted)
{
	__u64 deadline = now_ns() + CONNECT_SECONDS * NSEC_PER_SEC;
	struct epoll_event ev[EVENTS];
	static __u32 accepted;
	int i, n;

	while (accepted < wanted && !interrupted) {
		n = epoll_wait(epoll_fd, ev, EVENTS, WAIT_MS);
		for (i = 0; i < n; i++)
			accepted += host_accept((void *)(uintptr_t)ev[i].data.u64);
		if (now_ns() > deadline)
			die(EXIT_RUNTIME, "only %u of %u connections came up in %d s",
			    accepted, n_conns, CONNECT_SECONDS);
	}
}

static int compare_from(const void *a, const void *b)
{
	const struct conn *x = &conns[*(const __u32 *)a], *y = &conns[*(const __u32 *)b];

	if (x->from != y->from)
		return (x->from > y->from) - (x->from < y->from);
	return (x > y) - (x < y);
}

/* Connects one sender after the other, because of setns(), and waits until each is
 * connected: thousands of SYNs at once would be too many for a listener's queue.
 */
static void conns_open(int epoll_fd)
{
	__u32 *order = calloc(n_conns, sizeof(*order)), i;
	const struct host *at = NULL;
	struct conn *c;

	if (!order)
		die(EXIT_RUNTIME, "no memory for %u connections", n_conns);
	for (i = 0; i < n_conns; i++)
		order[i] = i;
	qsort(order, n_conns, sizeof(*order), compare_from);
	for (i = 0; i < n_conns && !interrupted; i++) {
		c = &conns[order[i]];
		if (c->from != at) {
			conns_accept(epoll_fd, i);
			host_enter(c->from);
		}
		at = c->from;
		conn_open(c);
	}
	conns_accept(epoll_fd, n_conns);
	free(order);
}

static void listeners_open(int epoll_fd)
{
	struct host *h;
	__u32 i;

	for (i = 0; i < n_conns; i++) {
		h = conns[i].to;
		if (h->listener >= 0)
			continue;
		host_listen(h);
		epoll_watch(epoll_fd, h->listener, EPOLLIN, (uintptr_t)h);
	}
}

static void listeners_close(void)
{
	__u32 i;

	for (i = 0; i < n_conns; i++) {
		if (conns[i].to->listener >= 0)
			close(conns[i].to->listener);
		conns[i].to->listener = -1;
	}
}

void conns_alloc(__u64 count)
{
	if (count > MAX_CONNS)
		die(EXIT_USAGE, "%llu connections are more than %d", count, MAX_CONNS);
	n_conns = count;
	conns = calloc(n_conns, sizeof(*conns));
	if (!conns)
		die(EXIT_RUNTIME, "no memory for %u connections", n_conns);
}

void conns_setup(void)
{
	int epoll_fd;

	files_allow(2 * n_conns + n_from + n_to + n_hosts);
	epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (epoll_fd < 0)
		die(EXIT_RUNTIME, "cannot prepare connections: %s", strerror(errno));
	slots_setup();
	listeners_open(epoll_fd);
	conns_open(epoll_fd);
	if (opt.mptcp)
		subflows_open();	/* to a port that listens, still */
	listeners_close();
	free(slots);
	close(epoll_fd);
	if (interrupted)
		die(EXIT_RUNTIME, "interrupted");
}
