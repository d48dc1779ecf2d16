// SPDX-License-Identifier: GPL-2.0
/* Requests that create, change or destroy a port. Each is validated whole first. */
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <net/vxlan.h>

#include "config/lifetime.h"
#include "config/speed.h"
#include "netlink/event.h"
#include "netlink/request.h"
#include "netlink/rules.h"
#include "netlink/rules_generated.h"
#include "netlink/set_fabric.h"
#include "netlink/set_port.h"
#include "objects/fabric.h"
#include "objects/hops.h"
#include "objects/port.h"

/* The values of a request for a port, read and checked */
struct conga_netlink_port_request {
	struct conga_lifetime_port	port;
	struct conga_port		*replaces;	/* NULL: no port */
};

static int conga_netlink_read_dev(struct conga_netlink_port_request *request,
				  struct conga_fabric *fabric,
				  struct genl_info *info)
{
	struct nlattr *attr = info->attrs[CONGA_A_PORT_IFINDEX];
	struct conga_port *port;

	if (!attr) {
		NL_SET_ERR_MSG(info->extack, "The request must name the device of the port");
		return -EINVAL;
	}
	request->port.dev = __dev_get_by_index(fabric->net, nla_get_u32(attr));
	if (!request->port.dev) {
		NL_SET_ERR_MSG_ATTR(info->extack, attr,
				    "There is no such device in this network namespace");
		return -ENODEV;
	}
	if (request->port.dev->flags & IFF_LOOPBACK ||
	    netif_is_l3_master(request->port.dev)) {
		NL_SET_ERR_MSG_ATTR(info->extack, attr,
				    "A loopback or VRF device cannot be a port");
		return -EINVAL;
	}
	port = conga_port_find(fabric, request->port.dev->ifindex);
	if (port && conga_netlink_replaces(port->origin, request->port.origin)) {
		request->replaces = port;
	} else if (port) {
		NL_SET_ERR_MSG_ATTR(info->extack, attr,
				    "This device is a port already");
		return -EEXIST;
	}
	return 0;
}

static int conga_netlink_is_vxlan(struct net_device *dev, struct netdev_nested_priv *priv)
{
	return netif_is_vxlan(dev);
}

static bool conga_netlink_carries_vxlan(struct net_device *dev)
{
	struct netdev_nested_priv priv = { };

	return netif_is_vxlan(dev) ||
	       netdev_walk_all_lower_dev(dev, conga_netlink_is_vxlan, &priv);
}

/* The device above a member has the addresses and routes. A tunnel leaves by uplinks, and
 * an uplink that leads into a tunnel would need one itself.
 */
static int conga_netlink_read_uplink(const struct conga_netlink_port_request *request,
				     struct genl_info *info)
{
	struct nlattr *attr = info->attrs[CONGA_A_PORT_IFINDEX];
	struct net_device *dev = request->port.dev;

	if (request->port.role != CONGA_ROLE_UPLINK)
		return 0;
	if (netif_is_lag_port(dev))
		NL_SET_ERR_MSG_ATTR(info->extack, attr,
				    "A member of a bond or team cannot be an uplink, the bond or team can");
	else if (netif_is_bridge_port(dev))
		NL_SET_ERR_MSG_ATTR(info->extack, attr,
				    "A port of a bridge cannot be an uplink, the bridge can");
	else if (netif_is_ovs_port(dev))
		NL_SET_ERR_MSG_ATTR(info->extack, attr,
				    "A port of Open vSwitch cannot be an uplink, an internal port can");
	else if (conga_netlink_carries_vxlan(dev))
		NL_SET_ERR_MSG_ATTR(info->extack, attr,
				    "A vxlan device, or a device above one, cannot be an uplink");
	else
		return 0;
	return -EINVAL;
}

static int conga_netlink_read_tag(struct conga_netlink_port_request *request,
				  struct conga_fabric *fabric,
				  struct genl_info *info)
{
	struct nlattr *attr = info->attrs[CONGA_A_PORT_TAG];
	struct conga_port *old = request->replaces, *owner;

