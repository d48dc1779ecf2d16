/* SPDX-License-Identifier: GPL-2.0 */
/* The fabric as the kernel has it, and changes of it, which are marked as a daemon's. */
#ifndef CONGA_DAEMON_FABRIC_H
#define CONGA_DAEMON_FABRIC_H

#include <netinet/in.h>
#include <stdbool.h>
#include <linux/conga.h>
#include "common/array.h"

struct congad_port {
	int ifindex;
	enum conga_role role;
	bool is_auto;		/* a daemon's, not an operator's */
};

struct congad_leaf {
	struct in6_addr addr;	/* first; IPv4 mapped */
	bool is_auto;
};

struct congad_fabric {
	struct conga_array ports;	/* struct congad_port, by ifindex */
	struct conga_array leaves;	/* struct congad_leaf, by address */
};

/* All of these that return an integer return a status, see nl.h. */

/* congad_fabric_find - 0: there is one; -ENOENT: none, or not even the module */
int congad_fabric_find(void);

/* congad_fabric_add - with all defaults; -EEXIST if there is one */
int congad_fabric_add(void);

/* congad_fabric_read - its ports and leaves; the caller cleans whatever the outcome */
int congad_fabric_read(struct congad_fabric *fabric);
void congad_fabric_clean(struct congad_fabric *fabric);

/* congad_fabric_port_add - @rate in bit/s; 0: the link's speed, -EINVAL if it reports none */
int congad_fabric_port_add(int ifindex, enum conga_role role, unsigned long long rate);

/* The module lets a daemon remove only what is a daemon's: -EPERM otherwise. */
int congad_fabric_port_del(int ifindex);
int congad_fabric_leaf_add(const struct in6_addr *addr);
int congad_fabric_leaf_del(const struct in6_addr *addr);

#endif /* CONGA_DAEMON_FABRIC_H */
