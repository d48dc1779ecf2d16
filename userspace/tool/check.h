/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What "conga check" looks at, one file per subject:
 *
 *   check.c        the list of checks, and how a finding is printed
 *   check_node.c    what they look at: links, routes, sysctls
 *   check_link.c   vxlan devices and uplinks
 *   check_leaf.c   leaves and paths
 *   check_route.c  how the kernel forwards
 */
#ifndef CONGA_CHECK_H
#define CONGA_CHECK_H

#include "common/array.h"
#include "common/link.h"
#include "tool/tool.h"

#define __printf(format, values)	__attribute__((__format__(printf, format, values)))

/* All that is read, once, before the first check. */
struct conga_node {
	struct conga_state state;
	struct conga_array links;	/* struct conga_link, in the kernel's order */
	struct conga_array hops;	/* struct conga_node_hop, those of a route in a row */
};

/* A nexthop of a route */
struct conga_node_hop {
	unsigned int route;	/* number of the route */
	int family;
	int ifindex;
	bool has_gateway;
};

struct conga_check {
	const char *name;
	const char *severity;
	void (*run)(const struct conga_check *check, const struct conga_node *node);
};

/* "FINDING; ADVICE" of an object. */
__printf(3, 4)
void conga_check_report(const struct conga_check *check, const char *object,
			const char *format, ...);

/* check_node.c */
#define CONGA_NODE_NAME_MAX	64

int conga_node_read(struct conga_node *node);
void conga_node_clean(struct conga_node *node);
bool conga_node_next_port(const struct conga_node *node, size_t *next, struct nlattr **port);
bool conga_node_next_leaf(const struct conga_node *node, size_t *next, struct nlattr **leaf);
bool conga_node_next_path(const struct conga_node *node, size_t *next, struct nlattr **path);
const struct conga_link *conga_node_next_vxlan(const struct conga_node *node, size_t *next);
const struct conga_link *conga_node_link(const struct conga_node *node, unsigned int ifindex);
bool conga_node_is_port(const struct conga_node *node, unsigned int ifindex, unsigned int role);
void conga_node_leaf_name(struct nlattr **leaf, char *name);
long conga_node_sysctl(const char *family, const char *name);
bool conga_node_driver(const char *dev, char *driver);

void conga_check_hash_policy(const struct conga_check *check, const struct conga_node *node);
void conga_check_linkdown(const struct conga_check *check, const struct conga_node *node);
void conga_check_vxlan_local(const struct conga_check *check, const struct conga_node *node);
void conga_check_vxlan_locals(const struct conga_check *check, const struct conga_node *node);
void conga_check_vxlan_gbp(const struct conga_check *check, const struct conga_node *node);
void conga_check_mtu(const struct conga_check *check, const struct conga_node *node);
void conga_check_mtu_differs(const struct conga_check *check, const struct conga_node *node);
void conga_check_stacked(const struct conga_check *check, const struct conga_node *node);
void conga_check_rate(const struct conga_check *check, const struct conga_node *node);
void conga_check_hello_off(const struct conga_check *check, const struct conga_node *node);
void conga_check_leaf_differs(const struct conga_check *check, const struct conga_node *node);
void conga_check_leaf_unheard(const struct conga_check *check, const struct conga_node *node);
void conga_check_leaf_no_path(const struct conga_check *check, const struct conga_node *node);
void conga_check_uplink_unused(const struct conga_check *check, const struct conga_node *node);

#endif /* CONGA_CHECK_H */
