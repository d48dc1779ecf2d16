/* SPDX-License-Identifier: GPL-2.0 */
/* rtnetlink in another network namespace, with the reason of a rejected request. */
#ifndef RTNETLINK_H
#define RTNETLINK_H

#include <netlink/netlink.h>

#define RTNETLINK_WHY_MAX	256

struct rtnetlink_refusal {
	unsigned int seq;		/* of the request */
	char why[RTNETLINK_WHY_MAX];	/* "": it did not refuse */
};

/**
 * rtnetlink_open() - enters a namespace for good and opens a socket there
 * @netns: its name
 * @refusal: filled whenever the kernel refuses a request of this socket; lives as
 *	     long as the socket
 * Return: NULL if there is no such namespace, which is said on stderr, or no socket.
 */
struct nl_sock *rtnetlink_open(const char *netns, struct rtnetlink_refusal *refusal);

#endif
