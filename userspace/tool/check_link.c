// SPDX-License-Identifier: GPL-2.0
/* Devices: tunnels without an address of their own, MTUs, layers, rates. */
#include <net/if.h>
#include <string.h>
#include <linux/ethtool.h>
#include <netlink/route/link/vxlan.h>
#include "tool/check.h"

/* Outer IP, UDP and VXLAN headers, and the inner Ethernet header. */
#define CONGA_CHECK_OVERHEAD4	50
#define CONGA_CHECK_OVERHEAD6	70

/* A kernel refuses to stack devices higher. */
#define CONGA_CHECK_LAYERS_MAX	8

static struct nl_addr *conga_check_local_of(struct rtnl_link *vxlan)
{
	struct nl_addr *local = NULL;

	return rtnl_link_vxlan_get_local(vxlan, &local) ? NULL : local;
}

/* The next device that has its tunnel by itself. Where each packet is told its own (Open
 * vSwitch, Cilium: "external"), addresses and MTUs stand elsewhere. NULL behind the last.
 */
static struct rtnl_link *conga_check_next_tunnel(const struct conga_box *box,
						 struct rtnl_link *vxlan)
{
	do {
		vxlan = conga_box_next_vxlan(box, vxlan);
	} while (vxlan && rtnl_link_vxlan_get_collect_metadata(vxlan) > 0);
	return vxlan;
}

/* The route would choose the source: another one, when the route changes. */
void conga_check_vxlan_local(const struct conga_check *check, const struct conga_box *box)
{
	struct rtnl_link *vxlan = NULL;
	struct nl_addr *local;

	while ((vxlan = conga_check_next_tunnel(box, vxlan))) {
		local = conga_check_local_of(vxlan);
		if (!local)
			conga_check_report(check, rtnl_link_get_name(vxlan),
					   "has no local address, so its packets' source depends on the route; create it with \"local ADDR\", an address of lo");
		nl_addr_put(local);
	}
}

/* Does an earlier vxlan device have another address of the same family? */
static bool conga_check_local_differs(const struct conga_box *box, struct rtnl_link *vxlan,
				      struct nl_addr *local, struct rtnl_link **other)
{
	struct nl_addr *addr;
	bool differs = false;

	*other = NULL;
	while (!differs && (*other = conga_box_next_vxlan(box, *other)) && *other != vxlan) {
		addr = conga_check_local_of(*other);
		differs = addr && nl_addr_get_family(addr) == nl_addr_get_family(local) &&
			nl_addr_cmp(addr, local);
		nl_addr_put(addr);
	}
	return differs;
}

/* Other leaves know a box by one address. */
void conga_check_vxlan_locals(const struct conga_check *check, const struct conga_box *box)
{
	struct rtnl_link *vxlan = NULL, *other;
	struct nl_addr *local;

	while ((vxlan = conga_box_next_vxlan(box, vxlan))) {
		local = conga_check_local_of(vxlan);
		if (local && conga_check_local_differs(box, vxlan, local, &other))
			conga_check_report(check, rtnl_link_get_name(vxlan),
					   "has another local address than %s, so that this box is two leaves to others; use one address for all",
					   rtnl_link_get_name(other));
		nl_addr_put(local);
	}
}

void conga_check_vxlan_gbp(const struct conga_check *check, const struct conga_box *box)
{
	struct rtnl_link *vxlan = NULL;
	uint32_t flags;

	while ((vxlan = conga_box_next_vxlan(box, vxlan)))
		if (!rtnl_link_vxlan_get_flags(vxlan, &flags) && flags & RTNL_LINK_VXLAN_F_GBP)
			conga_check_report(check, rtnl_link_get_name(vxlan),
					   "uses Group Based Policy, whose marked packets are neither steered nor stamped; do without \"gbp\" if it is not needed");
}

static unsigned int conga_check_overhead(struct rtnl_link *vxlan)
{
	struct nl_addr *addr = conga_check_local_of(vxlan);
	bool is6;

	if (!addr && rtnl_link_vxlan_get_group(vxlan, &addr))
		addr = NULL;
	is6 = addr && nl_addr_get_family(addr) == AF_INET6;
	nl_addr_put(addr);
	return is6 ? CONGA_CHECK_OVERHEAD6 : CONGA_CHECK_OVERHEAD4;
}

/* The largest packet of any tunnel, and whose it is. */
static unsigned int conga_check_largest(const struct conga_box *box, struct rtnl_link **largest)
{
	struct rtnl_link *vxlan = NULL;
	unsigned int need = 0, size;

	while ((vxlan = conga_check_next_tunnel(box, vxlan))) {
		size = rtnl_link_get_mtu(vxlan) + conga_check_overhead(vxlan);
		if (size <= need)
			continue;
		need = size;
		*largest = vxlan;
	}
	return need;
}

/* The next uplink that still exists, NULL behind the last. */
static struct rtnl_link *conga_check_next_uplink(const struct conga_box *box, size_t *next)
{
	struct nlattr *port[CONGA_ATTRS_MAX + 1];
	struct rtnl_link *link = NULL;

	while (!link && conga_box_next_port(box, next, port))
		if (conga_print_value(port[CONGA_A_PORT_ROLE]) == CONGA_ROLE_UPLINK)
			link = conga_box_link(box, conga_print_value(port[CONGA_A_PORT_IFINDEX]));
	return link;
}

