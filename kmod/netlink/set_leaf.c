// SPDX-License-Identifier: GPL-2.0
/* Requests that create, change or destroy a leaf. Each is validated whole first. */
#include <linux/rtnetlink.h>
#include <net/addrconf.h>
#include <net/ipv6.h>

#include "config/change.h"
#include "config/lifetime.h"
#include "netlink/event.h"
#include "netlink/request.h"
#include "netlink/rules.h"
#include "netlink/rules_generated.h"
#include "netlink/set_leaf.h"
#include "objects/fabric.h"
#include "objects/leaf_table.h"
#include "objects/path.h"

static bool conga_netlink_addr_own(struct net *net, const struct in6_addr *addr)
{
	if (ipv6_addr_v4mapped(addr))
		return conga_path_type4(net, addr->s6_addr32[3]) == RTN_LOCAL;
	return ipv6_chk_addr(net, addr, NULL, 0);
}

/* *@old is set to the leaf that the new one replaces, if it may. */
static int conga_netlink_check_addr(struct conga_fabric *fabric,
				    struct in6_addr *addr,
				    struct conga_leaf **old, u8 origin,
				    struct genl_info *info)
{
	struct nlattr *v6 = info->attrs[CONGA_A_LEAF_ADDR6];

	if (conga_netlink_addr(info->attrs, CONGA_A_LEAF_ADDR4,
			       CONGA_A_LEAF_ADDR6, addr) != 1) {
		NL_SET_ERR_MSG(info->extack,
			       "The request must name the leaf by exactly one address");
		return -EINVAL;
	}
	if ((v6 && ipv6_addr_v4mapped(addr)) ||
	    !conga_netlink_addr_usable(fabric->net, addr)) {
		NL_SET_ERR_MSG(info->extack,
			       "A leaf must have a unicast address that is neither loopback nor link-local");
		return -EINVAL;
	}
	if (conga_netlink_addr_own(fabric->net, addr)) {
		NL_SET_ERR_MSG(info->extack,
			       "A leaf must be remote, but this address belongs to this node");
		return -EINVAL;
	}
	*old = conga_leaf_find_locked(fabric, addr);
	if (*old && !conga_netlink_replaces((*old)->origin, origin)) {
		NL_SET_ERR_MSG(info->extack, "This leaf exists already");
		return -EEXIST;
	}
	return 0;
}

static void conga_netlink_warn_hello(struct conga_fabric *fabric, u8 mode,
				     struct genl_info *info)
{
	if (mode == CONGA_MODE_AUTO && !conga_fabric_params(fabric)->hello)
		NL_SET_ERR_MSG(info->extack,
			       "Hello is off, so this leaf stays plain");
}

static int conga_netlink_leaf_make(struct conga_fabric *fabric,
				   struct genl_info *info)
{
	struct nlattr *ordered = info->attrs[CONGA_A_LEAF_MODE];
	struct conga_leaf *leaf;
	struct in6_addr addr;
	u8 mode, origin;
	int err;

	err = conga_netlink_check(info->nlhdr, conga_netlink_leaf_rules, info->extack);
	if (err)
		return err;
	mode = ordered ? nla_get_u32(ordered) : CONGA_LEAF_MODE_DEFAULT;
	origin = conga_netlink_origin(info, CONGA_A_LEAF_ORIGIN);
	err = conga_netlink_check_addr(fabric, &addr, &leaf, origin, info);
	if (err)
		return err;
	if (leaf) {
		conga_change_leaf(leaf, mode, origin);
	} else {
		leaf = conga_lifetime_create_leaf(fabric, &addr, mode, origin,
						  info->extack);
		if (IS_ERR(leaf))
			return PTR_ERR(leaf);
	}
	conga_netlink_tell_leaf(leaf);
	conga_netlink_warn_hello(fabric, mode, info);
	return 0;
}

int conga_netlink_leaf_new(struct sk_buff *skb, struct genl_info *info)
{
	return conga_netlink_locked(info, conga_netlink_leaf_make);
}

static struct conga_leaf *conga_netlink_leaf_named(struct conga_fabric *fabric,
						   struct genl_info *info)
{
	return conga_netlink_leaf(fabric, info->attrs, CONGA_A_LEAF_ADDR4,
				  CONGA_A_LEAF_ADDR6, info->extack);
}

static int conga_netlink_leaf_change(struct conga_fabric *fabric,
				     struct genl_info *info)
{
	struct conga_leaf *leaf = conga_netlink_leaf_named(fabric, info);
	u8 mode, origin;
	int err;

	if (IS_ERR(leaf))
		return PTR_ERR(leaf);
	if (!info->attrs[CONGA_A_LEAF_MODE]) {
		NL_SET_ERR_MSG(info->extack, "The request must set a mode");
		return -EINVAL;
	}
	err = conga_netlink_check(info->nlhdr, conga_netlink_leaf_rules, info->extack);
	origin = conga_netlink_origin(info, CONGA_A_LEAF_ORIGIN);
	if (!err)
		err = conga_netlink_may_touch(leaf->origin, origin, info->extack);
	if (err)
		return err;
	mode = nla_get_u32(info->attrs[CONGA_A_LEAF_MODE]);
	conga_change_leaf(leaf, mode, origin);
	conga_netlink_tell_leaf(leaf);
	conga_netlink_warn_hello(fabric, mode, info);
	return 0;
}

int conga_netlink_leaf_set(struct sk_buff *skb, struct genl_info *info)
{
	return conga_netlink_locked(info, conga_netlink_leaf_change);
}

static int conga_netlink_leaf_remove(struct conga_fabric *fabric,
				     struct genl_info *info)
{
	struct conga_leaf *leaf = conga_netlink_leaf_named(fabric, info);
	u8 origin = conga_netlink_origin(info, CONGA_A_LEAF_ORIGIN);
	int err;

	if (IS_ERR(leaf))
		return PTR_ERR(leaf);
	err = conga_netlink_check(info->nlhdr, conga_netlink_leaf_rules, info->extack);
	if (!err)
		err = conga_netlink_may_touch(leaf->origin, origin, info->extack);
	if (err)
		return err;
	conga_netlink_tell_leaf_gone(leaf);
	conga_lifetime_destroy_leaf(leaf);
	return 0;
}

int conga_netlink_leaf_del(struct sk_buff *skb, struct genl_info *info)
{
	return conga_netlink_locked(info, conga_netlink_leaf_remove);
}
