// SPDX-License-Identifier: GPL-2.0
#include "common/addr.h"
#include "common/fdb.h"
#include "daemon/fdb.h"
#include "daemon/link.h"
#include "daemon/nexthop.h"
#include "daemon/nl.h"

#define CONGAD_FDB_LINK_LOCAL	0xa9fe	/* 169.254.0.0/16 */

struct congad_fdb_reader {
	struct congad_view *view;
	const struct conga_link *vxlan;
	struct congad_vtep vtep;
};

static bool congad_fdb_is_vtep4(uint32_t addr)
{
	return addr != INADDR_ANY && addr >> 24 != IN_LOOPBACKNET && !IN_MULTICAST(addr) &&
	       !IN_BADCLASS(addr) && addr >> 16 != CONGAD_FDB_LINK_LOCAL;
}

/* Returns true if the address can be a leaf. Routes show whether the address is our own. */
static bool congad_fdb_is_vtep(const struct in6_addr *addr)
{
	if (conga_addr_is_v4(addr))
		return congad_fdb_is_vtep4(ntohl(addr->s6_addr32[3]));
	return !IN6_IS_ADDR_UNSPECIFIED(addr) && !IN6_IS_ADDR_LOOPBACK(addr) &&
	       !IN6_IS_ADDR_MULTICAST(addr) && !IN6_IS_ADDR_LINKLOCAL(addr);
}

static int congad_fdb_add(struct congad_fdb_reader *reader)
{
	struct congad_source source = { .ifindex = reader->vxlan->ifindex };

	if (!congad_fdb_is_vtep(&reader->vtep.addr))
		return 0;
	if (conga_array_add(&reader->view->sources, &source))
		return 1;
	return conga_array_add(&reader->view->vteps, &reader->vtep);
}

static int congad_fdb_add_nexthop(const struct conga_nexthop *nexthop, void *arg)
{
	struct congad_fdb_reader *reader = arg;

	if (!nexthop->has_gateway)
		return 0;
	reader->vtep.addr = nexthop->gateway;
	return congad_fdb_add(reader);
}

static int congad_fdb_on_entry(const struct conga_fdb_entry *entry, void *arg)
{
	struct congad_fdb_reader *reader = arg;
	int lower = entry->lower ? entry->lower : reader->vxlan->vxlan.lower;

	reader->vtep.vrf = congad_link_vrf(reader->view, lower);
	reader->vtep.vxlan = reader->vxlan->ifindex;
	reader->vtep.addr = entry->addr;
	if (entry->nexthop)
		return congad_nexthop_walk(reader->view, entry->nexthop, congad_fdb_add_nexthop,
					   reader);
	return entry->has_addr ? congad_fdb_add(reader) : 0;
}

static int congad_fdb_read_device(struct congad_view *view, const struct conga_link *vxlan)
{
	struct congad_fdb_reader reader = { .view = view, .vxlan = vxlan };
	struct conga_netlink_answer answer;
	int err;

	err = conga_fdb_dump(&congad_nl_route, vxlan->ifindex, congad_fdb_on_entry, &reader,
			     &answer);
	return congad_nl_verdict(&answer, err);
}

/* Adds leaves of an operator: no table has the destinations of a device in collect-metadata mode
 * (Open vSwitch, Cilium), but routes lead there.
 */
static int congad_fdb_add_manual(struct congad_view *view, const struct congad_fabric *fabric)
{
	struct congad_vtep vtep = { .vxlan = 0 };
	int err = 0;
	size_t i;

	for (i = 0; i < fabric->leaves.count && !err; i++) {
		const struct congad_leaf *leaf = conga_array_at(&fabric->leaves, i);

		vtep.addr = leaf->addr;
		if (!leaf->is_auto)
			err = conga_array_add(&view->vteps, &vtep);
	}
	return err;
}

int congad_fdb_read(struct congad_view *view, const struct congad_fabric *fabric)
{
	int err = congad_fdb_add_manual(view, fabric);
	size_t i;

	for (i = 0; i < view->links.count && !err; i++) {
		const struct conga_link *link = conga_array_at(&view->links, i);

		if (link->kind == CONGA_LINK_VXLAN && !link->elsewhere)
			err = congad_fdb_read_device(view, link);
	}
	conga_array_sort(&view->vteps);
	conga_array_sort(&view->sources);
	return err;
}
