// SPDX-License-Identifier: GPL-2.0
/* Forwarding entries are parsed here: libnl-route supports neither nexthop groups of entries nor
 * the device by which their packets leave.
 */
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include "common/addr.h"
#include "common/attr.h"
#include "common/fdb.h"

struct conga_fdb_reader {
	int ifindex;
	conga_fdb_visitor *visit;
	void *arg;
};

bool conga_fdb_is_entry(struct nlmsghdr *hdr)
{
	const struct ndmsg *ndm = nlmsg_data(hdr);

	return nlmsg_datalen(hdr) >= (int)sizeof(*ndm) && ndm->ndm_family == AF_BRIDGE &&
	       ndm->ndm_flags & NTF_SELF;
}

static int conga_fdb_on_reply(struct nl_msg *reply, void *arg)
{
	const struct conga_fdb_reader *reader = arg;
	struct nlmsghdr *hdr = nlmsg_hdr(reply);
	const struct ndmsg *ndm = nlmsg_data(hdr);
	struct conga_fdb_entry entry = { 0 };
	struct nlattr *tb[NDA_MAX + 1];

	if (nlmsg_parse(hdr, sizeof(*ndm), tb, NDA_MAX, NULL) < 0 ||
	    !(ndm->ndm_flags & NTF_SELF) || ndm->ndm_ifindex != reader->ifindex)
		return 0;
	entry.lower = conga_attr_number(tb[NDA_IFINDEX]);
	entry.nexthop = conga_attr_number(tb[NDA_NH_ID]);
	entry.has_addr = conga_addr_read(tb[NDA_DST], &entry.addr);
	return reader->visit(&entry, reader->arg);
}

/* The request names the device, so that the bridges' own tables are not read. */
int conga_fdb_dump(struct conga_netlink *netlink, int ifindex, conga_fdb_visitor *visit,
		   void *arg, struct conga_netlink_answer *answer)
{
	struct conga_fdb_reader reader = { .ifindex = ifindex, .visit = visit, .arg = arg };
	struct ndmsg ndm = { .ndm_family = AF_BRIDGE, .ndm_ifindex = ifindex };
	struct nl_msg *msg = conga_netlink_message(RTM_GETNEIGH, &ndm, sizeof(ndm));

	return conga_netlink_request_once(netlink, msg, NLM_F_DUMP, conga_fdb_on_reply, &reader,
					  answer);
}
