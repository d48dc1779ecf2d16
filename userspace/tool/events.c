// SPDX-License-Identifier: GPL-2.0
/*
 * Events: a socket of its own, so that an answer never stands behind a queue
 * of them. Read by hand, because libnl cannot tell a queue that ran over from
 * a want of memory.
 */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <linux/netlink.h>
#include <netlink/socket.h>
#include "tool/tool.h"

/* Many thousands of events; "ip monitor" asks for as much. */
#define CONGA_EVENTS_RCVBUF	(1024 * 1024)

/* An event is an object, far smaller than a page. */
#define CONGA_EVENTS_SIZE_MAX	16384

static struct nl_sock *conga_events_sock;

static const char *const conga_events_groups[] = {
	CONGA_MCGRP_CONFIG_NAME,
	CONGA_MCGRP_STATE_NAME,
};

static int conga_events_failed(const char *what)
{
	fprintf(stderr, "conga: cannot %s events: %s\n", what, strerror(errno));
	return CONGA_REFUSED;
}

/* Beyond the system's limit if we may, else up to it. */
static void conga_events_set_rcvbuf(int fd)
{
	int size = CONGA_EVENTS_RCVBUF;

	if (conga_options.rcvbuf)
		size = conga_options.rcvbuf < INT_MAX ? conga_options.rcvbuf : INT_MAX;
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)))
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
}

static int conga_events_join(int fd)
{
	int status, group;
	size_t i;

	for (i = 0; i < sizeof(conga_events_groups) / sizeof(*conga_events_groups); i++) {
		status = conga_nl_find_group(conga_events_groups[i], &group);
		if (status)
			return status;
		if (setsockopt(fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &group, sizeof(group)))
			return conga_events_failed("subscribe to");
	}
	return CONGA_OK;
}

int conga_events_open(void)
{
	int status, err;

	conga_events_sock = nl_socket_alloc();
	if (!conga_events_sock)
		return conga_events_failed("subscribe to");
	err = nl_connect(conga_events_sock, NETLINK_GENERIC);
	if (err) {
		fprintf(stderr, "conga: %s\n", nl_geterror(err));
		conga_events_close();
		return CONGA_REFUSED;
	}
	conga_events_set_rcvbuf(nl_socket_get_fd(conga_events_sock));
	status = conga_events_join(nl_socket_get_fd(conga_events_sock));
	if (status)
		conga_events_close();
	return status;
}

void conga_events_close(void)
{
	nl_socket_free(conga_events_sock);
	conga_events_sock = NULL;
}

static void conga_events_split(struct nlmsghdr *hdr, int len,
			       void (*handle)(struct nl_msg *event))
{
	struct nl_msg *msg;

	for (; nlmsg_ok(hdr, len); hdr = nlmsg_next(hdr, &len)) {
		msg = nlmsg_convert(hdr);
		if (msg)
			handle(msg);
		nlmsg_free(msg);
	}
}

static enum conga_events_result conga_events_none(void)
{
	if (errno == EAGAIN || errno == EINTR)
		return CONGA_EVENTS_NONE;
	if (errno == ENOBUFS)
		return CONGA_EVENTS_LOST;
	conga_events_failed("read");
	return CONGA_EVENTS_FAILED;
}

/* Another process could send here; an event is from the kernel, port 0. */
enum conga_events_result conga_events_read(void (*handle)(struct nl_msg *event))
{
	static union {
		struct nlmsghdr hdr;
		char bytes[CONGA_EVENTS_SIZE_MAX];
	} buffer;
	struct sockaddr_nl from = { 0 };
	socklen_t from_len = sizeof(from);
	ssize_t len;

	len = recvfrom(nl_socket_get_fd(conga_events_sock), &buffer, sizeof(buffer),
		       MSG_DONTWAIT | MSG_TRUNC, (struct sockaddr *)&from, &from_len);
	if (len < 0)
		return conga_events_none();
	if (from.nl_pid)
		return CONGA_EVENTS_READ;
	if (len > (ssize_t)sizeof(buffer))
		return CONGA_EVENTS_LOST;
	conga_events_split(&buffer.hdr, len, handle);
	return CONGA_EVENTS_READ;
}

/* Until there is an event, or a signal that is not in @mask. */
int conga_events_wait(const sigset_t *mask)
{
	struct pollfd fd = {
		.fd = nl_socket_get_fd(conga_events_sock),
		.events = POLLIN,
	};

	if (ppoll(&fd, 1, NULL, mask) < 0 && errno != EINTR)
		return conga_events_failed("wait for");
	return CONGA_OK;
}
