/* SPDX-License-Identifier: GPL-2.0 */
/* These functions read forwarding entries of vxlan devices. */
#ifndef CONGA_COMMON_FDB_H
#define CONGA_COMMON_FDB_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include "common/netlink.h"

struct conga_fdb_entry {
	int lower;		/* device by which its packets leave; 0: the tunnel's */
	uint32_t nexthop;	/* id of a nexthop group; 0: none */
	bool has_addr;
	struct in6_addr addr;	/* destination, IPv4 mapped */
};

typedef int conga_fdb_visitor(const struct conga_fdb_entry *entry, void *arg);

/**
 * conga_fdb_dump() - the forwarding table of a device itself, without that of its bridge
 * @netlink: of NETLINK_ROUTE
 * @ifindex: the device
 * @visit: is called for each entry; a result besides 0 means that there was no memory
 * @arg: for @visit
 * @answer: filled
 * Return: as conga_netlink_request().
 */
int conga_fdb_dump(struct conga_netlink *netlink, int ifindex, conga_fdb_visitor *visit,
		   void *arg, struct conga_netlink_answer *answer);

/* conga_fdb_is_entry - is a message about a neighbour about such an entry? */
bool conga_fdb_is_entry(struct nlmsghdr *hdr);

#endif /* CONGA_COMMON_FDB_H */
