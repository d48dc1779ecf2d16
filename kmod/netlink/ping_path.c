// SPDX-License-Identifier: GPL-2.0
/* "path ping": the next tick sends a hello to a leaf by one uplink. */
#include <linux/rtnetlink.h>

#include "netlink/ping_path.h"
#include "netlink/request.h"
#include "netlink/rules.h"
#include "objects/fabric.h"
#include "objects/leaf.h"
#include "objects/path.h"
#include "objects/ping.h"
#include "objects/port.h"

/* No hello can leave by a path for these reasons; one can by a silent, narrow or draining path. */
static const char *const conga_netlink_ping_sentences[__CONGA_PATH_REASON_MAX] = {
	[CONGA_PATH_PORT_DOWN] =
		"This path cannot be pinged: the uplink is down or has no carrier",
	[CONGA_PATH_NO_ROUTE] =
		"This path cannot be pinged: there is no unicast route to the leaf",
	[CONGA_PATH_NOT_NEXTHOP] =
		"This path cannot be pinged: the route to the leaf does not use this uplink",
	[CONGA_PATH_NEXTHOP_DOWN] =
		"This path cannot be pinged: the nexthop on this uplink is dead or its link is down",
	[CONGA_PATH_OTHER_DEVICE] =
		"This path cannot be pinged: a route lookup for this uplink returns another device",
	[CONGA_PATH_NEIGHBOUR] =
		"This path cannot be pinged: no gateway on this uplink answers",
};

static int conga_netlink_check_route(struct conga_leaf *leaf, struct conga_port *port,
				     struct genl_info *info)
{
	const char *sentence;
	u8 reason;

	local_bh_disable();
	rcu_read_lock();
	reason = conga_path_reason(leaf, port);
	rcu_read_unlock();
	local_bh_enable();
	sentence = conga_netlink_ping_sentences[reason];
	if (!sentence)
		return 0;
	conga_netlink_refuse(info->extack, info->attrs[CONGA_A_PATH_IFINDEX], sentence);
	return -ENETUNREACH;
}

/* Would the next tick send a hello by this uplink? */
static int conga_netlink_check_ping(struct conga_leaf *leaf, struct conga_port *port,
				    struct genl_info *info)
{
	if (port->role != CONGA_ROLE_UPLINK) {
		NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[CONGA_A_PATH_IFINDEX],
				    "Only an uplink sends hellos, so no other port can ping");
		return -EINVAL;
	}
	if (!conga_fabric_params(leaf->fabric)->hello) {
		NL_SET_ERR_MSG(info->extack, "Hello is off, so no leaf can be pinged");
		return -EINVAL;
	}
	if (leaf->mode == CONGA_MODE_PLAIN) {
		NL_SET_ERR_MSG(info->extack,
			       "A leaf in mode plain gets no hellos, so it cannot be pinged");
		return -EINVAL;
	}
	return conga_netlink_check_route(leaf, port, info);
}

/* Reads the LBTag of the path, one of @port's. */
static int conga_netlink_read_ping_tag(const struct conga_leaf *leaf, const struct conga_port *port,
				       struct genl_info *info, u8 *tag)
{
	const struct nlattr *attr = info->attrs[CONGA_A_PATH_TAG];
	u32 value = attr ? nla_get_u32(attr) : port->tag;

	if (value < CONGA_TAGS_MAX && port->tags & BIT(value) &&
	    conga_leaf_has_path(leaf, value)) {
		*tag = value;
		return 0;
	}
	NL_SET_ERR_MSG_ATTR(info->extack, attr,
			    "There is no path with this LBTag by this uplink to the leaf");
	return -EINVAL;
}

static int conga_netlink_order_ping(struct conga_leaf *leaf, u8 tag, struct genl_info *info)
{
	int err = conga_ping_order(leaf, tag);

	if (err == -ENOMEM)
		return conga_netlink_out_of_memory(info);
	if (err)
		NL_SET_ERR_MSG(info->extack,
			       "This path was pinged in this hello interval already");
	return err;
}

static int conga_netlink_ping(struct conga_fabric *fabric, struct genl_info *info)
{
	struct conga_leaf *leaf;
	struct conga_port *port;
	int err;
	u8 tag;

	leaf = conga_netlink_leaf(fabric, info->attrs, CONGA_A_PATH_ADDR4,
				  CONGA_A_PATH_ADDR6, info->extack);
	if (IS_ERR(leaf))
		return PTR_ERR(leaf);
	port = conga_netlink_port(fabric, info->attrs[CONGA_A_PATH_IFINDEX], info->extack);
	if (IS_ERR(port))
		return PTR_ERR(port);
	err = conga_netlink_check_ping(leaf, port, info);
	if (!err)
		err = conga_netlink_read_ping_tag(leaf, port, info, &tag);
	return err ? err : conga_netlink_order_ping(leaf, tag, info);
}

int conga_netlink_path_ping(struct sk_buff *skb, struct genl_info *info)
{
	return conga_netlink_locked(info, conga_netlink_ping);
}
