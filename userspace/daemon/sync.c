// SPDX-License-Identifier: GPL-2.0
/*
 * One look at everything, and what follows from it. First all is read, and nothing
 * is changed unless it could be read whole; then the kernel's ports and leaves are
 * compared with those that are wanted.
 */
#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "daemon/daemon.h"

/* Without the module a question for conga's family would load it again. */
#define CONGAD_SYNC_MODULE	"/sys/module/conga"

/* A look that is interrupted by changes is taken again at once, so often. */
#define CONGAD_SYNC_TRIES	3

#define CONGAD_SYNC_SAID_MAX	256

static bool congad_sync_was_leaf;
static bool congad_sync_waits;		/* for an operator to add a fabric */
static char congad_sync_said[CONGAD_SYNC_SAID_MAX];

uint64_t congad_sync_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * CONGAD_NS_PER_S + now.tv_nsec;
}

/* Each failure is said once, until all is well or something else fails. */
static int congad_sync_failed(const char *what)
{
	char why[CONGAD_SYNC_SAID_MAX];

	snprintf(why, sizeof(why), "cannot read %s: %s", what, congad_nl_why());
	if (strcmp(why, congad_sync_said))
		congad_log_warn("%s", why);
	memcpy(congad_sync_said, why, sizeof(congad_sync_said));
	return CONGAD_FAILED;
}

static int congad_sync_compare_ifindex(const void *a, const void *b)
{
	const int *first = a, *second = b;

	return *first - *second;
}

static int congad_sync_compare_nexthop(const void *a, const void *b)
{
	const struct congad_nexthop *first = a, *second = b;

	if (first->id != second->id)
		return first->id < second->id ? -1 : 1;
	return first->member < second->member ? -1 : first->member > second->member;
}

static int congad_sync_compare_vtep(const void *a, const void *b)
{
	const struct congad_vtep *first = a, *second = b;
	int order = congad_addr_compare(a, b);

	return order ? order : first->vrf - second->vrf;
}

static void congad_sync_setup_view(struct congad_view *view)
{
	*view = (struct congad_view) {
		.links = CONGAD_ARRAY(struct congad_link, congad_sync_compare_ifindex),
		.nexthops = CONGAD_ARRAY(struct congad_nexthop, congad_sync_compare_nexthop),
		.vteps = CONGAD_ARRAY(struct congad_vtep, congad_sync_compare_vtep),
		.leaves = CONGAD_ARRAY(struct congad_wanted_leaf, congad_addr_compare),
		.ports = CONGAD_ARRAY(struct congad_wanted_port, congad_sync_compare_ifindex),
	};
}

static void congad_sync_clean_view(struct congad_view *view)
{
	congad_array_clean(&view->links);
	congad_array_clean(&view->nexthops);
	congad_array_clean(&view->vteps);
	congad_array_clean(&view->leaves);
	congad_array_clean(&view->ports);
}

static bool congad_sync_has_vxlan(const struct congad_view *view)
{
	size_t i;

	for (i = 0; i < view->links.count; i++) {
		const struct congad_link *link = congad_array_at(&view->links, i);

		if (link->kind == CONGAD_LINK_VXLAN && !link->elsewhere)
			return true;
	}
	return false;
}

/* Was it a leaf before we came? */
static bool congad_sync_has_uplink(const struct congad_fabric *fabric)
{
	size_t i;

	for (i = 0; i < fabric->ports.count; i++) {
		const struct congad_port *port = congad_array_at(&fabric->ports, i);

		if (port->role == CONGA_ROLE_UPLINK)
			return true;
	}
	return false;
}

/* Once a leaf, always a leaf: tunnels that are made anew must not cost the uplinks
 * their LBTags.
 */
static bool congad_sync_is_leaf(const struct congad_view *view, const struct congad_fabric *fabric)
{
	if (congad_options.mode == CONGAD_MODE_AUTO && !congad_sync_was_leaf)
		congad_sync_was_leaf = congad_sync_has_vxlan(view) ||
				       congad_sync_has_uplink(fabric);
	return congad_options.mode == CONGAD_MODE_LEAF || congad_sync_was_leaf;
}

/* In this order: each needs what is read before it. Returns as congad_nl_ask_*(). */
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

	congad_sync_setup_view(view);
	*what = "ports and leaves";
	err = congad_fabric_read(fabric);
	return err ? err : congad_sync_read_view(view, fabric, what);
}

static void congad_sync_clean(struct congad_view *view, struct congad_fabric *fabric)
{
	congad_sync_clean_view(view);
	congad_fabric_clean(fabric);
}

/* -ENOENT: the fabric has gone meanwhile. */
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

/* Ports first: a leaf without an uplink would be no use. */
static int congad_sync_follow(const struct congad_view *view, const struct congad_fabric *fabric,
			      int *failures)
{
	uint64_t now = congad_sync_now();
	int err = congad_port_follow(view, fabric, now, failures);

	if (!err)
		err = congad_leaf_follow(view, fabric, now, failures);
	if (err)
		return congad_sync_failed("the answer to a change");
	*congad_sync_said = '\0';
	return 0;
}

static bool congad_sync_module_loaded(void)
{
	return !access(CONGAD_SYNC_MODULE, F_OK);
}

/* The module may have been loaded again, and everything has new numbers. */
static int congad_sync_resolve(void)
{
	int group, err = congad_nl_resolve(&group);

	return err ? err : congad_event_join_config(group);
}

static void congad_sync_wait(void)
{
	if (!congad_sync_waits)
		congad_log_warn("the fabric is gone: waiting until there is one again");
	congad_sync_waits = true;
	congad_leaf_forget();
	congad_port_forget();
	if (congad_sync_module_loaded())
		congad_sync_resolve();
}

static int congad_sync_present(int *failures)
{
	struct congad_fabric fabric;
	struct congad_view view;
	int err;

	if (congad_sync_waits)
		congad_log_warn("there is a fabric again");
	congad_sync_waits = false;
	err = congad_sync_read(&view, &fabric);
	if (err)
		return err;
	err = congad_sync_follow(&view, &fabric, failures);
	congad_sync_clean(&view, &fabric);
	return err;
}

/* congad_sync - look once, and count what was refused */
int congad_sync(int *failures)
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

/* congad_sync_start - find the module, and make a fabric if there is none */
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
		/* Somebody else was faster. */
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
	congad_nl_close();
}
