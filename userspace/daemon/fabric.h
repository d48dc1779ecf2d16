/* SPDX-License-Identifier: GPL-2.0 */
/* This is the fabric in the kernel, and changes of it, which are marked as a daemon's. */
#ifndef CONGA_DAEMON_FABRIC_H
#define CONGA_DAEMON_FABRIC_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <linux/conga.h>
#include "common/array.h"

struct congad_port {
	int ifindex;
	enum conga_role role;
	unsigned long long rate;	/* bit/s */
	enum conga_rate_source rate_source;
	bool is_auto;		/* added by a daemon, not by an operator */
};

struct congad_leaf {
	struct in6_addr addr;	/* first; IPv4 mapped */
	bool is_auto;
};

struct congad_fabric {
	struct conga_array ports;	/* struct congad_port, by ifindex */
	struct conga_array leaves;	/* struct congad_leaf, by address */
	uint16_t dstports[CONGA_DSTPORTS_MAX];	/* UDP, in the operator's order */
	unsigned int dstport_count;
};

/* All these functions that return an integer return a status, see nl.h. */

/* congad_fabric_find - find the fabric; returns 0 if there is one, -ENOENT if not or if the
 * module is missing
 */
int congad_fabric_find(void);

/* congad_fabric_add - add a fabric with all defaults; returns -EEXIST if there is one */
int congad_fabric_add(void);

/* congad_fabric_read - read UDP ports, ports and leaves; the caller cleans in any case */
int congad_fabric_read(struct congad_fabric *fabric);
void congad_fabric_clean(struct congad_fabric *fabric);

/* congad_fabric_port_add - add a port with @rate in bit/s; 0 means the link's speed, and -EINVAL
 * is returned if the link reports none
 */
int congad_fabric_port_add(int ifindex, enum conga_role role, unsigned long long rate);

/* congad_fabric_port_set_rate - set the rate of a daemon's port; 0, and -EINVAL: as above */
int congad_fabric_port_set_rate(int ifindex, unsigned long long rate);

/* The module lets a daemon remove only a daemon's objects, and returns -EPERM otherwise. */
int congad_fabric_port_del(int ifindex);
int congad_fabric_leaf_add(const struct in6_addr *addr);
int congad_fabric_leaf_del(const struct in6_addr *addr);

#endif /* CONGA_DAEMON_FABRIC_H */