	if (request->port.role != CONGA_ROLE_UPLINK) {
		request->port.tag = CONGA_TAG_NONE;
		if (!attr)
			return 0;
		NL_SET_ERR_MSG_ATTR(info->extack, attr,
				    "Only an uplink has an LBTag");
		return -EINVAL;
	}
	request->port.tag = old && old->role == CONGA_ROLE_UPLINK ?
			    old->tag : conga_port_free_tag(fabric);
	if (request->port.tag == CONGA_TAGS_MAX) {
		NL_SET_ERR_MSG(info->extack,
			       "A leaf has at most 16 uplinks, because an LBTag has 4 bits");
		return -ENOSPC;
	}
	if (!attr)
		return 0;
	request->port.tag = nla_get_u32(attr);
	owner = conga_port_uplink(fabric, request->port.tag);
	if (!owner || owner == old || owner->tag != request->port.tag)
		return 0;
	NL_SET_ERR_MSG_ATTR(info->extack, attr,
			    "Another uplink has this LBTag");
	return -EEXIST;
}

/* Each uplink has as many LBTags as entropy says. */
static int conga_netlink_check_tags(const struct conga_netlink_port_request *request,
				    const struct conga_fabric *fabric,
				    struct genl_info *info)
{
	const struct conga_port *old = request->replaces;
	u16 own = conga_port_own_tags(fabric);

	if (request->port.role != CONGA_ROLE_UPLINK)
		return 0;
	if (old && old->role == CONGA_ROLE_UPLINK)
		own &= ~BIT(old->tag);
	own |= BIT(request->port.tag);
	return conga_netlink_check_entropy(conga_fabric_params(fabric), own, info->extack);
}

static int conga_netlink_read_rate(struct conga_netlink_port_request *request,
				   struct genl_info *info)
{
	struct nlattr *attr = info->attrs[CONGA_A_PORT_RATE];

	request->port.rate_source = CONGA_RATE_CONFIGURED;
	request->port.rate = attr ? nla_get_u64(attr) : 0;
	if (request->port.rate)
		return 0;
	request->port.rate_source = CONGA_RATE_LINK;
	request->port.rate = conga_port_link_rate(request->port.dev);
	if (request->port.rate)
		return 0;
	NL_SET_ERR_MSG(info->extack,
		       "The device reports no usable link speed, give a rate");
	return -EINVAL;
}

/* The kernel routes the packets that leave by a transit port, so that it cannot drain. */
static int conga_netlink_read_drain(struct conga_netlink_port_request *request,
				    struct genl_info *info)
{
	struct nlattr *attr = info->attrs[CONGA_A_PORT_DRAIN];

	if (!attr)
		return 0;
	request->port.drain = nla_get_u32(attr);
	if (request->port.role == CONGA_ROLE_UPLINK)
		return 0;
	NL_SET_ERR_MSG_ATTR(info->extack, attr, "Only an uplink can be drained");
	return -EINVAL;
}

static int conga_netlink_read_port(struct conga_netlink_port_request *request,
				   struct conga_fabric *fabric,
				   struct genl_info *info)
{
	struct nlattr *role = info->attrs[CONGA_A_PORT_ROLE];
	int err;

	err = conga_netlink_check(info->nlhdr, conga_netlink_port_rules, info->extack);
	if (err)
		return err;
	request->port.origin = conga_netlink_origin(info, CONGA_A_PORT_ORIGIN);
	err = conga_netlink_read_dev(request, fabric, info);
	if (err)
		return err;
	if (!role) {
		NL_SET_ERR_MSG(info->extack,
			       "A new port must have a role, uplink or transit");
		return -EINVAL;
	}
	request->port.role = nla_get_u32(role);
	if (info->attrs[CONGA_A_PORT_TIER])
		request->port.tier = nla_get_u32(info->attrs[CONGA_A_PORT_TIER]);
	err = conga_netlink_read_uplink(request, info);
	if (!err)
		err = conga_netlink_read_tag(request, fabric, info);
	if (!err)
		err = conga_netlink_check_tags(request, fabric, info);
	if (!err)
		err = conga_netlink_read_drain(request, info);
	return err ? err : conga_netlink_read_rate(request, info);
}

/* A VLAN device counts only a part of the packets of the device below, and a bond hides
 * which of its links is full. Such ports are allowed, since they may be intended.
 */
