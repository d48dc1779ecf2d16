/* SPDX-License-Identifier: GPL-2.0 */
/*
 * congad, the daemon that follows forwarding tables and routes, one file per noun:
 *
 *   main.c            options, and the loop that waits for events
 *   sync.c            one look at everything, and what follows from it
 *   leaf.c            which leaves are added and removed
 *   port.c            which ports are added, and give way to others
 *   fabric.c          conga's netlink family: what exists; add, remove
 *   fdb.c             VTEPs that vxlan devices forward to
 *   route.c           routes: which devices lead to a VTEP
 *   nexthop.c         nexthop objects and their groups
 *   link.c            devices
 *   event.c           what the kernel tells by itself
 *   nl.c              requests and replies
 *   array.c           sorted arrays
 *
 * There is no state that must not be lost: each look compares what is wanted with
 * what is there. Events only say when to look.
 */
#ifndef CONGA_DAEMON_H
#define CONGA_DAEMON_H

#include <net/if.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <linux/conga.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>

#define CONGAD_NS_PER_S		1000000000ULL
#define CONGAD_NS_PER_MS	1000000ULL

enum congad_mode {
	CONGAD_MODE_AUTO,	/* a leaf if there is a vxlan device */
	CONGAD_MODE_LEAF,
	CONGAD_MODE_SPINE,
};

struct congad_options {
	enum congad_mode mode;
	unsigned long long rate;	/* bit/s, where a link tells none; 0: not given */
	unsigned long long hold_ns;	/* a leaf that nobody forwards to lives so long */
	unsigned long long idle_ns;	/* then an unused uplink gives way to another */
	bool verbose;
};

extern struct congad_options congad_options;

/* One sentence a line, on stderr, where a service manager reads it. A change is told
 * with its reason; a warning is said once, not at every look.
 */
