// SPDX-License-Identifier: GPL-2.0
/*
 * What the kernel tells by itself. Events only say when to look again, so that one
 * that is lost, as when many come at once, costs nothing but a look.
 */
#include <errno.h>
#include <sys/socket.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <netlink/socket.h>
#include "daemon/daemon.h"

#define CONGAD_EVENT_ROOM	32768	/* bytes of one reading */
#define CONGAD_EVENT_BUFFER	1048576	/* bytes that wait in the kernel */

/* Readings at a time, so that a flood of events does not keep us from anything. */
#define CONGAD_EVENT_TURNS	64

static struct nl_sock *congad_event_route;
static struct nl_sock *congad_event_conga;

static struct nl_sock *congad_event_connect(int protocol)
{
	struct nl_sock *sock = nl_socket_alloc();
	int err;

	if (!sock)
		return NULL;
	err = nl_connect(sock, protocol);
	if (!err)
		err = nl_socket_set_buffer_size(sock, CONGAD_EVENT_BUFFER, 0);
	if (!err)
		err = nl_socket_set_nonblocking(sock);
	if (!err)
		return sock;
	nl_socket_free(sock);
	return NULL;
}

int congad_event_open(void)
{
	congad_event_route = congad_event_connect(NETLINK_ROUTE);
	congad_event_conga = congad_event_connect(NETLINK_GENERIC);
	if (congad_event_route && congad_event_conga &&
	    !nl_socket_add_memberships(congad_event_route, RTNLGRP_NEIGH, RTNLGRP_LINK,
				       RTNLGRP_IPV4_ROUTE, RTNLGRP_IPV6_ROUTE,
				       RTNLGRP_NEXTHOP, 0))
		return 0;
	congad_log_warn("cannot subscribe to the kernel's events");
	return CONGAD_FAILED;
}

/* congad_event_join_config - again after the module was loaded again */
int congad_event_join_config(int group)
{
	return group > 0 ? nl_socket_add_membership(congad_event_conga, group) : group;
}

void congad_event_close(void)
{
	nl_socket_free(congad_event_route);
	nl_socket_free(congad_event_conga);
	congad_event_route = NULL;
	congad_event_conga = NULL;
}

int congad_event_fd_route(void)
{
	return nl_socket_get_fd(congad_event_route);
}

int congad_event_fd_conga(void)
{
	return nl_socket_get_fd(congad_event_conga);
}

/* Of neighbours only forwarding entries of devices themselves: others come and go
 * with each ARP.
 */
static bool congad_event_is_fdb(struct nlmsghdr *hdr)
{
	const struct ndmsg *ndm = nlmsg_data(hdr);

	return nlmsg_datalen(hdr) >= (int)sizeof(*ndm) && ndm->ndm_family == AF_BRIDGE &&
	       ndm->ndm_flags & NTF_SELF;
}

static bool congad_event_matters(struct nlmsghdr *hdr)
{
	return (hdr->nlmsg_type != RTM_NEWNEIGH && hdr->nlmsg_type != RTM_DELNEIGH) ||
	       congad_event_is_fdb(hdr);
}

static bool congad_event_any_matters(struct nlmsghdr *hdr, int len)
{
	bool matters = false;

	for (; nlmsg_ok(hdr, len) && !matters; hdr = nlmsg_next(hdr, &len))
		matters = congad_event_matters(hdr);
	return matters;
}

/* congad_event_read - all that came; true: look again. An overflow is an event. */
bool congad_event_read(int fd)
{
	static union {
		struct nlmsghdr first;
		char bytes[CONGAD_EVENT_ROOM];
	} buffer;
	bool matters = false;
	int turn;

	for (turn = 0; turn < CONGAD_EVENT_TURNS; turn++) {
		ssize_t len = recv(fd, &buffer, sizeof(buffer), MSG_DONTWAIT);

		if (len < 0 && (errno == EAGAIN || errno == EINTR))
			break;
		if (len < 0)
			matters = true;
		else if (!matters)
			matters = congad_event_any_matters(&buffer.first, len);
	}
	return matters;
}
