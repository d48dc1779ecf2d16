// SPDX-License-Identifier: GPL-2.0
#include "daemon/nexthop.h"
#include "daemon/nl.h"

static int congad_nexthop_on_nexthop(const struct conga_nexthop *nexthop, void *arg)
{
	struct congad_view *view = arg;

	return conga_array_add(&view->nexthops, nexthop);
}

int congad_nexthop_read(struct congad_view *view)
{
	struct conga_netlink_answer answer;
	int err;

	err = conga_nexthop_dump(&congad_nl_route, congad_nexthop_on_nexthop, view, &answer);
	conga_array_sort(&view->nexthops);
	return congad_nl_verdict(&answer, err);
}

int congad_nexthop_walk(const struct congad_view *view, uint32_t id,
			conga_nexthop_visitor *visit, void *arg)
{
	struct conga_nexthop key = { .id = id };
	size_t i = conga_array_first(&view->nexthops, &key);
	int err = 0;

	for (; i < view->nexthops.count && !err; i++) {
		const struct conga_nexthop *nexthop = conga_array_at(&view->nexthops, i);

		if (nexthop->id != id)
			break;
		if (nexthop->member) {
			key.id = nexthop->member;
			nexthop = conga_array_find(&view->nexthops, &key);
		}
		if (nexthop)
			err = visit(nexthop, arg);
	}
	return err;
}
