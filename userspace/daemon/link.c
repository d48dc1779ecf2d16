// SPDX-License-Identifier: GPL-2.0
#include "common/names.h"
#include "daemon/link.h"
#include "daemon/nl.h"

static int congad_link_on_link(const struct conga_link *link, void *arg)
{
	struct congad_view *view = arg;

	return conga_array_add(&view->links, link);
}

int congad_link_read(struct congad_view *view)
{
	struct conga_netlink_answer answer;
	int err;

	err = conga_link_dump(&congad_nl_route, congad_link_on_link, view, &answer);
	conga_array_sort(&view->links);
	return congad_nl_verdict(&answer, err);
}

const struct conga_link *congad_link_find(const struct congad_view *view, int ifindex)
{
	struct conga_link key = { .ifindex = ifindex };

	return conga_array_find(&view->links, &key);
}

const char *congad_link_name(const struct congad_view *view, int ifindex)
{
	static char name[IFNAMSIZ];
	const struct conga_link *link = congad_link_find(view, ifindex);

	if (link)
		return link->name;
	conga_names_find(ifindex, name);
	return name;
}

/* A bridge's packets leave by its ports, and tunnels and VRFs are not links of the fabric. */
bool congad_link_is_uplink(const struct congad_view *view, int ifindex)
{
	const struct conga_link *link = congad_link_find(view, ifindex);

	if (!link)
		return false;
	switch (link->kind) {
	case CONGA_LINK_HARDWARE:
	case CONGA_LINK_VIRTUAL:
	case CONGA_LINK_VETH:
	case CONGA_LINK_GENEVE:
	case CONGA_LINK_OPENVSWITCH:
		return true;
	default:
		return false;
	}
}

bool congad_link_is_bridge(const struct congad_view *view, int ifindex)
{
	const struct conga_link *link = congad_link_find(view, ifindex);

	return link && link->kind == CONGA_LINK_BRIDGE;
}

int congad_link_vrf(const struct congad_view *view, int ifindex)
{
	const struct conga_link *link = congad_link_find(view, ifindex);

	if (link && link->kind != CONGA_LINK_VRF)
		link = congad_link_find(view, link->master);
	return link && link->kind == CONGA_LINK_VRF ? link->ifindex : 0;
}
