/* SPDX-License-Identifier: GPL-2.0 */
/* What churn asks the kernel for; true: it did so. */
#ifndef CHURN_REQUESTS_H
#define CHURN_REQUESTS_H

#include <stdbool.h>
#include <stdint.h>

/* A network namespace, by sockets in it. */
struct box {
	int	route;
	int	genl;
	uint16_t family;		/* 0: to be asked for */
};

struct hop {
	char	*dev;
	char	*gateway;
};

struct box box_open(void);
void box_close(struct box *b);

/* Attributes as in genl_request, NULL behind the last. The module may be gone, and have
 * another number when it is back.
 */
bool conga(struct box *b, int command, ...);

/* In the namespace of @b, 0 if there is none. */
int link_index(const struct box *b, const char *name);
bool link_set(const struct box *b, const char *name, bool up);
bool link_rename(const struct box *b, const char *name, const char *new);
/* @attr: IFLA_MTU or IFLA_NET_NS_FD */
bool link_change(const struct box *b, const char *name, uint16_t attr, uint32_t value);
bool link_delete(const struct box *b, const char *name);
/* These are up. */
bool link_add_dummy(const struct box *b, const char *name);
bool link_add_vxlan(const struct box *b, const char *name, uint32_t vni, const char *remote);

/* @type: RTM_NEWADDR or RTM_DELADDR */
bool address_change(const struct box *b, int type, const char *dev, const char *addr);
bool neighbour_add(const struct box *b, const char *dev, const char *addr);

/* One more nexthop of a route of IPv6. */
bool route_append(const struct box *b, const char *to, const char *dev);
bool route_delete(const struct box *b, const char *to);
bool route_add(const struct box *b, const char *to, const struct hop *hop, int hops);
bool nexthop_add(const struct box *b, int id, const char *dev);
bool nexthop_delete(const struct box *b, int id);
bool nexthop_group(const struct box *b, int id, int first, int second);

#endif
