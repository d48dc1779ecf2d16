// SPDX-License-Identifier: GPL-2.0
/*
 * VTEPs: where vxlan devices forward to.
 *
 * All of them stand in the devices' forwarding tables: static entries, those of
 * EVPN (for an L3VNI the routers' MACs), those of devices that serve several VNIs,
 * the default destination of a point-to-point device (as the entry of MAC zero),
 * and what was learnt. An entry of EVPN multihoming has a nexthop group instead.
 * Beside them there are those that an operator made leaves.
 */
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include "daemon/daemon.h"

struct congad_fdb_reader {
	struct congad_view *view;
	const struct congad_link *vxlan;
	struct congad_vtep vtep;
};

static int congad_fdb_add(struct congad_fdb_reader *reader)
{
	if (!congad_addr_is_vtep(&reader->vtep.addr))
		return 0;
	return congad_array_add(&reader->view->vteps, &reader->vtep);
}

static int congad_fdb_add_nexthop(const struct congad_nexthop *nexthop, void *arg)
{
	struct congad_fdb_reader *reader = arg;

	if (!nexthop->has_gateway)
		return 0;
	reader->vtep.addr = nexthop->gateway;
	return congad_fdb_add(reader);
}

static int congad_fdb_on_reply(struct nlmsghdr *hdr, void *arg)
{
	const struct ndmsg *ndm = nlmsg_data(hdr);
	struct congad_fdb_reader *reader = arg;
	struct nlattr *tb[NDA_MAX + 1];
	int lower;

	if (nlmsg_parse(hdr, sizeof(*ndm), tb, NDA_MAX, NULL) < 0 || !(ndm->ndm_flags & NTF_SELF) ||
	    ndm->ndm_ifindex != reader->vxlan->ifindex)
		return 0;
	lower = tb[NDA_IFINDEX] ? (int)congad_nl_u32(tb[NDA_IFINDEX]) : reader->vxlan->lower;
	reader->vtep.vrf = congad_link_vrf(reader->view, lower);
	reader->vtep.vxlan = reader->vxlan->ifindex;
	if (tb[NDA_NH_ID])
		return congad_nexthop_walk(reader->view, congad_nl_u32(tb[NDA_NH_ID]),
					   congad_fdb_add_nexthop, reader);
	return congad_addr_read(tb[NDA_DST], &reader->vtep.addr) ? congad_fdb_add(reader) : 0;
}

/* The device is named, so that the bridges' own tables are not read. */
static int congad_fdb_read_device(struct congad_view *view, const struct congad_link *vxlan)
{
	struct congad_fdb_reader reader = { .view = view, .vxlan = vxlan };
	struct ndmsg ndm = { .ndm_family = AF_BRIDGE, .ndm_ifindex = vxlan->ifindex };

	return congad_nl_ask_route(congad_nl_message(RTM_GETNEIGH, &ndm, sizeof(ndm)),
				   NLM_F_DUMP, congad_fdb_on_reply, &reader);
}

/* Leaves that an operator added: of a device whose packets are told their destination one
 * by one (Open vSwitch, Cilium) no table says where it forwards to, but routes lead there.
 */
static int congad_fdb_add_manual(struct congad_view *view, const struct congad_fabric *fabric)
{
	struct congad_vtep vtep = { .vxlan = 0 };
	int err = 0;
	size_t i;

	for (i = 0; i < fabric->leaves.count && !err; i++) {
		const struct congad_leaf *leaf = congad_array_at(&fabric->leaves, i);

		vtep.addr = leaf->addr;
		if (!leaf->is_auto)
			err = congad_array_add(&view->vteps, &vtep);
	}
	return err;
}

int congad_fdb_read(struct congad_view *view, const struct congad_fabric *fabric)
{
	int err = congad_fdb_add_manual(view, fabric);
	size_t i;

	for (i = 0; i < view->links.count && !err; i++) {
		const struct congad_link *link = congad_array_at(&view->links, i);

		if (link->kind == CONGAD_LINK_VXLAN && !link->elsewhere)
			err = congad_fdb_read_device(view, link);
	}
	congad_array_sort(&view->vteps);
	return err;
}
