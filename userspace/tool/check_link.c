// SPDX-License-Identifier: GPL-2.0
#include <netinet/in.h>
#include <stdbool.h>
#include <string.h>
#include <linux/conga.h>
#include <linux/ethtool.h>
#include <netlink/attr.h>
#include "common/addr.h"
#include "common/attr.h"
#include "common/link.h"
#include "tool/check_link.h"
#include "tool/check_node.h"
#include "tool/check_report.h"
#include "tool/grammar.h"

/* Outer IP, UDP and VXLAN headers, and the inner Ethernet header. */
#define CONGA_CHECK_OVERHEAD4	50
#define CONGA_CHECK_OVERHEAD6	70

/* The kernel rejects a deeper stack of devices. */
#define CONGA_CHECK_LAYERS_MAX	8

/* Returns the next device with a tunnel of its own, or NULL after the last. A device in
 * collect-metadata mode (Open vSwitch, Cilium: "external") has its addresses and MTUs elsewhere.
 */
static const struct conga_link *conga_check_next_tunnel(const struct conga_node *node,
							size_t *next)
{
	const struct conga_link *vxlan;

	do {
		vxlan = conga_node_next_vxlan(node, next);
	} while (vxlan && vxlan->vxlan.external);
	return vxlan;
}

/* Without a local address the route chooses the source, which then changes with the route. */
void conga_check_vxlan_local(const struct conga_check *check, const struct conga_node *node)
{
	const struct conga_link *vxlan;
	size_t next = 0;

	while ((vxlan = conga_check_next_tunnel(node, &next)))
		if (!vxlan->vxlan.has_local)
			conga_check_report(check, vxlan->name,
					   "has no local address, so its packets' source depends on the route; create the device with \"local ADDR\", an address of lo");
}

/* Returns an earlier vxlan device that has another address of the same family, or NULL. */
static const struct conga_link *conga_check_other_local(const struct conga_node *node,
							const struct conga_link *vxlan)
{
	const struct in6_addr *local = &vxlan->vxlan.local;
	const struct conga_link *other;
	size_t next = 0;

	while ((other = conga_node_next_vxlan(node, &next)) && other != vxlan)
		if (other->vxlan.has_local &&
		    conga_addr_is_v4(&other->vxlan.local) == conga_addr_is_v4(local) &&
		    conga_addr_compare(&other->vxlan.local, local))
			return other;
	return NULL;
}

/* Other leaves know this node by one address. */
void conga_check_vxlan_locals(const struct conga_check *check, const struct conga_node *node)
{
	const struct conga_link *vxlan, *other;
	size_t next = 0;

	while ((vxlan = conga_node_next_vxlan(node, &next))) {
		other = vxlan->vxlan.has_local ? conga_check_other_local(node, vxlan) : NULL;
		if (other)
			conga_check_report(check, vxlan->name,
					   "has another local address than %s, so other nodes see this node as two leaves; use one address for all devices",
					   other->name);
	}
}

void conga_check_vxlan_gbp(const struct conga_check *check, const struct conga_node *node)
{
	const struct conga_link *vxlan;
	size_t next = 0;

	while ((vxlan = conga_node_next_vxlan(node, &next)))
		if (vxlan->vxlan.gbp)
			conga_check_report(check, vxlan->name,
					   "uses Group Based Policy, whose marked packets are neither steered nor stamped; remove \"gbp\" if it is not needed");
}

static unsigned int conga_check_overhead(const struct conga_link *link)
{
	const struct conga_link_vxlan *vxlan = &link->vxlan;
	bool is6 = vxlan->has_local ? !conga_addr_is_v4(&vxlan->local) :
		   vxlan->has_remote && !conga_addr_is_v4(&vxlan->remote);

	return is6 ? CONGA_CHECK_OVERHEAD6 : CONGA_CHECK_OVERHEAD4;
}

/* Finds the largest packet of all tunnels, and the tunnel that sends it. */
static unsigned int conga_check_largest(const struct conga_node *node,
					const struct conga_link **largest)
{
	const struct conga_link *vxlan;
	unsigned int need = 0, size;
	size_t next = 0;

	while ((vxlan = conga_check_next_tunnel(node, &next))) {
		size = vxlan->mtu + conga_check_overhead(vxlan);
		if (size <= need)
			continue;
		need = size;
		*largest = vxlan;
	}
	return need;
}

/* Returns the next uplink that still exists, or NULL after the last. */
static const struct conga_link *conga_check_next_uplink(const struct conga_node *node, size_t *next)
{
	struct nlattr *port[CONGA_ATTRS_MAX + 1];
	const struct conga_link *link = NULL;

	while (!link && conga_node_next_port(node, next, port))
		if (conga_attr_number(port[CONGA_A_PORT_ROLE]) == CONGA_ROLE_UPLINK)
			link = conga_node_link(node, conga_attr_number(port[CONGA_A_PORT_IFINDEX]));
	return link;
}

