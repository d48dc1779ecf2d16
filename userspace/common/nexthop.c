// SPDX-License-Identifier: GPL-2.0
/* Nexthop objects are parsed here: libnl-route does not support resilient groups up to version
 * 3.7.
 */
#include <linux/nexthop.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include "common/addr.h"
#include "common/attr.h"
#include "common/nexthop.h"

struct conga_nexthop_reader {
	conga_nexthop_visitor *visit;
	void *arg;
};

static int conga_nexthop_visit_group(const struct conga_nexthop_reader *reader,
				     struct conga_nexthop *nexthop, struct nlattr *attr)
{
	const struct nexthop_grp *member = nla_data(attr);
	int count = nla_len(attr) / (int)sizeof(*member);
	int err = 0;

	for (; count > 0 && !err; count--, member++) {
		nexthop->member = member->id;
		err = reader->visit(nexthop, reader->arg);
	}
	return err;
}

static int conga_nexthop_on_reply(struct nl_msg *reply, void *arg)
{
	const struct conga_nexthop_reader *reader = arg;
	struct conga_nexthop nexthop = { 0 };
	struct nlattr *tb[NHA_MAX + 1];

	if (nlmsg_parse(nlmsg_hdr(reply), sizeof(struct nhmsg), tb, NHA_MAX, NULL) < 0)
		return 0;
	nexthop.id = conga_attr_number(tb[NHA_ID]);
	if (tb[NHA_GROUP])
		return conga_nexthop_visit_group(reader, &nexthop, tb[NHA_GROUP]);
	nexthop.ifindex = conga_attr_number(tb[NHA_OIF]);
	nexthop.has_gateway = conga_addr_read(tb[NHA_GATEWAY], &nexthop.gateway);
	return reader->visit(&nexthop, reader->arg);
}

int conga_nexthop_dump(struct conga_netlink *netlink, conga_nexthop_visitor *visit, void *arg,
		       struct conga_netlink_answer *answer)
{
	struct conga_nexthop_reader reader = { .visit = visit, .arg = arg };
	struct nhmsg nhm = { .nh_family = AF_UNSPEC };
	struct nl_msg *msg = conga_netlink_message(RTM_GETNEXTHOP, &nhm, sizeof(nhm));

	return conga_netlink_request_once(netlink, msg, NLM_F_DUMP, conga_nexthop_on_reply, &reader,
					  answer);
}
