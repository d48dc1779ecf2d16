// SPDX-License-Identifier: GPL-2.0
#include <arpa/inet.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <linux/conga.h>
#include <linux/ethtool.h>
#include <linux/netlink.h>
#include <linux/sockios.h>
#include <netlink/attr.h>
#include <netlink/errno.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include "common/array.h"
#include "common/attr.h"
#include "common/link.h"
#include "common/netlink.h"
#include "common/qdisc.h"
#include "common/route.h"
#include "common/status.h"
#include "tool/check_node.h"
#include "tool/command.h"
#include "tool/grammar.h"
#include "tool/hosts.h"
#include "tool/leaf.h"
#include "tool/options.h"
#include "tool/path.h"
#include "tool/port.h"
#include "tool/state.h"
#include "tool/stats.h"

#define CONGA_NODE_PATH_MAX	256
#define CONGA_NODE_NS_PER_S	1000000000ULL

int conga_node_failed(const char *what, int err)
{
	fprintf(stderr, "conga: cannot read %s: %s\n", what, nl_geterror(err));
	return CONGA_REFUSED;
}

static int conga_node_on_link(const struct conga_link *link, void *arg)
{
	struct conga_node *node = arg;

	return conga_array_add(&node->links, link);
}

/* Objects that change during the dump interrupt it, and it is repeated until it is complete. */
static int conga_node_read_links(struct conga_node *node, struct conga_netlink *netlink)
{
	struct conga_netlink_answer answer;
	int err;

	do {
		conga_array_clean(&node->links);
		err = conga_link_dump(netlink, conga_node_on_link, node, &answer);
	} while (err == -NLE_DUMP_INTR);
	err = conga_netlink_code(&answer, err);
	return err ? conga_node_failed("links", err) : CONGA_OK;
}

struct conga_node_reader {
	struct conga_node *node;
	struct conga_node_hop hop;	/* the caller fills in the device */
};

static int conga_node_on_hop(const struct conga_route_hop *hop, void *arg)
{
	struct conga_node_reader *reader = arg;

	reader->hop.ifindex = hop->ifindex;
	reader->hop.has_gateway = hop->has_gateway;
	return conga_array_add(&reader->node->hops, &reader->hop);
}

static int conga_node_on_route(const struct conga_route *route, void *arg)
{
	struct conga_node_reader *reader = arg;

	reader->hop.route++;
	reader->hop.family = route->family;
	return conga_route_walk(route, conga_node_on_hop, reader);
}

/* A kernel without this address family has no routes of it. */
static int conga_node_dump_routes(struct conga_node_reader *reader, struct conga_netlink *netlink,
				  int family)
{
	struct conga_netlink_answer answer;
	int err;

	err = conga_route_dump(netlink, family, conga_node_on_route, reader, &answer);
	return answer.error == EOPNOTSUPP ? 0 : conga_netlink_code(&answer, err);
}

static int conga_node_read_routes(struct conga_node *node, struct conga_netlink *netlink)
{
	struct conga_node_reader reader = { .node = node };
	int err;

	do {
		conga_array_clean(&node->hops);
		err = conga_node_dump_routes(&reader, netlink, AF_INET);
		if (!err)
			err = conga_node_dump_routes(&reader, netlink, AF_INET6);
	} while (err == -NLE_DUMP_INTR);
	return err ? conga_node_failed("routes", err) : CONGA_OK;
}

static int conga_node_on_qdisc(const struct conga_qdisc *qdisc, void *arg)
{
	return conga_array_add(arg, qdisc);
}

static int conga_node_read_qdiscs(struct conga_array *qdiscs, struct conga_netlink *netlink)
{
	struct conga_netlink_answer answer;
	int err;

	do {
		conga_array_clean(qdiscs);
		err = conga_qdisc_dump(netlink, conga_node_on_qdisc, qdiscs, &answer);
	} while (err == -NLE_DUMP_INTR);
	err = conga_netlink_code(&answer, err);
	return err ? conga_node_failed("queueing disciplines", err) : CONGA_OK;
}

static void conga_node_wait(unsigned long long ns)
{
	struct timespec time = {
		.tv_sec = ns / CONGA_NODE_NS_PER_S,
		.tv_nsec = ns % CONGA_NODE_NS_PER_S,
	};

	nanosleep(&time, NULL);
}

/* Reads what grows, waits, and reads it again. */
static int conga_node_watch(struct conga_node *node, struct conga_netlink *netlink,
			    unsigned long long ns)
{
	int status = conga_stats_read(&node->before, NULL);

	if (!status)
		status = conga_node_read_qdiscs(&node->qdiscs_before, netlink);
	if (status)
		return status;
	conga_node_wait(ns);
	status = conga_stats_read(&node->after, NULL);
	if (!status)
		status = conga_node_read_qdiscs(&node->qdiscs, netlink);
	return status;
}

int conga_node_read(struct conga_node *node, unsigned long long ns)
{
	struct conga_netlink netlink = { .protocol = NETLINK_ROUTE };
	int status;

	*node = (struct conga_node) {
		.links = CONGA_ARRAY(struct conga_link, NULL),
		.hops = CONGA_ARRAY(struct conga_node_hop, NULL),
		.leaf_hops = CONGA_ARRAY(struct conga_node_leaf_hop, NULL),
		.strangers = CONGA_ARRAY(struct conga_node_strangers, NULL),
		.qdiscs_before = CONGA_ARRAY(struct conga_qdisc, NULL),
		.qdiscs = CONGA_ARRAY(struct conga_qdisc, NULL),
	};
	status = conga_node_watch(node, &netlink, ns);
	if (!status)
		status = conga_state_read(&node->state, NULL);
	if (!status)
		status = conga_node_read_links(node, &netlink);
	if (!status)
		status = conga_node_read_routes(node, &netlink);
	conga_netlink_close(&netlink);
	return status;
}

