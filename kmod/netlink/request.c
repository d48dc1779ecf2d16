// SPDX-License-Identifier: GPL-2.0
/* The common steps of requests: their objects, the origin of these, and the locks. */
#include <net/ipv6.h>

#include "netlink/request.h"
#include "objects/fabric.h"
#include "objects/leaf_table.h"
#include "objects/path.h"
#include "objects/port.h"

/* --- the objects that a request names --- */

/* conga_netlink_fabric - the fabric; the mutex is held; NULL and a sentence if there is none */
struct conga_fabric *conga_netlink_fabric(struct net *net,
					  struct netlink_ext_ack *extack)
{
	struct conga_fabric *fabric = conga_fabric_get_locked(net);

	if (!fabric)
		NL_SET_ERR_MSG(extack,
			       "There is no fabric in this network namespace, add one first");
	return fabric;
}

/* conga_netlink_port - find a port by its ifindex in @attr; ERR_PTR and a sentence on an error */
struct conga_port *conga_netlink_port(struct conga_fabric *fabric,
				      const struct nlattr *attr,
				      struct netlink_ext_ack *extack)
{
	struct conga_port *port;

	if (!attr) {
		NL_SET_ERR_MSG(extack, "The request must name the device of the port");
		return ERR_PTR(-EINVAL);
	}
	port = conga_port_find(fabric, nla_get_u32(attr));
	if (port)
		return port;
	NL_SET_ERR_MSG_ATTR(extack, attr,
			    "This device is not a port of the fabric");
	return ERR_PTR(-ENOENT);
}

/* conga_netlink_port_named - the port that a request is about, likewise */
struct conga_port *conga_netlink_port_named(struct conga_fabric *fabric,
					    struct genl_info *info)
{
	return conga_netlink_port(fabric, info->attrs[CONGA_A_PORT_IFINDEX],
				  info->extack);
}

/*
 * conga_netlink_addr - read a leaf's address, IPv4 as ::ffff:a.b.c.d
 *
 * Returns the number of addresses given; @addr is the last of them.
 */
int conga_netlink_addr(struct nlattr **attrs, int v4, int v6,
		       struct in6_addr *addr)
{
	int count = 0;

	if (attrs[v4]) {
		ipv6_addr_set_v4mapped(nla_get_in_addr(attrs[v4]), addr);
		count++;
	}
	if (attrs[v6]) {
		*addr = nla_get_in6_addr(attrs[v6]);
		count++;
	}
	return count;
}

/* conga_netlink_leaf - find a leaf by its address; ERR_PTR and a sentence on an error */
struct conga_leaf *conga_netlink_leaf(struct conga_fabric *fabric,
				      struct nlattr **attrs, int v4, int v6,
				      struct netlink_ext_ack *extack)
{
	struct conga_leaf *leaf;
	struct in6_addr addr;

	if (conga_netlink_addr(attrs, v4, v6, &addr) != 1) {
		NL_SET_ERR_MSG(extack, "The request must name the leaf by exactly one address");
		return ERR_PTR(-EINVAL);
	}
	leaf = conga_leaf_find_locked(fabric, &addr);
	if (leaf)
		return leaf;
	NL_SET_ERR_MSG(extack, "This address is not a leaf of the fabric");
	return ERR_PTR(-ENOENT);
}

/* conga_netlink_addr_usable - a tunnel endpoint must have a unicast address that is valid
 * beyond one link
 */
bool conga_netlink_addr_usable(struct net *net, const struct in6_addr *addr)
{
	__be32 v4 = addr->s6_addr32[3];

	if (ipv6_addr_v4mapped(addr))
		return !ipv4_is_zeronet(v4) && !ipv4_is_loopback(v4) &&
		       !ipv4_is_linklocal_169(v4) &&
		       !ipv4_is_multicast(v4) && !ipv4_is_lbcast(v4) &&
		       conga_path_type4(net, v4) != RTN_BROADCAST;
	return ipv6_addr_type(addr) & IPV6_ADDR_UNICAST &&
	       !(ipv6_addr_type(addr) & (IPV6_ADDR_LINKLOCAL |
					 IPV6_ADDR_LOOPBACK));
}

/* --- the origin of objects --- */

/* conga_netlink_origin - the origin of a request, which @attr states */
u8 conga_netlink_origin(const struct genl_info *info, int attr)
{
	return info->attrs[attr] ? nla_get_u32(info->attrs[attr]) :
				   CONGA_ORIGIN_MANUAL;
}

/* conga_netlink_may_touch - may a request of @origin change an object of @owner? */
int conga_netlink_may_touch(u8 owner, u8 origin,
			    struct netlink_ext_ack *extack)
{
	if (origin == CONGA_ORIGIN_MANUAL || owner == CONGA_ORIGIN_AUTO)
		return 0;
	NL_SET_ERR_MSG(extack,
		       "An operator configured this object, a daemon must not change or remove it");
	return -EPERM;
}

/* conga_netlink_replaces - an operator's request to add an object replaces a daemon's object */
bool conga_netlink_replaces(u8 owner, u8 origin)
{
	return origin == CONGA_ORIGIN_MANUAL && owner == CONGA_ORIGIN_AUTO;
}

/* --- the locks --- */

/* conga_netlink_locked - call @change with the locks held and the fabric */
int conga_netlink_locked(struct genl_info *info, conga_netlink_change_t change)
{
	struct net *net = genl_info_net(info);
	struct conga_fabric *fabric;
	int err = -ENOENT;

	conga_lock(net);
	fabric = conga_netlink_fabric(net, info->extack);
	if (fabric)
		err = change(fabric, info);
	conga_unlock(net);
	return err;
}

int conga_netlink_out_of_memory(struct genl_info *info)
{
	NL_SET_ERR_MSG(info->extack, "Out of memory");
	return -ENOMEM;
}