void conga_check_mtu(const struct conga_check *check, const struct conga_node *node)
{
	const struct conga_link *vxlan = NULL, *uplink;
	unsigned int need = conga_check_largest(node, &vxlan);
	size_t next = 0;

	while ((uplink = conga_check_next_uplink(node, &next)))
		if (uplink->mtu < need)
			conga_check_report(check, uplink->name,
					   "has an MTU of %u, too small for packets of %s, %u bytes with their headers; set the MTU of every link between leaves to %u at least, at both ends, or that of %s to %u at most",
					   uplink->mtu, vxlan->name, need, need, vxlan->name,
					   uplink->mtu - conga_check_overhead(vxlan));
}

/* A packet that fits one uplink and not the other cannot be moved there. */
void conga_check_mtu_differs(const struct conga_check *check, const struct conga_node *node)
{
	const struct conga_link *uplink, *widest = NULL;
	size_t next = 0;

	while ((uplink = conga_check_next_uplink(node, &next)))
		if (!widest || uplink->mtu > widest->mtu)
			widest = uplink;
	next = 0;
	while ((uplink = conga_check_next_uplink(node, &next)))
		if (uplink->mtu < widest->mtu)
			conga_check_report(check, uplink->name,
					   "has an MTU of %u, smaller than that of %s, %u; give all uplinks the same MTU",
					   uplink->mtu, widest->name, widest->mtu);
}

/* Returns the device that a VLAN or macvlan device is stacked on, or 0. The lower device of a
 * veth is its peer, and an index in another namespace is unusable here.
 */
static int conga_check_lower(const struct conga_link *link)
{
	if (link->kind == CONGA_LINK_HARDWARE || link->kind == CONGA_LINK_VETH || link->elsewhere)
		return 0;
	return link->lower;
}

/* Looks down from @upper, and up from @lower to the bond or bridge that it is part of. */
static bool conga_check_is_above(const struct conga_node *node, const struct conga_link *upper,
				 const struct conga_link *lower)
{
	int layers;

	for (layers = 0; layers < CONGA_CHECK_LAYERS_MAX && upper && lower; layers++) {
		int below = conga_check_lower(upper);
		int master = lower->master;

		if (below == lower->ifindex || master == upper->ifindex)
			return true;
		if (below)
			upper = conga_node_link(node, below);
		else
			lower = master ? conga_node_link(node, master) : NULL;
	}
	return false;
}

static void conga_check_stacked_on(const struct conga_check *check, const struct conga_node *node,
				   const struct conga_link *upper)
{
	struct nlattr *port[CONGA_ATTRS_MAX + 1];
	const struct conga_link *lower;
	size_t next = 0;

	while (conga_node_next_port(node, &next, port)) {
		lower = conga_node_link(node, conga_attr_number(port[CONGA_A_PORT_IFINDEX]));
		if (lower && lower != upper && conga_check_is_above(node, upper, lower))
			conga_check_report(check, upper->name,
					   "lies on %s, and both are ports, so every packet counts twice; delete one of the two ports",
					   lower->name);
	}
}

void conga_check_stacked(const struct conga_check *check, const struct conga_node *node)
{
	struct nlattr *port[CONGA_ATTRS_MAX + 1];
	const struct conga_link *upper;
	size_t next = 0;

	while (conga_node_next_port(node, &next, port)) {
		upper = conga_node_link(node, conga_attr_number(port[CONGA_A_PORT_IFINDEX]));
		if (upper)
			conga_check_stacked_on(check, node, upper);
	}
}

/* These drivers report a speed that is not the speed of a link. */
static const char *conga_check_claim(const char *dev)
{
	char driver[ETHTOOL_BUSINFO_LEN];

	if (!conga_node_driver(dev, driver))
		return NULL;
	if (!strcmp(driver, "veth"))
		return "a veth reports 10 Gbit/s, whatever its real rate is";
	if (!strcmp(driver, "virtio_net"))
		return "a virtio device reports the speed that its host configured, if any";
	return NULL;
}

void conga_check_rate(const struct conga_check *check, const struct conga_node *node)
{
	struct nlattr *port[CONGA_ATTRS_MAX + 1];
	const struct conga_link *link;
	const char *claim;
	size_t next = 0;

	while (conga_node_next_port(node, &next, port)) {
		link = conga_node_link(node, conga_attr_number(port[CONGA_A_PORT_IFINDEX]));
		if (!link || conga_attr_number(port[CONGA_A_PORT_RATE_SOURCE]) != CONGA_RATE_LINK)
			continue;
		claim = conga_check_claim(link->name);
		if (claim)
			conga_check_report(check, link->name,
					   "takes its rate from the link, but %s; set the rate: conga port set %s rate RATE",
					   claim, link->name);
	}
}