void conga_node_clean(struct conga_node *node)
{
	conga_state_clean(&node->state);
	conga_array_clean(&node->links);
	conga_array_clean(&node->hops);
	conga_array_clean(&node->leaf_hops);
	conga_array_clean(&node->strangers);
	conga_array_clean(&node->qdiscs_before);
	conga_array_clean(&node->qdiscs);
}

bool conga_node_next_port(const struct conga_node *node, size_t *next, struct nlattr **port)
{
	return conga_command_next(&conga_port_object, &node->state.ports, next, port);
}

bool conga_node_next_leaf(const struct conga_node *node, size_t *next, struct nlattr **leaf)
{
	return conga_command_next(&conga_leaf_object, &node->state.leaves, next, leaf);
}

bool conga_node_next_path(const struct conga_node *node, size_t *next, struct nlattr **path)
{
	return conga_command_next(&conga_path_object, &node->state.paths, next, path);
}

bool conga_node_takes(const struct conga_node *node, unsigned int dstport)
{
	struct nlmsghdr *fabric = nlmsg_hdr(node->state.fabric.msgs[0]);
	struct nlattr *attr;
	int rem;

	nlmsg_for_each_attr(attr, fabric, GENL_HDRLEN, rem)
		if (nla_type(attr) == CONGA_A_FABRIC_DSTPORT &&
		    conga_attr_number(attr) == dstport)
			return true;
	return false;
}

const struct conga_link *conga_node_next_vxlan(const struct conga_node *node, size_t *next)
{
	while (*next < node->links.count) {
		const struct conga_link *link = conga_array_at(&node->links, (*next)++);

		if (link->kind == CONGA_LINK_VXLAN && conga_node_takes(node, link->vxlan.dstport))
			return link;
	}
	return NULL;
}

const struct conga_link *conga_node_link(const struct conga_node *node, unsigned int ifindex)
{
	size_t i;

	for (i = 0; i < node->links.count; i++) {
		const struct conga_link *link = conga_array_at(&node->links, i);

		if ((unsigned int)link->ifindex == ifindex)
			return link;
	}
	return NULL;
}

/* @role 0 means any role. */
bool conga_node_is_port(const struct conga_node *node, unsigned int ifindex, unsigned int role)
{
	struct nlattr *port[CONGA_ATTRS_MAX + 1];
	size_t next = 0;

	while (conga_node_next_port(node, &next, port))
		if (conga_attr_number(port[CONGA_A_PORT_IFINDEX]) == ifindex)
			return !role || conga_attr_number(port[CONGA_A_PORT_ROLE]) == role;
	return false;
}

/* JSON has addresses only. */
void conga_node_addr_name(struct nlattr **attrs, int attr4, char *name)
{
	const struct nlattr *addr4 = attrs[attr4];
	const struct nlattr *addr = addr4 ? addr4 : attrs[attr4 + 1];
	const char *known = conga_options.json ? NULL : conga_hosts_find_name(addr);

	if (known)
		snprintf(name, CONGA_NODE_NAME_MAX, "%s", known);
	else if (!addr || !inet_ntop(addr4 ? AF_INET : AF_INET6, nla_data(addr), name,
				     CONGA_NODE_NAME_MAX))
		snprintf(name, CONGA_NODE_NAME_MAX, "?");
}

void conga_node_leaf_name(struct nlattr **leaf, char *name)
{
	conga_node_addr_name(leaf, CONGA_A_LEAF_ADDR4, name);
}

/* The file lists the sockets of the process's network namespace; without it none is missed. */
static bool conga_node_file_has(const char *path, unsigned int port)
{
	char line[CONGA_NODE_PATH_MAX];
	FILE *file = fopen(path, "r");
	unsigned int found;
	bool has = !file;

	while (file && !has && fgets(line, sizeof(line), file))
		has = sscanf(line, "%*d: %*[0-9A-Fa-f]:%x", &found) == 1 && found == port;
	if (file)
		fclose(file);
	return has;
}

bool conga_node_has_socket(unsigned int port)
{
	return conga_node_file_has("/proc/net/udp", port) ||
	       (!access("/proc/net/udp6", R_OK) && conga_node_file_has("/proc/net/udp6", port));
}

/* Returns -1 if there is no such sysctl. /proc/sys/net shows the namespace of the process. */
long conga_node_sysctl(const char *family, const char *name)
{
	char path[CONGA_NODE_PATH_MAX];
	unsigned long value;
	FILE *file;
	int count;

	snprintf(path, sizeof(path), "/proc/sys/net/%s/%s", family, name);
	file = fopen(path, "r");
	if (!file)
		return -1;
	count = fscanf(file, "%lu", &value);
	fclose(file);
	return count == 1 ? (long)value : -1;
}

/* @driver must have room for ETHTOOL_BUSINFO_LEN bytes. */
bool conga_node_driver(const char *dev, char *driver)
{
	struct ethtool_drvinfo info = { .cmd = ETHTOOL_GDRVINFO };
	struct ifreq request = { .ifr_data = (void *)&info };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), err;

	if (fd < 0)
		return false;
	snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", dev);
	err = ioctl(fd, SIOCETHTOOL, &request);
	close(fd);
	if (err)
		return false;
	memcpy(driver, info.driver, sizeof(info.driver));
	return true;
}
