/* SPDX-License-Identifier: GPL-2.0 */
/* A node is the state that the checks look at: conga's own, devices, routes, sysctls, drivers. */
#ifndef CONGA_TOOL_CHECK_NODE_H
#define CONGA_TOOL_CHECK_NODE_H

#include <stdbool.h>
#include "common/array.h"
#include "common/link.h"
#include "tool/state.h"

/* Room for the name of a device and the address of a leaf */
#define CONGA_NODE_NAME_MAX	64

/* Everything is read once, before the first check. */
struct conga_node {
	struct conga_state state;
	struct conga_array links;	/* struct conga_link, in the kernel's order */
	struct conga_array hops;	/* struct conga_node_hop, those of a route in a row */
};

/* A nexthop of a route */
struct conga_node_hop {
	unsigned int route;	/* number of the route */
	int family;		/* AF_INET or AF_INET6 */
	int ifindex;
	bool has_gateway;
};

/* conga_node_read - read the node; returns a status, and the caller cleans in any case */
int conga_node_read(struct conga_node *node);
void conga_node_clean(struct conga_node *node);

/* These functions read the next item into an array with room for CONGA_ATTRS_MAX + 1; *@next
 * starts at 0. They return false after the last.
 */
bool conga_node_next_port(const struct conga_node *node, size_t *next, struct nlattr **port);
bool conga_node_next_leaf(const struct conga_node *node, size_t *next, struct nlattr **leaf);
bool conga_node_next_path(const struct conga_node *node, size_t *next, struct nlattr **path);

/* conga_node_next_vxlan - the next vxlan device of the fabric; *@next starts at 0; returns NULL
 * after the last
 */
const struct conga_link *conga_node_next_vxlan(const struct conga_node *node, size_t *next);

/* conga_node_link - find a device; returns NULL if it was removed */
const struct conga_link *conga_node_link(const struct conga_node *node, unsigned int ifindex);

/* conga_node_is_port - is the device a port of this enum conga_role? 0 means any role. */
bool conga_node_is_port(const struct conga_node *node, unsigned int ifindex, unsigned int role);

/* conga_node_leaf_name - write the leaf's address to @name, which has CONGA_NODE_NAME_MAX bytes */
void conga_node_leaf_name(struct nlattr **leaf, char *name);

/* conga_node_sysctl - read a file of /proc/sys/net; returns -1 if there is none */
long conga_node_sysctl(const char *family, const char *name);

/* conga_node_driver - write the driver's name to @driver, which has ETHTOOL_BUSINFO_LEN bytes;
 * returns false if it is unknown
 */
bool conga_node_driver(const char *dev, char *driver);

#endif /* CONGA_TOOL_CHECK_NODE_H */
