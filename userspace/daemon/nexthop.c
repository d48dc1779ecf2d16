// SPDX-License-Identifier: GPL-2.0
/* Nexthop objects: of routes, and of forwarding entries (EVPN multihoming). */
#include <string.h>
#include <linux/nexthop.h>
#include <linux/rtnetlink.h>
#include "daemon/daemon.h"

static int congad_nexthop_add_group(struct congad_view *view, struct congad_nexthop *nexthop,
				    struct nlattr *attr)
{
	const struct nexthop_grp *member = nla_data(attr);
	int count = nla_len(attr) / (int)sizeof(*member);
	int err = 0;

	for (; count > 0 && !err; count--, member++) {
		nexthop->member = member->id;
		err = congad_array_add(&view->nexthops, nexthop);
	}
	return err;
}

static int congad_nexthop_on_reply(struct nlmsghdr *hdr, void *arg)
{
	struct congad_nexthop nexthop = { 0 };
	struct nlattr *tb[NHA_MAX + 1];
	struct congad_view *view = arg;

	if (nlmsg_parse(hdr, sizeof(struct nhmsg), tb, NHA_MAX, NULL) < 0)
		return 0;
	nexthop.id = congad_nl_u32(tb[NHA_ID]);
	if (tb[NHA_GROUP])
		return congad_nexthop_add_group(view, &nexthop, tb[NHA_GROUP]);
	nexthop.ifindex = congad_nl_u32(tb[NHA_OIF]);
	nexthop.has_gateway = congad_addr_read(tb[NHA_GATEWAY], &nexthop.gateway);
	return congad_array_add(&view->nexthops, &nexthop);
}

int congad_nexthop_read(struct congad_view *view)
{
	struct nhmsg nhm = { .nh_family = AF_UNSPEC };
	int err;

	err = congad_nl_ask_route(congad_nl_message(RTM_GETNEXTHOP, &nhm, sizeof(nhm)),
				  NLM_F_DUMP, congad_nexthop_on_reply, view);
	congad_array_sort(&view->nexthops);
	return err;
}

/* congad_nexthop_walk - the nexthop, or all of the group; groups are not nested */
int congad_nexthop_walk(const struct congad_view *view, uint32_t id,
			int (*visit)(const struct congad_nexthop *nexthop, void *arg), void *arg)
{
	struct congad_nexthop key = { .id = id };
	size_t i = congad_array_first(&view->nexthops, &key);
	int err = 0;

	for (; i < view->nexthops.count && !err; i++) {
		const struct congad_nexthop *nexthop = congad_array_at(&view->nexthops, i);

		if (nexthop->id != id)
			break;
		if (nexthop->member) {
			key.id = nexthop->member;
			nexthop = congad_array_find(&view->nexthops, &key);
		}
		if (nexthop)
			err = visit(nexthop, arg);
	}
	return err;
}
