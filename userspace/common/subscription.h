/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events of the kernel have a socket of their own, so that an answer never waits after
 * a queue of events.
 */
#ifndef CONGA_COMMON_SUBSCRIPTION_H
#define CONGA_COMMON_SUBSCRIPTION_H

#include <netlink/netlink.h>

struct conga_subscription {
	struct nl_sock *sock;	/* NULL: not open */
};

enum conga_subscription_result {
	CONGA_SUBSCRIPTION_READ,
	CONGA_SUBSCRIPTION_NONE,	/* just now */
	CONGA_SUBSCRIPTION_LOST,	/* the queue ran over, or an event was too long */
	CONGA_SUBSCRIPTION_FAILED,	/* errno says why */
};

/**
 * conga_subscription_open() - a socket without groups
 * @subscription: is not open
 * @protocol: NETLINK_*
 * @bytes: that may wait in the kernel; fewer if the system's limit is lower and the caller is
 *	   not privileged to go beyond it
 * Return: 0, or a negative code of libnl.
 */
int conga_subscription_open(struct conga_subscription *subscription, int protocol, int bytes);

/* conga_subscription_join - join the group of that number; returns 0, or a negative code of
 * libnl with errno set
 */
int conga_subscription_join(struct conga_subscription *subscription, int group);

/* conga_subscription_fd - the file descriptor for poll(); the subscription must be open */
int conga_subscription_fd(const struct conga_subscription *subscription);

/**
 * conga_subscription_read() - one reading of what waits; never blocks
 * @subscription: is open
 * @handle: is called for each event, in order
 * @arg: for @handle
 * Return: whether anything was read; READ, without a call, if another process sent it.
 */
enum conga_subscription_result
conga_subscription_read(struct conga_subscription *subscription,
			void (*handle)(struct nlmsghdr *event, void *arg), void *arg);

/* conga_subscription_close - close the subscription, also if it is not open */
void conga_subscription_close(struct conga_subscription *subscription);

#endif /* CONGA_COMMON_SUBSCRIPTION_H */
