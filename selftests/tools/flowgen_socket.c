// SPDX-License-Identifier: GPL-2.0
/* Sockets in namespaces, with the requested options. */
#include <errno.h>
#include <fcntl.h>
#include <linux/tcp.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

#include "flowgen.h"

#ifndef IPPROTO_MPTCP
#define IPPROTO_MPTCP	262
#endif

#define PORT		"5001"
#define CONGESTION_NAME	15	/* characters, in the kernel */
#define FILES_BESIDE	32	/* open files that are no sockets */

/* Enters the namespace for good: later calls only open sockets, and a socket stays in its
 * namespace.
 */
void host_enter(const struct host *h)
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

static int socket_try(int family)
{
	return socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC,
		      opt.mptcp ? IPPROTO_MPTCP : 0);
}

/* The kernel would truncate a name that is too long, and accept the rest. */
static int congestion_set(int fd)
{
	if (!opt.congestion)
		return 0;
	if (strlen(opt.congestion) > CONGESTION_NAME) {
		errno = ENAMETOOLONG;
		return -1;
	}
	return setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, opt.congestion,
			  strlen(opt.congestion));
}

/* Options that this kernel lacks are rejected before anything is done. MPTCP may still be
 * switched off in a namespace.
 */
void sockets_check(void)
{
	int fd = socket_try(AF_INET);

	if (fd < 0 && errno == ENOPROTOOPT)
		return;
	if (fd < 0)
		die(EXIT_USAGE, "this kernel has no %sTCP: %s",
		    opt.mptcp ? "multipath " : "", strerror(errno));
	if (congestion_set(fd))
		die(EXIT_USAGE, "this kernel has no congestion control \"%s\": %s",
		    opt.congestion, strerror(errno));
	close(fd);
}

/* An accepted socket inherits the options of its listener. Without TCP_NODELAY the end of a
 * relayed piece would wait for an ACK, which the receiver delays by 40 ms.
 */
int socket_open(const struct host *h)
{
	int fd = socket_try(h->sa.ss_family), one = 1;

	if (fd < 0)
		die(EXIT_RUNTIME, "cannot open a socket in \"%s\": %s", h->ns,
		    strerror(errno));
	if (congestion_set(fd))
		die(EXIT_RUNTIME, "cannot use congestion control \"%s\" in \"%s\": %s",
		    opt.congestion, h->ns, strerror(errno));
	if (opt.replay && setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)))
		die(EXIT_RUNTIME, "cannot set TCP_NODELAY: %s", strerror(errno));
	return fd;
}

void epoll_watch(int epoll_fd, int fd, __u32 events, __u64 cookie)
{
	struct epoll_event ev = { .events = events, .data.u64 = cookie };

	if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &ev))
		die(EXIT_RUNTIME, "epoll refuses a socket: %s", strerror(errno));
}

void host_listen(struct host *h)
{
	int one = 1;

	host_enter(h);
	h->listener = socket_open(h);
	setsockopt(h->listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(h->listener, (void *)&h->sa, h->sa_len) ||
	    listen(h->listener, SOMAXCONN))
		die(EXIT_RUNTIME, "cannot listen on %s in \"%s\": %s", h->addr,
		    h->ns, strerror(errno));
}

void files_allow(__u64 sockets)
{
	__u64 wanted = sockets + FILES_BESIDE;
	struct rlimit limit;

	getrlimit(RLIMIT_NOFILE, &limit);
	if (limit.rlim_cur >= wanted)
		return;
	limit.rlim_cur = wanted;
	if (limit.rlim_max < wanted)
		limit.rlim_max = wanted;
	if (setrlimit(RLIMIT_NOFILE, &limit))
		die(EXIT_RUNTIME, "%llu open files are not allowed: %s", wanted,
		    strerror(errno));
}
