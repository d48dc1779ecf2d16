// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>
#include "daemon/link.h"
#include "daemon/options.h"
#include "daemon/tunnel.h"
#include "daemon/warning.h"

#define CONGAD_TUNNEL_CILIUM	"cilium_vxlan"

/* Of a list of UDP ports as "conga fabric set" takes it, with one more */
#define CONGAD_TUNNEL_LIST_MAX	((CONGA_DSTPORTS_MAX + 1) * sizeof(" dstport 65535"))

struct congad_tunnel_look {
	const struct congad_view *view;
	const struct congad_fabric *fabric;
	struct conga_array *warnings;
};

static bool congad_tunnel_has_manual_leaf(const struct congad_fabric *fabric)
{
	size_t i;

	for (i = 0; i < fabric->leaves.count; i++) {
		const struct congad_leaf *leaf = conga_array_at(&fabric->leaves, i);

		if (!leaf->is_auto)
			return true;
	}
	return false;
}

/* Returns who sets the destination of each packet of the device. */
static const char *congad_tunnel_chooser(const struct congad_view *view,
					 const struct conga_link *vxlan)
{
	const struct conga_link *master = congad_link_find(view, vxlan->master);

	if (master && master->kind == CONGA_LINK_OPENVSWITCH)
		return "Open vSwitch";
	return strcmp(vxlan->name, CONGAD_TUNNEL_CILIUM) ? "another program" : "Cilium";
}

/* A bridge leaves the choice to the forwarding table, which may be empty until BGP has filled it.
 * An operator who has added a leaf knows about the choice.
 */
static void congad_tunnel_check_external(const struct congad_tunnel_look *look,
					 const struct conga_link *vxlan)
{
	struct congad_source key = { .ifindex = vxlan->ifindex };

	if (!vxlan->vxlan.external || congad_link_is_bridge(look->view, vxlan->master) ||
	    conga_array_find(&look->view->sources, &key) ||
	    congad_tunnel_has_manual_leaf(look->fabric))
		return;
	congad_warning_add(look->warnings,
			   "vxlan %s is external: %s chooses its destinations, and no forwarding table has them, so congad adds no leaves for it; add each other node by \"conga leaf add ADDR\"",
			   vxlan->name, congad_tunnel_chooser(look->view, vxlan));
}

static bool congad_tunnel_is_taken(const struct congad_fabric *fabric, unsigned int dstport)
{
	unsigned int i;

	for (i = 0; i < fabric->dstport_count; i++)
		if (fabric->dstports[i] == dstport)
			return true;
	return false;
}

/* A list replaces the previous list, so the remedy has all of it. */
static void congad_tunnel_check_dstport(const struct congad_tunnel_look *look,
					const struct conga_link *vxlan)
{
	const struct congad_fabric *fabric = look->fabric;
	char list[CONGAD_TUNNEL_LIST_MAX];
	size_t len = 0;
	unsigned int i;

	if (congad_tunnel_is_taken(fabric, vxlan->vxlan.dstport))
		return;
	for (i = 0; i < fabric->dstport_count; i++)
		len += snprintf(list + len, sizeof(list) - len, " dstport %u", fabric->dstports[i]);
	snprintf(list + len, sizeof(list) - len, " dstport %u", vxlan->vxlan.dstport);
	if (fabric->dstport_count < CONGA_DSTPORTS_MAX)
		congad_warning_add(look->warnings,
				   "vxlan %s uses the UDP port %u, which the fabric does not list, so conga leaves its packets to the kernel; list the port by \"conga fabric set%s\"",
				   vxlan->name, vxlan->vxlan.dstport, list);
	else
		congad_warning_add(look->warnings,
				   "vxlan %s uses the UDP port %u, and the fabric lists %d others, the most that it can, so conga leaves its packets to the kernel; create the device with one of these ports",
				   vxlan->name, vxlan->vxlan.dstport, CONGA_DSTPORTS_MAX);
}

/* A device in collect-metadata mode has its addresses elsewhere. */
static void congad_tunnel_check_local(const struct congad_tunnel_look *look,
				      const struct conga_link *vxlan)
{
	if (vxlan->vxlan.has_local || vxlan->vxlan.external)
		return;
	congad_warning_add(look->warnings,
			   "vxlan %s has no local address, so the source of its packets depends on the route, and other leaves may not know it; create the device with \"local ADDR\", an address of lo",
			   vxlan->name);
}

static void congad_tunnel_check_vxlan(const struct congad_tunnel_look *look,
				      const struct conga_link *vxlan)
{
	if (vxlan->elsewhere) {
		congad_warning_add(look->warnings,
				   "vxlan %s sends its packets in another network namespace, so congad adds no leaves for it; run congad there, too: \"congad -n NAME\"",
				   vxlan->name);
		return;
	}
	congad_tunnel_check_external(look, vxlan);
	congad_tunnel_check_dstport(look, vxlan);
	congad_tunnel_check_local(look, vxlan);
}

static void congad_tunnel_check_link(const struct congad_tunnel_look *look,
				     const struct conga_link *link)
{
	if (link->kind == CONGA_LINK_VXLAN)
		congad_tunnel_check_vxlan(look, link);
	else if (link->kind == CONGA_LINK_GENEVE)
		congad_warning_add(look->warnings,
				   "geneve %s is no VXLAN tunnel, so conga leaves its packets to the kernel; use VXLAN (OVN: encap-type vxlan, Cilium: tunnelProtocol vxlan)",
				   link->name);
}

/* The module takes a bridge if its operator says so: its ports may be links to hosts. */
static void congad_tunnel_check_bridge(const struct congad_tunnel_look *look,
				       const struct congad_wanted_port *bridge)
{
	const char *name = congad_link_name(look->view, bridge->ifindex);
	struct congad_port key = { .ifindex = bridge->ifindex };

	if (conga_array_find(&look->fabric->ports, &key))
		return;
	congad_warning_add(look->warnings,
			   "bridge %s leads to leaves, but congad adds no bridge as an uplink; add it by \"conga port add %s role uplink rate RATE\"",
			   name, name);
}

/* An operator who wants a spine wants no tunnels. */
void congad_tunnel_check(const struct congad_view *view, const struct congad_fabric *fabric,
			 struct conga_array *warnings)
{
	struct congad_tunnel_look look = {
		.view = view,
		.fabric = fabric,
		.warnings = warnings,
	};
	size_t i;

	if (congad_options.mode == CONGAD_MODE_SPINE)
		return;
	for (i = 0; i < view->links.count; i++)
		congad_tunnel_check_link(&look, conga_array_at(&view->links, i));
	for (i = 0; i < view->bridges.count; i++)
		congad_tunnel_check_bridge(&look, conga_array_at(&view->bridges, i));
}
