// SPDX-License-Identifier: GPL-2.0
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <netlink/errno.h>
#include "common/fdb.h"
#include "daemon/event.h"
#include "daemon/log.h"
#include "daemon/nl.h"

#define CONGAD_EVENT_BUFFER	1048576	/* bytes that may wait in the kernel */

/* This limits the reads in a row, so that a flood of events does not block other work. */
#define CONGAD_EVENT_TURNS	64

struct conga_subscription congad_event_route;
struct conga_subscription congad_event_conga;

static const int congad_event_groups[] = {
	RTNLGRP_NEIGH, RTNLGRP_LINK, RTNLGRP_IPV4_ROUTE, RTNLGRP_IPV6_ROUTE, RTNLGRP_NEXTHOP,
};

static int congad_event_join_route(void)
{
	int err = 0;
	size_t i;

	for (i = 0; i < sizeof(congad_event_groups) / sizeof(*congad_event_groups) && !err; i++)
		err = conga_subscription_join(&congad_event_route, congad_event_groups[i]);
	return err;
}

int congad_event_open(void)
{
	if (!conga_subscription_open(&congad_event_route, NETLINK_ROUTE, CONGAD_EVENT_BUFFER) &&
	    !conga_subscription_open(&congad_event_conga, NETLINK_GENERIC, CONGAD_EVENT_BUFFER) &&
	    !congad_event_join_route())
		return 0;
	congad_log_warn("cannot subscribe to the kernel's events");
	return CONGAD_FAILED;
}

int congad_event_join_config(int group)
{
	return group ? conga_subscription_join(&congad_event_conga, group) : -NLE_OBJ_NOTFOUND;
}

void congad_event_close(void)
{
	conga_subscription_close(&congad_event_route);
	conga_subscription_close(&congad_event_conga);
}

/* Only forwarding entries of devices themselves are relevant: other neighbours change with each
 * ARP.
 */
static void congad_event_on_event(struct nlmsghdr *event, void *arg)
{
	bool *matters = arg;

	if ((event->nlmsg_type != RTM_NEWNEIGH && event->nlmsg_type != RTM_DELNEIGH) ||
	    conga_fdb_is_entry(event))
		*matters = true;
}

bool congad_event_read(struct conga_subscription *subscription)
{
	bool matters = false;
	int turn;

	for (turn = 0; turn < CONGAD_EVENT_TURNS; turn++) {
		switch (conga_subscription_read(subscription, congad_event_on_event, &matters)) {
		case CONGA_SUBSCRIPTION_READ:
			break;
		case CONGA_SUBSCRIPTION_NONE:
			return matters;
		default:
			matters = true;
		}
	}
	return matters;
}
