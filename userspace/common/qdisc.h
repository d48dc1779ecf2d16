/* SPDX-License-Identifier: GPL-2.0 */
/* These functions read queueing disciplines: what they drop, and the rate that they shape to. */
#ifndef CONGA_COMMON_QDISC_H
#define CONGA_COMMON_QDISC_H

#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>
#include "common/netlink.h"

struct conga_qdisc {
	int ifindex;
	bool root;		/* of the device, so that its drops are those of all below */
	char kind[IFNAMSIZ];
	uint64_t drops;		/* packets */
	uint64_t rate;		/* bit/s, that tbf, netem or cake shapes to; 0: none known */
};

typedef int conga_qdisc_visitor(const struct conga_qdisc *qdisc, void *arg);

/* conga_qdisc_dump - call @visit for each qdisc of all devices, those for incoming packets aside;
 * otherwise as conga_netlink_request(), with a @netlink of NETLINK_ROUTE
 */
int conga_qdisc_dump(struct conga_netlink *netlink, conga_qdisc_visitor *visit, void *arg,
		     struct conga_netlink_answer *answer);

#endif /* CONGA_COMMON_QDISC_H */