#define congad_log_warn(format, ...) \
	fprintf(stderr, "congad: " format "\n", ##__VA_ARGS__)

#define congad_log_change(format, ...) do { \
	if (congad_options.verbose) \
		congad_log_warn(format, ##__VA_ARGS__); \
} while (0)

/* array.c: @compare gives the order and says which items are the same. */
struct congad_array {
	void *items;
	size_t count;
	size_t room;
	size_t size;		/* of an item */
	int (*compare)(const void *a, const void *b);
};

#define CONGAD_ARRAY(type, compare_items) \
	{ .size = sizeof(type), .compare = (compare_items) }

int congad_array_add(struct congad_array *array, const void *item);
void congad_array_sort(struct congad_array *array);
void *congad_array_at(const struct congad_array *array, size_t index);
void *congad_array_find(const struct congad_array *array, const void *key);
size_t congad_array_first(const struct congad_array *array, const void *key);
void congad_array_clean(struct congad_array *array);

/* An IPv4 address is a mapped one here. */
#define CONGAD_ADDR_TEXT_MAX	INET6_ADDRSTRLEN

int congad_addr_compare(const void *a, const void *b);
bool congad_addr_read(const struct nlattr *attr, struct in6_addr *addr);
bool congad_addr_is_v4(const struct in6_addr *addr);
bool congad_addr_is_vtep(const struct in6_addr *addr);
int congad_addr_put(struct nl_msg *msg, int attr4, int attr6, const struct in6_addr *addr);
const char *congad_addr_text(const struct in6_addr *addr, char *text);

/*
 * What functions return that can fail: 0; or negative, the errno by which the kernel
 * refused; or one of these, if the outcome is unknown. congad_nl_why() has the words.
 */
enum congad_status {
	CONGAD_FAILED = 1,
	CONGAD_INTERRUPTED,	/* things changed while they were read */
};

/*
 * nl.c: a reader is called for each reply; what it returns besides 0 makes the
 * request fail.
 */

typedef int congad_nl_reader(struct nlmsghdr *hdr, void *arg);

int congad_nl_ask_route(struct nl_msg *msg, int flags, congad_nl_reader *read, void *arg);
int congad_nl_ask_conga(struct nl_msg *msg, int flags, congad_nl_reader *read, void *arg);
int congad_nl_resolve(int *config_group);
struct nl_msg *congad_nl_message(int type, const void *header, size_t len);
struct nl_msg *congad_nl_message_conga(int cmd);
const char *congad_nl_why(void);
uint32_t congad_nl_u32(const struct nlattr *attr);
void congad_nl_close(void);

/* event.c */
int congad_event_open(void);
int congad_event_join_config(int group);
void congad_event_close(void);
int congad_event_fd_route(void);
int congad_event_fd_conga(void);
bool congad_event_read(int fd);

/* link.c */
enum congad_link_kind {
	CONGAD_LINK_PLAIN,
	CONGAD_LINK_VXLAN,
	CONGAD_LINK_VRF,
	CONGAD_LINK_NO_UPLINK,	/* bridge, loopback */
};

struct congad_link {
	int ifindex;
	enum congad_link_kind kind;
	int master;
	int lower;		/* device that a tunnel is bound to */
	bool running;		/* up, with carrier */
	bool elsewhere;		/* its packets leave in another network namespace */
	char name[IFNAMSIZ];
};

/* nexthop.c: a group has an item for each member. */
struct congad_nexthop {
	uint32_t id;
	uint32_t member;	/* id; 0: not a group */
	int ifindex;
	bool has_gateway;
	struct in6_addr gateway;
};

/* fdb.c */
struct congad_vtep {
	struct in6_addr addr;
	int vrf;		/* whose routes lead there; 0: the main ones */
	int vxlan;		/* a device that forwards to it; 0: an operator's leaf */
};

struct congad_wanted_leaf {
	struct in6_addr addr;
	int vxlan;
};

struct congad_wanted_port {
	int ifindex;
	struct in6_addr leaf;	/* it leads there; unspecified on a spine */
};

/* What one look has found, and what follows from it. */
struct congad_view {
	struct congad_array links;
	struct congad_array nexthops;
	struct congad_array vteps;
	struct congad_array leaves;	/* wanted */
	struct congad_array ports;	/* wanted */
	enum conga_role role;
};

int congad_link_read(struct congad_view *view);
const struct congad_link *congad_link_find(const struct congad_view *view, int ifindex);
const char *congad_link_name(const struct congad_view *view, int ifindex);
bool congad_link_is_uplink(const struct congad_view *view, int ifindex);
int congad_link_vrf(const struct congad_view *view, int ifindex);

int congad_nexthop_read(struct congad_view *view);
int congad_nexthop_walk(const struct congad_view *view, uint32_t id,
			int (*visit)(const struct congad_nexthop *nexthop, void *arg), void *arg);

struct congad_fabric;
int congad_fdb_read(struct congad_view *view, const struct congad_fabric *fabric);
int congad_route_read_leaves(struct congad_view *view);
int congad_route_read_spine(struct congad_view *view);

/* fabric.c */
struct congad_port {
	int ifindex;
	enum conga_role role;
	bool is_auto;
};

struct congad_leaf {
	struct in6_addr addr;
	bool is_auto;
};

struct congad_fabric {
	struct congad_array ports;
	struct congad_array leaves;
};

int congad_fabric_find(void);
int congad_fabric_add(void);
int congad_fabric_read(struct congad_fabric *fabric);
void congad_fabric_clean(struct congad_fabric *fabric);
int congad_fabric_port_add(int ifindex, enum conga_role role, unsigned long long rate);
int congad_fabric_port_del(int ifindex);
int congad_fabric_leaf_add(const struct in6_addr *addr);
int congad_fabric_leaf_del(const struct in6_addr *addr);

/* leaf.c, port.c: what was refused is counted in @failures. */
int congad_leaf_follow(const struct congad_view *view, const struct congad_fabric *fabric,
		       uint64_t now, int *failures);
uint64_t congad_leaf_due(void);
void congad_leaf_forget(void);
int congad_port_follow(const struct congad_view *view, const struct congad_fabric *fabric,
		       uint64_t now, int *failures);
void congad_port_forget(void);

/* sync.c */
uint64_t congad_sync_now(void);
int congad_sync_start(void);
int congad_sync(int *failures);
void congad_sync_stop(void);

#endif /* CONGA_DAEMON_H */
