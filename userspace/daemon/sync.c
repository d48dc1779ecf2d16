// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>
#include "common/family.h"
#include "daemon/clock.h"
#include "daemon/event.h"
#include "daemon/fabric.h"
#include "daemon/fdb.h"
#include "daemon/leaf.h"
#include "daemon/link.h"
#include "daemon/log.h"
#include "daemon/nexthop.h"
#include "daemon/nl.h"
#include "daemon/options.h"
#include "daemon/port.h"
#include "daemon/route.h"
#include "daemon/sync.h"
#include "daemon/tunnel.h"
#include "daemon/view.h"
#include "daemon/warning.h"

/* A look that changes interrupt is repeated immediately, so often. */
#define CONGAD_SYNC_TRIES	3

#define CONGAD_SYNC_SAID_MAX	256

static bool congad_sync_was_leaf;
static bool congad_sync_waits;		/* an operator must add a fabric */
static char congad_sync_said[CONGAD_SYNC_SAID_MAX];

/* Each failure is logged once, until all is well or something else fails. */
static int congad_sync_failed(const char *what)
{
	char why[CONGAD_SYNC_SAID_MAX];

	snprintf(why, sizeof(why), "cannot read %s: %s", what, congad_nl_why());
	if (strcmp(why, congad_sync_said))
		congad_log_warn("%s", why);
	memcpy(congad_sync_said, why, sizeof(congad_sync_said));
	return CONGAD_FAILED;
}

/* Returns true if the node was a leaf before the daemon started. */
static bool congad_sync_has_uplink(const struct congad_fabric *fabric)
{
	size_t i;

	for (i = 0; i < fabric->ports.count; i++) {
		const struct congad_port *port = conga_array_at(&fabric->ports, i);

		if (port->role == CONGA_ROLE_UPLINK)
			return true;
	}
	return false;
}

/* A leaf stays a leaf: tunnels that are created again must not cost the uplinks their LBTags. */
static bool congad_sync_is_leaf(const struct congad_view *view, const struct congad_fabric *fabric)
{
	if (congad_options.mode == CONGAD_MODE_AUTO && !congad_sync_was_leaf)
		congad_sync_was_leaf = congad_view_has_vxlan(view) ||
				       congad_sync_has_uplink(fabric);
	return congad_options.mode == CONGAD_MODE_LEAF || congad_sync_was_leaf;
}

/* Each step needs what the previous ones read. Returns a status. */
static int congad_sync_read_view(struct congad_view *view, const struct congad_fabric *fabric,
				 const char **what)
{
	int err;

	*what = "devices";
	err = congad_link_read(view);
	if (err)
		return err;
	*what = "nexthop objects";
	err = congad_nexthop_read(view);
	if (err)
		return err;
	if (!congad_sync_is_leaf(view, fabric)) {
		*what = "routes";
		view->role = CONGA_ROLE_TRANSIT;
		return congad_route_read_spine(view);
	}
	*what = "forwarding tables";
	view->role = CONGA_ROLE_UPLINK;
	err = congad_fdb_read(view, fabric);
	if (err)
		return err;
	*what = "routes";
	return congad_route_read_leaves(view);
}

static int congad_sync_try_read(struct congad_view *view, struct congad_fabric *fabric,
				const char **what)
{
	int err;

	congad_view_setup(view);
	*what = "ports and leaves";
	err = congad_fabric_read(fabric);
	return err ? err : congad_sync_read_view(view, fabric, what);
}

static void congad_sync_clean(struct congad_view *view, struct congad_fabric *fabric)
{
	congad_view_clean(view);
	congad_fabric_clean(fabric);
}

/* -ENOENT: the fabric was deleted meanwhile. */
static int congad_sync_read(struct congad_view *view, struct congad_fabric *fabric)
{
	const char *what;
	int tries, err;

	for (tries = 1;; tries++) {
		err = congad_sync_try_read(view, fabric, &what);
		if (!err)
			return 0;
		congad_sync_clean(view, fabric);
		if (err == -ENOENT)
			return err;
		if (err != CONGAD_INTERRUPTED || tries == CONGAD_SYNC_TRIES)
			return congad_sync_failed(what);
	}
}

static void congad_sync_warn(const struct congad_view *view, const struct congad_fabric *fabric)
{
	struct conga_array warnings;

	congad_warning_setup(&warnings);
	congad_tunnel_check(view, fabric, &warnings);
	congad_warning_say(&warnings);
}

/* Ports are added first: a leaf without an uplink would be useless. */
static int congad_sync_follow(const struct congad_view *view, const struct congad_fabric *fabric,
			      int *failures)
{
	uint64_t now = congad_clock_now();
	int err = congad_port_follow(view, fabric, now, failures);

	if (!err)
		err = congad_leaf_follow(view, fabric, now, failures);
	if (err)
		return congad_sync_failed("the answer to a change");
	congad_sync_warn(view, fabric);
	*congad_sync_said = '\0';
	return 0;
}

/* The module may have been reloaded, and all numbers may have changed. */
static int congad_sync_resolve(void)
{
	int group, err = congad_nl_resolve(&group);

	return err ? err : congad_event_join_config(group);
}

static void congad_sync_wait(void)
{
	if (!congad_sync_waits)
		congad_log_warn("the fabric was deleted: waiting for a new one");
	congad_sync_waits = true;
	congad_leaf_forget();
	congad_port_forget();
	congad_warning_forget();
	if (conga_family_is_loaded())
		congad_sync_resolve();
}

static int congad_sync_present(int *failures)
{
	struct congad_fabric fabric;
	struct congad_view view;
	int err;

	if (congad_sync_waits)
		congad_log_warn("a new fabric was found");
	congad_sync_waits = false;
	err = congad_sync_read(&view, &fabric);
	if (err)
		return err;
	err = congad_sync_follow(&view, &fabric, failures);
	congad_sync_clean(&view, &fabric);
	return err;
}

int congad_sync_look(int *failures)
{
	int err = congad_fabric_find();

	if (!err)
		err = congad_sync_present(failures);
	else if (err != -ENOENT)
		err = congad_sync_failed("the fabric");
	if (err != -ENOENT)
		return err;
	congad_sync_wait();
	return 0;
}

int congad_sync_start(void)
{
	int err = congad_sync_resolve();

	if (err) {
		congad_log_warn("the kernel module conga is not loaded: modprobe conga");
		return err;
	}
	err = congad_fabric_find();
	if (err == -ENOENT) {
		err = congad_fabric_add();
		if (!err)
			congad_log_change("fabric added: there was none");
		/* Another process was faster. */
		if (err == -EEXIST)
			err = 0;
	}
	if (err)
		congad_log_warn("cannot add a fabric: %s", congad_nl_why());
	return err;
}

void congad_sync_stop(void)
{
	congad_leaf_forget();
	congad_port_forget();
	congad_warning_forget();
	congad_nl_close();
}
