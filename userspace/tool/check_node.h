/* SPDX-License-Identifier: GPL-2.0 */
/* A node is the state that the checks look at: conga's own, devices, routes, sysctls, drivers. */
#ifndef CONGA_TOOL_CHECK_NODE_H
#define CONGA_TOOL_CHECK_NODE_H

#include <stdbool.h>
#include "common/array.h"
#include "common/link.h"
#include "tool/state.h"
#include "tool/stats.h"

/* Room for the name of a device and the address of a leaf */
#define CONGA_NODE_NAME_MAX	64

/* Everything is read once, before the first check. */
struct conga_node {
	struct conga_state state;
	struct conga_array links;	/* struct conga_link, in the kernel's order */
	struct conga_array hops;	/* struct conga_node_hop, those of a route in a row */
	struct conga_array leaf_hops;	/* struct conga_node_leaf_hop, by conga_reach_read() */
	struct conga_array strangers;	/* struct conga_node_strangers, likewise */
	struct conga_array qdiscs_before;	/* struct conga_qdisc */
	struct conga_array qdiscs;
	struct conga_stats_sample before;	/* as is @after, if the node is not watched */
	struct conga_stats_sample after;
};

/* A nexthop of a route */
struct conga_node_hop {
	unsigned int route;	/* number of the route */
	int family;		/* AF_INET or AF_INET6 */
	int ifindex;
	bool has_gateway;
};

/* A device by which the kernel sends packets to a leaf */
struct conga_node_leaf_hop {
	unsigned int leaf;	/* number of the leaf */
	int ifindex;
};

/* The destinations of a tunnel that are no leaves */
struct conga_node_strangers {
	char dev[IFNAMSIZ];
	unsigned int count;
	struct in6_addr first;	/* IPv4 mapped */
};

/* conga_node_read - watch counters and queues for @ns, and read the node; returns a status, and
 * the caller cleans in any case
 */
int conga_node_read(struct conga_node *node, unsigned long long ns);

/* conga_node_failed - print that something cannot be read; returns a status */
int conga_node_failed(const char *what, int err);
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

/* conga_node_addr_name - write the name or address of a pair of attributes, IPv4 at @attr4 and IPv6
 * after it, to @name, which has CONGA_NODE_NAME_MAX bytes
 */
void conga_node_addr_name(struct nlattr **attrs, int attr4, char *name);

/* conga_node_leaf_name - likewise, of a leaf */
void conga_node_leaf_name(struct nlattr **leaf, char *name);

/* conga_node_takes - does the fabric treat the UDP port as VXLAN? */
bool conga_node_takes(const struct conga_node *node, unsigned int dstport);

/* conga_node_has_socket - is the UDP port open in this network namespace? */
bool conga_node_has_socket(unsigned int port);

/* conga_node_sysctl - read a file of /proc/sys/net; returns -1 if there is none */
long conga_node_sysctl(const char *family, const char *name);

/* conga_node_driver - write the driver's name to @driver, which has ETHTOOL_BUSINFO_LEN bytes;
 * returns false if it is unknown
 */
bool conga_node_driver(const char *dev, char *driver);

#endif /* CONGA_TOOL_CHECK_NODE_H */
