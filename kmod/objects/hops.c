// SPDX-License-Identifier: GPL-2.0
/* Transit ports as hops of a policy that decides at every node (HULA), and their tiers. */
#include <linux/list.h>
#include <linux/minmax.h>

#include "objects/fabric.h"
#include "objects/hops.h"
#include "objects/port.h"

/* A packet that came by a port of the lowest tier came from below. */
static void conga_hops_find_lowest(struct conga_fabric *fabric)
{
	struct conga_port *port;
	u8 lowest = U8_MAX;

	list_for_each_entry(port, &fabric->ports, list)
		if (port->role == CONGA_ROLE_TRANSIT)
			lowest = min(lowest, port->extension.tier);
	WRITE_ONCE(fabric->extension.lowest, lowest);
}

/* conga_hops_set_tier - set the tier of the port's link; the locks are held */
void conga_hops_set_tier(struct conga_port *port, u8 tier)
{
	conga_assert_locked(port->fabric);
	WRITE_ONCE(port->extension.tier, tier);
	conga_hops_find_lowest(port->fabric);
}

/*
 * conga_hops_make - number the transit ports that the policy may choose
 *
 * The locks are held. They get the numbers that LBTags leave, the highest first. Further
 * ports are no hops, and only the kernel chooses them.
 */
void conga_hops_make(struct conga_fabric *fabric)
{
	struct conga_port *port;
	u8 tag = CONGA_TAGS_MAX;

	conga_assert_locked(fabric);
	if (!conga_fabric_params(fabric)->policy->extension.transit)
		return;
	list_for_each_entry(port, &fabric->ports, list) {
		if (port->tag != CONGA_TAG_NONE)
			continue;
		while (tag && conga_port_hop(fabric, tag - 1))
			tag--;
		if (!tag)
			return;
		conga_port_take_tag(port, --tag);
	}
}

/* conga_hops_add_port - the port was published; the locks are held, may sleep */
void conga_hops_add_port(struct conga_port *port)
{
	if (port->role == CONGA_ROLE_TRANSIT)
		conga_hops_find_lowest(port->fabric);
	conga_hops_make(port->fabric);
}

/* conga_hops_remove_port - the port has left its fabric; the locks are held */
void conga_hops_remove_port(struct conga_port *port)
{
	conga_assert_locked(port->fabric);
	if (port->role == CONGA_ROLE_TRANSIT)
		conga_hops_find_lowest(port->fabric);
}
