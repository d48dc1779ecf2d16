// SPDX-License-Identifier: GPL-2.0
#include "common/addr.h"
#include "common/link.h"
#include "common/nexthop.h"
#include "daemon/view.h"

static int congad_view_compare_link(const void *a, const void *b)
{
	const struct conga_link *first = a, *second = b;

	return first->ifindex - second->ifindex;
}

static int congad_view_compare_nexthop(const void *a, const void *b)
{
	const struct conga_nexthop *first = a, *second = b;

	if (first->id != second->id)
		return first->id < second->id ? -1 : 1;
	return first->member < second->member ? -1 : first->member > second->member;
}

static int congad_view_compare_vtep(const void *a, const void *b)
{
	const struct congad_vtep *first = a, *second = b;
	int order = conga_addr_compare(&first->addr, &second->addr);

	return order ? order : first->vrf - second->vrf;
}

static int congad_view_compare_port(const void *a, const void *b)
{
	const struct congad_wanted_port *first = a, *second = b;

	return first->ifindex - second->ifindex;
}

static int congad_view_compare_source(const void *a, const void *b)
{
	const struct congad_source *first = a, *second = b;

	return first->ifindex - second->ifindex;
}

void congad_view_setup(struct congad_view *view)
{
	*view = (struct congad_view) {
		.links = CONGA_ARRAY(struct conga_link, congad_view_compare_link),
		.nexthops = CONGA_ARRAY(struct conga_nexthop, congad_view_compare_nexthop),
		.vteps = CONGA_ARRAY(struct congad_vtep, congad_view_compare_vtep),
		.leaves = CONGA_ARRAY(struct congad_wanted_leaf, conga_addr_compare),
		.ports = CONGA_ARRAY(struct congad_wanted_port, congad_view_compare_port),
		.bridges = CONGA_ARRAY(struct congad_wanted_port, congad_view_compare_port),
		.sources = CONGA_ARRAY(struct congad_source, congad_view_compare_source),
	};
}

void congad_view_clean(struct congad_view *view)
{
	conga_array_clean(&view->links);
	conga_array_clean(&view->nexthops);
	conga_array_clean(&view->vteps);
	conga_array_clean(&view->leaves);
	conga_array_clean(&view->ports);
	conga_array_clean(&view->bridges);
	conga_array_clean(&view->sources);
}

bool congad_view_has_vxlan(const struct congad_view *view)
{
	size_t i;

	for (i = 0; i < view->links.count; i++) {
		const struct conga_link *link = conga_array_at(&view->links, i);

		if (link->kind == CONGA_LINK_VXLAN && !link->elsewhere)
			return true;
	}
	return false;
}
