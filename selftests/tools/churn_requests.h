/* SPDX-License-Identifier: GPL-2.0 */
/* Requests of churn to the kernel; each returns true on success. */
#ifndef CHURN_REQUESTS_H
#define CHURN_REQUESTS_H

#include <stdbool.h>
#include <stdint.h>

/* A network namespace is represented by sockets in it. */
struct box {
	int	route;
	int	genl;
	int	xfrm;
	int	filter;
	uint16_t family;		/* 0: to be asked for */
};

struct hop {
	char	*dev;
	char	*gateway;
};

/* A routing rule selects one of these (0: not used), and leads to a table. */
struct rule {
	const char	*from;
	const char	*iif;
	uint8_t		tos;
	uint8_t		protocol;	/* of ports */
	uint16_t	sport, dport;
	uint32_t	mark;
	uint32_t	table;
};

struct box box_open(void);
void box_close(struct box *b);

/* Attributes are as in genl_request, with NULL after the last. The module may be missing,
 * and the family has another number when it returns.
 */
bool conga(struct box *b, int command, ...);

/* Returns the index in the namespace of @b, or 0 if there is none. */
int link_index(const struct box *b, const char *name);
bool link_set(const struct box *b, const char *name, bool up);
bool link_rename(const struct box *b, const char *name, const char *new);
/* @attr: IFLA_MTU or IFLA_NET_NS_FD */
bool link_change(const struct box *b, const char *name, uint16_t attr, uint32_t value);
bool link_delete(const struct box *b, const char *name);
/* The created devices are up. */
bool link_add_dummy(const struct box *b, const char *name);
bool link_add_vxlan(const struct box *b, const char *name, uint32_t vni, const char *remote);

/* Binds a vxlan device to @lower. */
bool link_bind_vxlan(const struct box *b, const char *name, const char *lower);

/* @type: RTM_NEWADDR or RTM_DELADDR */
bool address_change(const struct box *b, int type, const char *dev, const char *addr);
bool neighbour_add(const struct box *b, const char *dev, const char *addr);
/* @state: NUD_PERMANENT or NUD_FAILED; 0 deletes the entry. */
bool neighbour_set(const struct box *b, const char *dev, const char *addr, uint16_t state);

/* Adds one more nexthop to a route of IPv6. */
bool route_append(const struct box *b, const char *to, const char *dev);
bool route_delete(const struct box *b, const char *to);
bool route_add(const struct box *b, const char *to, const struct hop *hop, int hops);
/* Changes an existing route; the first nexthop's weight is @weight, and that of the others
 * is 1.
 */
bool route_weigh(const struct box *b, const char *to, const struct hop *hop, int hops, int weight);
/* @type: RTM_NEWRULE or RTM_DELRULE */
bool rule_change(const struct box *b, int type, const struct rule *rule);
bool nexthop_add(const struct box *b, int id, const char *dev);
bool nexthop_delete(const struct box *b, int id);
bool nexthop_group(const struct box *b, int id, int first, int second);
/* Creates or replaces a resilient group; the first nexthop's weight is @weight, the other's
 * is 1.
 */
bool nexthop_buckets(const struct box *b, int id, int first, int second, int weight);

/* Policy for packets to @to by @dev, or by any device if that is NULL: they pass, or by ESP
 * only, for which there are no keys. @dir: XFRM_POLICY_OUT or XFRM_POLICY_IN.
 */
bool xfrm_policy_add(const struct box *b, int dir, const char *to, const char *dev, bool esp);
bool xfrm_policy_delete(const struct box *b, int dir, const char *to, const char *dev);
/* Blocks or passes packets without a policy, in all three directions. */
bool xfrm_default(const struct box *b, bool block);

/* A table of nftables masquerades packets that leave by the device of this index; 0: by any.
 */
bool nat_add(const struct box *b, int index);
bool nat_delete(const struct box *b);

/* Helpers for nested attributes and text. */
struct message;
struct nlattr;
struct nlattr *nest_begin(struct message *msg, uint16_t type);
void nest_end(struct message *msg, struct nlattr *nest);
void put_string(struct message *msg, uint16_t type, const char *text);

#endif
