// SPDX-License-Identifier: GPL-2.0
/* What the checks look at: conga's own state, links, routes, sysctls, drivers. */
#include <arpa/inet.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <netlink/genl/genl.h>
#include <netlink/route/link/vxlan.h>
#include <netlink/route/route.h>
#include "tool/check.h"

#define CONGA_BOX_PATH_MAX	256

static int conga_box_failed(const char *what, int err)
{
	fprintf(stderr, "conga: cannot read %s: %s\n", what, nl_geterror(err));
	return CONGA_REFUSED;
}

static int conga_box_read_route(struct conga_box *box)
{
	int err;

	box->sock = nl_socket_alloc();
	if (!box->sock)
		return conga_box_failed("links", -NLE_NOMEM);
	err = nl_connect(box->sock, NETLINK_ROUTE);
	if (!err)
		err = rtnl_link_alloc_cache(box->sock, AF_UNSPEC, &box->links);
	if (err)
		return conga_box_failed("links", err);
	err = rtnl_route_alloc_cache(box->sock, AF_UNSPEC, 0, &box->routes);
	return err ? conga_box_failed("routes", err) : CONGA_OK;
}

int conga_box_read(struct conga_box *box)
{
	int status = conga_state_read(&box->state, NULL);

	return status ? status : conga_box_read_route(box);
}

void conga_box_clean(struct conga_box *box)
{
	conga_state_clean(&box->state);
	nl_cache_free(box->links);
	nl_cache_free(box->routes);
	nl_socket_free(box->sock);
}

bool conga_box_next_port(const struct conga_box *box, size_t *next, struct nlattr **port)
{
	return conga_state_next(&conga_port_object, &box->state.ports, next, port);
}

bool conga_box_next_leaf(const struct conga_box *box, size_t *next, struct nlattr **leaf)
{
	return conga_state_next(&conga_leaf_object, &box->state.leaves, next, leaf);
}

bool conga_box_next_path(const struct conga_box *box, size_t *next, struct nlattr **path)
{
	return conga_state_next(&conga_path_object, &box->state.paths, next, path);
}

/* Is it a UDP port that the fabric takes for VXLAN? */
static bool conga_box_takes(const struct conga_box *box, unsigned int dstport)
{
	struct nlmsghdr *fabric = nlmsg_hdr(box->state.fabric.msgs[0]);
	struct nlattr *attr;
	int rem;

	nlmsg_for_each_attr(attr, fabric, GENL_HDRLEN, rem)
		if (nla_type(attr) == CONGA_A_FABRIC_DSTPORT &&
		    conga_print_value(attr) == dstport)
			return true;
	return false;
}

/* Another vxlan device of the fabric, or NULL; the first one after NULL. */
struct rtnl_link *conga_box_next_vxlan(const struct conga_box *box, struct rtnl_link *link)
{
	struct nl_object *object = (struct nl_object *)link;
	uint32_t dstport;

	object = object ? nl_cache_get_next(object) : nl_cache_get_first(box->links);
	for (; object; object = nl_cache_get_next(object)) {
		link = (struct rtnl_link *)object;
		if (rtnl_link_is_vxlan(link) && !rtnl_link_vxlan_get_port(link, &dstport) &&
		    conga_box_takes(box, dstport))
			return link;
	}
	return NULL;
}

/* Borrowed from the cache, NULL if it went meanwhile. */
struct rtnl_link *conga_box_link(const struct conga_box *box, unsigned int ifindex)
{
	struct rtnl_link *link = rtnl_link_get(box->links, ifindex);

	rtnl_link_put(link);
	return link;
}

/* @role 0: any */
bool conga_box_is_port(const struct conga_box *box, unsigned int ifindex, unsigned int role)
{
	struct nlattr *port[CONGA_ATTRS_MAX + 1];
	size_t next = 0;

	while (conga_box_next_port(box, &next, port))
		if (conga_print_value(port[CONGA_A_PORT_IFINDEX]) == ifindex)
			return !role || conga_print_value(port[CONGA_A_PORT_ROLE]) == role;
	return false;
}

void conga_box_leaf_name(struct nlattr **leaf, char *name)
{
	const struct nlattr *addr4 = leaf[CONGA_A_LEAF_ADDR4];
	const struct nlattr *addr = addr4 ? addr4 : leaf[CONGA_A_LEAF_ADDR6];

	if (!addr || !inet_ntop(addr4 ? AF_INET : AF_INET6, nla_data(addr), name,
				CONGA_BOX_NAME_MAX))
		snprintf(name, CONGA_BOX_NAME_MAX, "?");
}

/* -1 if there is none. /proc/sys/net is that of the process's namespace. */
long conga_box_sysctl(const char *family, const char *name)
{
	char path[CONGA_BOX_PATH_MAX];
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

/* @driver has room for ETHTOOL_BUSINFO_LEN. */
bool conga_box_driver(const char *dev, char *driver)
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
