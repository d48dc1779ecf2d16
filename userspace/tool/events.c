// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <linux/conga.h>
#include <linux/netlink.h>
#include <netlink/errno.h>
#include <netlink/msg.h>
#include "common/family.h"
#include "common/status.h"
#include "common/subscription.h"
#include "tool/events.h"
#include "tool/nl.h"
#include "tool/options.h"

/* The buffer holds many thousands of events; "ip monitor" uses the same size. */
#define CONGA_EVENTS_RCVBUF	(1024 * 1024)

static struct conga_subscription conga_events_subscription;

static int conga_events_failed(const char *what)
{
	fprintf(stderr, "conga: cannot %s events: %s\n", what, strerror(errno));
	return CONGA_REFUSED;
}

static int conga_events_rcvbuf(void)
{
	if (!conga_options.rcvbuf)
		return CONGA_EVENTS_RCVBUF;
	return conga_options.rcvbuf < INT_MAX ? conga_options.rcvbuf : INT_MAX;
}

static int conga_events_join(void)
{
	int status, group, number;

	for (group = 0; group < CONGA_FAMILY_GROUPS; group++) {
		status = conga_nl_find_group(group, &number);
		if (status)
			return status;
		if (conga_subscription_join(&conga_events_subscription, number))
			return conga_events_failed("subscribe to");
	}
	return CONGA_OK;
}

int conga_events_open(void)
{
	int status, err;

	err = conga_subscription_open(&conga_events_subscription, NETLINK_GENERIC,
				      conga_events_rcvbuf());
	if (err) {
		fprintf(stderr, "conga: %s\n", nl_geterror(err));
		return CONGA_REFUSED;
	}
	status = conga_events_join();
	if (status)
		conga_events_close();
	return status;
}

void conga_events_close(void)
{
	conga_subscription_close(&conga_events_subscription);
}

static void conga_events_on_event(struct nlmsghdr *event, void *arg)
{
	void (**handle)(struct nl_msg *event) = arg;
	struct nl_msg *msg = nlmsg_convert(event);

	if (msg)
		(*handle)(msg);
	nlmsg_free(msg);
}

enum conga_subscription_result conga_events_read(void (*handle)(struct nl_msg *event))
{
	enum conga_subscription_result result;

	result = conga_subscription_read(&conga_events_subscription, conga_events_on_event,
					 &handle);
	if (result == CONGA_SUBSCRIPTION_FAILED)
		conga_events_failed("read");
	return result;
}

int conga_events_wait(const sigset_t *mask)
{
	struct pollfd fd = {
		.fd = conga_subscription_fd(&conga_events_subscription),
		.events = POLLIN,
	};

	if (ppoll(&fd, 1, NULL, mask) < 0 && errno != EINTR)
		return conga_events_failed("wait for");
	return CONGA_OK;
}
