// SPDX-License-Identifier: GPL-2.0
/*
 * The beginning and end of a fabric, its ports and its leaves.
 *
 * An object is complete before packets can find it: hooks are attached last. An object dies
 * in two phases. First it is unpublished: timers and works that walk it are stopped, hooks
 * are detached, lists and tables drop it. After a grace period no packet holds the object,
 * and it is freed. A fabric's ports and leaves share its grace period.
 */
#include <linux/netlink.h>
#include <linux/rcupdate.h>
#include <net/net_namespace.h>

#include "config/change.h"
#include "config/lifetime.h"
#include "config/speed.h"
#include "control/control.h"
#include "control/extension.h"
#include "datapath/hooks.h"
#include "datapath/leave.h"
#include "objects/fabric.h"
#include "objects/fabric_alloc.h"
#include "objects/hops.h"
#include "objects/leaf.h"
#include "objects/own.h"
#include "objects/port.h"
#include "objects/source_port.h"

static void *conga_lifetime_out_of_memory(struct netlink_ext_ack *extack)
{
	NL_SET_ERR_MSG(extack, "Out of memory");
	return ERR_PTR(-ENOMEM);
}

/* --- port --- */

static void conga_lifetime_publish_port(struct conga_port *port, bool drain)
{
	struct conga_fabric *fabric = port->fabric;

	conga_port_publish(port);
	conga_hops_add_port(port);
	if (drain)
		conga_port_set_drain(port, true);
	conga_change_tags(fabric);
	conga_fabric_invalidate_paths(fabric);
	conga_own_refresh(fabric);
}

/*
 * conga_lifetime_create_port - create the port @desired, in place of @replaced, if that is
 * not NULL
 *
 * The caller has checked that the device and the LBTag are free, or belong to @replaced.
 * @replaced is destroyed after the last step that can fail.
 */
struct conga_port *conga_lifetime_create_port(struct conga_fabric *fabric,
					      const struct conga_lifetime_port *desired,
					      struct conga_port *replaced,
					      struct netlink_ext_ack *extack)
{
	struct conga_port *port;
	int err;

	port = conga_port_create(fabric, desired->dev, desired->role, desired->tag,
				 desired->rate, desired->rate_source);
	if (!port)
		return conga_lifetime_out_of_memory(extack);
	port->origin = desired->origin;
	port->extension.tier = desired->tier;
	err = conga_hooks_attach_port(port);
	if (err) {
		NL_SET_ERR_MSG(extack,
			       "Failed to register the netfilter egress hook of this device");
		conga_port_free(port);
		return ERR_PTR(err);
	}
	if (replaced)
		conga_lifetime_destroy_port(replaced);
	conga_lifetime_publish_port(port, desired->drain);
	return port;
}

/* Phase one of a port's death: it is unpublished. */
static void conga_lifetime_kill_port(struct conga_port *port)
{
	conga_hooks_detach_port(port);
	conga_port_make_dead(port);
	conga_hops_remove_port(port);
}

/* Phase two, after the grace period: no packet holds the port or its paths. */
static void conga_lifetime_bury_port(struct conga_port *port)
{
	unsigned long tags = port->tags;
	u8 tag;

	if (port->tag != CONGA_TAG_NONE)
		tags |= BIT(port->tag);
	for_each_set_bit(tag, &tags, CONGA_TAGS_MAX)
		conga_leaf_forget_uplink(port->fabric, tag);
	conga_port_free(port);
}

void conga_lifetime_destroy_port(struct conga_port *port)
{
	struct conga_fabric *fabric = port->fabric;

	conga_lifetime_kill_port(port);
	synchronize_net();
	conga_lifetime_bury_port(port);
	conga_change_tags(fabric);
}

/* --- fabric --- */

static void conga_lifetime_setup_fabric(struct conga_fabric *fabric, work_func_t news)
{
	conga_control_setup(fabric);
	conga_extension_setup(fabric);
	conga_own_setup(fabric);
	INIT_DELAYED_WORK(&fabric->event_work, news);
}

static void conga_lifetime_start_fabric(struct conga_fabric *fabric)
{
	conga_control_start(fabric);
	conga_extension_restart(fabric);
	conga_speed_start(fabric);
}

/* Its hooks and works must be gone, except for the works that news queue; @dead has its ports. */
static void conga_lifetime_end_fabric(struct conga_fabric *fabric, struct list_head *dead)
{
	struct conga_port *port, *next;

	conga_fabric_make_dead(fabric);
	synchronize_net();
	cancel_delayed_work_sync(&fabric->event_work);
	conga_own_stop(fabric);
	list_for_each_entry_safe(port, next, dead, dying)
		conga_lifetime_bury_port(port);
	conga_fabric_free(fabric);
}

/* conga_lifetime_create_fabric - @net must have no fabric; @news is the work that looks for news */
struct conga_fabric *conga_lifetime_create_fabric(struct net *net,
						  const struct conga_params *params,
						  work_func_t news,
						  struct netlink_ext_ack *extack)
{
	struct conga_fabric *fabric = conga_fabric_create(net, params);
	LIST_HEAD(no_ports);
	int err;

	if (IS_ERR(fabric))
		return conga_lifetime_out_of_memory(extack);
	conga_lifetime_setup_fabric(fabric, news);
	conga_fabric_publish(fabric);
	conga_leave_look(fabric);
	err = conga_hooks_attach(fabric);
	if (err) {
		NL_SET_ERR_MSG(extack, "Failed to register the netfilter hooks");
		conga_lifetime_end_fabric(fabric, &no_ports);
		return ERR_PTR(err);
	}
	conga_lifetime_start_fabric(fabric);
	return fabric;
}

/* conga_lifetime_destroy_fabric - destroy it with its ports and leaves, in one grace period */
void conga_lifetime_destroy_fabric(struct conga_fabric *fabric)
{
	struct conga_port *port, *next;
	LIST_HEAD(dead);

	conga_assert_locked(fabric);
	conga_control_stop(fabric);
	conga_speed_stop(fabric);
	conga_hooks_detach(fabric);
	list_for_each_entry_safe(port, next, &fabric->ports, list) {
		conga_lifetime_kill_port(port);
		list_add(&port->dying, &dead);
	}
	conga_lifetime_end_fabric(fabric, &dead);
}

/* --- leaf --- */

/* conga_lifetime_create_leaf - @addr must not be a leaf of the fabric yet */
struct conga_leaf *conga_lifetime_create_leaf(struct conga_fabric *fabric,
					      const struct in6_addr *addr, u8 mode,
					      u8 origin,
					      struct netlink_ext_ack *extack)
{
	struct conga_leaf *leaf = conga_leaf_add(fabric, addr, mode, origin);

	if (leaf == ERR_PTR(-EBUSY)) {
		NL_SET_ERR_MSG(extack, "A fabric has at most 65535 leaves");
		return leaf;
	}
	if (IS_ERR(leaf)) {
		NL_SET_ERR_MSG(extack, "Out of memory");
		return leaf;
	}
	if (fabric->extra)
		conga_source_port_setup(leaf);
	conga_own_changed(fabric);
	return leaf;
}

/* conga_lifetime_destroy_leaf - a leaf that stamps gets a goodbye message first */
void conga_lifetime_destroy_leaf(struct conga_leaf *leaf)
{
	conga_control_bye(leaf);
	conga_leaf_make_dead(leaf);
	synchronize_net();
	conga_leaf_free(leaf);
}