void conga_check_mtu(const struct conga_check *check, const struct conga_box *box)
{
	struct rtnl_link *vxlan = NULL, *uplink;
	unsigned int need = conga_check_largest(box, &vxlan);
	size_t next = 0;

	while ((uplink = conga_check_next_uplink(box, &next)))
		if (rtnl_link_get_mtu(uplink) < need)
			conga_check_report(check, rtnl_link_get_name(uplink),
					   "its MTU of %u is too small for packets of %s, %u bytes with their headers; set it to %u at least, or that of %s to %u at most",
					   rtnl_link_get_mtu(uplink), rtnl_link_get_name(vxlan),
					   need, need, rtnl_link_get_name(vxlan),
					   rtnl_link_get_mtu(uplink) - conga_check_overhead(vxlan));
}

/* A packet that fits one uplink and not the other cannot be moved there. */
void conga_check_mtu_differs(const struct conga_check *check, const struct conga_box *box)
{
	struct rtnl_link *uplink, *widest = NULL;
	size_t next = 0;

	while ((uplink = conga_check_next_uplink(box, &next)))
		if (!widest || rtnl_link_get_mtu(uplink) > rtnl_link_get_mtu(widest))
			widest = uplink;
	next = 0;
	while ((uplink = conga_check_next_uplink(box, &next)))
		if (rtnl_link_get_mtu(uplink) < rtnl_link_get_mtu(widest))
			conga_check_report(check, rtnl_link_get_name(uplink),
					   "its MTU of %u is smaller than that of %s, %u; give all uplinks the same",
					   rtnl_link_get_mtu(uplink), rtnl_link_get_name(widest),
					   rtnl_link_get_mtu(widest));
}

/* What a VLAN or macvlan device lies on, 0 if nothing. The "link" of a veth is
 * its other end, and one of another namespace has a number of that namespace.
 */
static unsigned int conga_check_lower(struct rtnl_link *link)
{
	const char *type = rtnl_link_get_type(link);
	int32_t nsid;

	if (!type || !strcmp(type, "veth") || !rtnl_link_get_link_netnsid(link, &nsid))
		return 0;
	return rtnl_link_get_link(link);
}

/* Down from @upper, and up from @lower to the bond or bridge it is part of. */
static bool conga_check_is_above(const struct conga_box *box, struct rtnl_link *upper,
				 struct rtnl_link *lower)
{
	int layers;

	for (layers = 0; layers < CONGA_CHECK_LAYERS_MAX && upper && lower; layers++) {
		unsigned int below = conga_check_lower(upper);
		unsigned int master = rtnl_link_get_master(lower);

		if (below == (unsigned int)rtnl_link_get_ifindex(lower) ||
		    master == (unsigned int)rtnl_link_get_ifindex(upper))
			return true;
		if (below)
			upper = conga_box_link(box, below);
		else
			lower = master ? conga_box_link(box, master) : NULL;
	}
	return false;
}

static void conga_check_stacked_on(const struct conga_check *check, const struct conga_box *box,
				   struct rtnl_link *upper)
{
	struct nlattr *port[CONGA_ATTRS_MAX + 1];
	struct rtnl_link *lower;
	size_t next = 0;

	while (conga_box_next_port(box, &next, port)) {
		lower = conga_box_link(box, conga_print_value(port[CONGA_A_PORT_IFINDEX]));
		if (lower && lower != upper && conga_check_is_above(box, upper, lower))
			conga_check_report(check, rtnl_link_get_name(upper),
					   "lies on %s and both are ports, so that a packet counts twice; delete one of the two ports",
					   rtnl_link_get_name(lower));
	}
}

void conga_check_stacked(const struct conga_check *check, const struct conga_box *box)
{
	struct nlattr *port[CONGA_ATTRS_MAX + 1];
	struct rtnl_link *upper;
	size_t next = 0;

	while (conga_box_next_port(box, &next, port)) {
		upper = conga_box_link(box, conga_print_value(port[CONGA_A_PORT_IFINDEX]));
		if (upper)
			conga_check_stacked_on(check, box, upper);
	}
}

/* Drivers whose speed is not that of any link. */
static const char *conga_check_claim(const char *dev)
{
	char driver[ETHTOOL_BUSINFO_LEN];

	if (!conga_box_driver(dev, driver))
		return NULL;
	if (!strcmp(driver, "veth"))
		return "a veth claims 10 Gbit/s whatever it does";
	if (!strcmp(driver, "virtio_net"))
		return "a virtio device claims what its host was told, if anything";
	return NULL;
}

void conga_check_rate(const struct conga_check *check, const struct conga_box *box)
{
	struct nlattr *port[CONGA_ATTRS_MAX + 1];
	struct rtnl_link *link;
	const char *claim;
	size_t next = 0;

	while (conga_box_next_port(box, &next, port)) {
		link = conga_box_link(box, conga_print_value(port[CONGA_A_PORT_IFINDEX]));
		if (!link || conga_print_value(port[CONGA_A_PORT_RATE_SOURCE]) != CONGA_RATE_LINK)
			continue;
		claim = conga_check_claim(rtnl_link_get_name(link));
		if (claim)
			conga_check_report(check, rtnl_link_get_name(link),
					   "its rate is that of the link, but %s; set it: conga port set %s rate RATE",
					   claim, rtnl_link_get_name(link));
	}
}