static void conga_netlink_warn_stacked(const struct conga_port *port,
				       struct genl_info *info)
{
	struct conga_port *other;

	list_for_each_entry(other, &port->fabric->ports, list)
		if (netdev_has_upper_dev(port->dev, other->dev) ||
		    netdev_has_upper_dev(other->dev, port->dev))
			NL_SET_ERR_MSG(info->extack,
				       "This device is above or below another port, so both ports count the same packets");
}

static int conga_netlink_port_make(struct conga_fabric *fabric,
				   struct genl_info *info)
{
	struct conga_netlink_port_request request = {};
	struct conga_port *port;
	int err;

	err = conga_netlink_read_port(&request, fabric, info);
	if (err)
		return err;
	port = conga_lifetime_create_port(fabric, &request.port, request.replaces,
					  info->extack);
	if (IS_ERR(port))
		return PTR_ERR(port);
	conga_netlink_tell_port(port);
	conga_netlink_warn_stacked(port, info);
	return 0;
}

int conga_netlink_port_new(struct sk_buff *skb, struct genl_info *info)
{
	return conga_netlink_locked(info, conga_netlink_port_make);
}

static int
conga_netlink_read_change(struct conga_netlink_port_request *request,
			  const struct conga_port *port, struct genl_info *info)
{
	int err;

	if (!info->attrs[CONGA_A_PORT_RATE] && !info->attrs[CONGA_A_PORT_DRAIN] &&
	    !info->attrs[CONGA_A_PORT_TIER]) {
		NL_SET_ERR_MSG(info->extack,
			       "The request must set a rate, drain or tier");
		return -EINVAL;
	}
	request->port.dev = port->dev;
	request->port.role = port->role;
	request->port.origin = conga_netlink_origin(info, CONGA_A_PORT_ORIGIN);
	err = conga_netlink_check(info->nlhdr, conga_netlink_port_rules, info->extack);
	if (!err)
		err = conga_netlink_may_touch(port->origin, request->port.origin,
					      info->extack);
	if (!err)
		err = conga_netlink_read_drain(request, info);
	if (!err && info->attrs[CONGA_A_PORT_RATE])
		err = conga_netlink_read_rate(request, info);
	return err;
}

static int conga_netlink_port_change(struct conga_fabric *fabric,
				     struct genl_info *info)
{
	struct conga_netlink_port_request request = {};
	struct conga_port *port = conga_netlink_port_named(fabric, info);
	int err;

	if (IS_ERR(port))
		return PTR_ERR(port);
	err = conga_netlink_read_change(&request, port, info);
	if (err)
		return err;
	if (info->attrs[CONGA_A_PORT_RATE] &&
	    conga_speed_set(port, request.port.rate, request.port.rate_source))
		return conga_netlink_out_of_memory(info);
	if (info->attrs[CONGA_A_PORT_DRAIN])
		conga_port_set_drain(port, request.port.drain);
	if (info->attrs[CONGA_A_PORT_TIER])
		conga_hops_set_tier(port, nla_get_u32(info->attrs[CONGA_A_PORT_TIER]));
	WRITE_ONCE(port->origin, request.port.origin);
	conga_fabric_changed(fabric);
	conga_netlink_tell_port(port);
	return 0;
}

int conga_netlink_port_set(struct sk_buff *skb, struct genl_info *info)
{
	return conga_netlink_locked(info, conga_netlink_port_change);
}

static int conga_netlink_port_remove(struct conga_fabric *fabric,
				     struct genl_info *info)
{
	struct conga_port *port = conga_netlink_port_named(fabric, info);
	u8 origin = conga_netlink_origin(info, CONGA_A_PORT_ORIGIN);
	int err;

	if (IS_ERR(port))
		return PTR_ERR(port);
	err = conga_netlink_check(info->nlhdr, conga_netlink_port_rules, info->extack);
	if (!err)
		err = conga_netlink_may_touch(port->origin, origin, info->extack);
	if (err)
		return err;
	conga_netlink_tell_port_gone(port);
	conga_lifetime_destroy_port(port);
	return 0;
}

int conga_netlink_port_del(struct sk_buff *skb, struct genl_info *info)
{
	return conga_netlink_locked(info, conga_netlink_port_remove);
}
