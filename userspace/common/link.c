// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>
#include <linux/rtnetlink.h>
#include <netlink/addr.h>
#include <netlink/msg.h>
#include <netlink/object.h>
#include <netlink/route/link.h>
#include <netlink/route/link/vxlan.h>
#include "common/link.h"

/* This flag is separate from running, because a device without carrier reports no speed. */
#define CONGA_LINK_RUNNING	(IFF_UP | IFF_RUNNING)

static const struct {
	const char *type;
	enum conga_link_kind kind;
} conga_link_kinds[] = {
	{ "veth", CONGA_LINK_VETH },
	{ "vxlan", CONGA_LINK_VXLAN },
	{ "vrf", CONGA_LINK_VRF },
	{ "bridge", CONGA_LINK_BRIDGE },
	{ "geneve", CONGA_LINK_GENEVE },
	{ "openvswitch", CONGA_LINK_OPENVSWITCH },
};

struct conga_link_reader {
	conga_link_visitor *visit;
	void *arg;
	int result;
};

static enum conga_link_kind conga_link_kind(struct rtnl_link *from)
{
	const char *type = rtnl_link_get_type(from);
	size_t i;

	if (rtnl_link_get_flags(from) & IFF_LOOPBACK)
		return CONGA_LINK_LOOPBACK;
	if (!type)
		return CONGA_LINK_HARDWARE;
	for (i = 0; i < sizeof(conga_link_kinds) / sizeof(*conga_link_kinds); i++)
		if (!strcmp(conga_link_kinds[i].type, type))
			return conga_link_kinds[i].kind;
	return CONGA_LINK_VIRTUAL;
}

/* Takes over the reference to @from. */
static void conga_link_read_addr(struct nl_addr *from, struct in6_addr *addr)
{
	memset(addr, 0, sizeof(*addr));
	if (nl_addr_get_family(from) == AF_INET6) {
		memcpy(addr, nl_addr_get_binary_addr(from), sizeof(*addr));
	} else {
		addr->s6_addr32[2] = htonl(0xffff);
		memcpy(&addr->s6_addr32[3], nl_addr_get_binary_addr(from),
		       sizeof(struct in_addr));
	}
	nl_addr_put(from);
}

static void conga_link_read_vxlan(struct rtnl_link *from, struct conga_link_vxlan *vxlan)
{
	struct nl_addr *addr;
	uint32_t value;

	if (!rtnl_link_vxlan_get_link(from, &value))
		vxlan->lower = value;
	if (!rtnl_link_vxlan_get_port(from, &value))
		vxlan->dstport = value;
	vxlan->external = rtnl_link_vxlan_get_collect_metadata(from) > 0;
	vxlan->gbp = !rtnl_link_vxlan_get_flags(from, &value) && value & RTNL_LINK_VXLAN_F_GBP;
	vxlan->has_local = !rtnl_link_vxlan_get_local(from, &addr);
	if (vxlan->has_local)
		conga_link_read_addr(addr, &vxlan->local);
	vxlan->has_remote = !rtnl_link_vxlan_get_group(from, &addr);
	if (vxlan->has_remote)
		conga_link_read_addr(addr, &vxlan->remote);
}

static void conga_link_on_object(struct nl_object *object, void *arg)
{
	struct rtnl_link *from = (struct rtnl_link *)object;
	struct conga_link_reader *reader = arg;
	struct conga_link link = { 0 };
	int32_t nsid;

	if (!rtnl_link_get_name(from))
		return;
	link.ifindex = rtnl_link_get_ifindex(from);
	link.kind = conga_link_kind(from);
	link.mtu = rtnl_link_get_mtu(from);
	link.master = rtnl_link_get_master(from);
	link.lower = rtnl_link_get_link(from);
	link.running = (rtnl_link_get_flags(from) & CONGA_LINK_RUNNING) == CONGA_LINK_RUNNING;
	link.elsewhere = !rtnl_link_get_link_netnsid(from, &nsid);
	snprintf(link.name, sizeof(link.name), "%s", rtnl_link_get_name(from));
	if (link.kind == CONGA_LINK_VXLAN)
		conga_link_read_vxlan(from, &link.vxlan);
	reader->result = reader->visit(&link, reader->arg);
}

/* A message that libnl cannot parse is about no relevant device. */
static int conga_link_on_reply(struct nl_msg *reply, void *arg)
{
	struct conga_link_reader *reader = arg;

	nl_msg_parse(reply, conga_link_on_object, reader);
	return reader->result;
}

int conga_link_dump(struct conga_netlink *netlink, conga_link_visitor *visit, void *arg,
		    struct conga_netlink_answer *answer)
{
	struct conga_link_reader reader = { .visit = visit, .arg = arg };
	struct ifinfomsg ifi = { .ifi_family = AF_UNSPEC };
	struct nl_msg *msg = conga_netlink_message(RTM_GETLINK, &ifi, sizeof(ifi));

	if (msg)
		nla_put_u32(msg, IFLA_EXT_MASK, RTEXT_FILTER_SKIP_STATS);
	return conga_netlink_request_once(netlink, msg, NLM_F_DUMP, conga_link_on_reply, &reader,
					  answer);
}
