// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "common/addr.h"
#include "daemon/link.h"
#include "daemon/log.h"
#include "daemon/nl.h"
#include "daemon/port.h"

#define CONGAD_PORT_NAMES_MAX	512

/* A record is kept for a port that is wanted, or that the daemon added. */
struct congad_port_record {
	int ifindex;
	uint64_t used;		/* when it last was a nexthop */
	bool refused;		/* rejected, and logged */
};

/* This is one look at the ports. */
struct congad_port_look {
	const struct congad_view *view;
	const struct congad_fabric *fabric;
	struct conga_array records;	/* the records of the next look */
	uint64_t now;
	char left_out[CONGAD_PORT_NAMES_MAX];
	int failures;
};

static int congad_port_record_compare(const void *a, const void *b)
{
	const struct congad_port_record *first = a, *second = b;

	return first->ifindex - second->ifindex;
}

static struct conga_array congad_port_records =
	CONGA_ARRAY(struct congad_port_record, congad_port_record_compare);
static char congad_port_said_left_out[CONGAD_PORT_NAMES_MAX];

static const char *congad_port_role_name(enum conga_role role)
{
	return role == CONGA_ROLE_UPLINK ? "an uplink" : "a transit port";
}

static struct congad_port_record congad_port_recall(int ifindex, uint64_t now)
{
	struct congad_port_record key = { .ifindex = ifindex, .used = now }, *record;

	record = conga_array_find(&congad_port_records, &key);
	return record ? *record : key;
}

static bool congad_port_is_known(int ifindex)
{
	struct congad_port_record key = { .ifindex = ifindex };

	return conga_array_find(&congad_port_records, &key);
}

static const struct congad_wanted_port *congad_port_wanted(const struct congad_view *view,
							   int ifindex)
{
	struct congad_wanted_port key = { .ifindex = ifindex };

	return conga_array_find(&view->ports, &key);
}

/* A rejection is logged once while it lasts. A port that was added meanwhile, or a removed
 * device or fabric, is no failure.
 */
static void congad_port_refused(struct congad_port_look *look, struct congad_port_record *record,
				int error)
{
	if (error == -EEXIST || error == -ENODEV || error == -ENOENT)
		return;
	look->failures++;
	if (!record->refused)
		congad_log_warn("port %s rejected: %s%s",
				congad_link_name(look->view, record->ifindex), congad_nl_why(),
				error == -EINVAL && !congad_options.rate ?
				" (congad -r RATE, or conga port add)" : "");
	record->refused = true;
}

static void congad_port_leave_out(struct congad_port_look *look, int ifindex)
{
	size_t len = strlen(look->left_out);

	snprintf(look->left_out + len, sizeof(look->left_out) - len, "%s%s", len ? ", " : "",
		 congad_link_name(look->view, ifindex));
}

static void congad_port_say_added(const struct congad_port_look *look,
				  const struct congad_wanted_port *port)
{
	const char *name = congad_link_name(look->view, port->ifindex);
	char text[CONGA_ADDR_TEXT_MAX];

	if (look->view->role == CONGA_ROLE_UPLINK)
		congad_log_change("port %s added as an uplink: nexthop of the route to leaf %s",
				  name, conga_addr_text(&port->leaf, text));
	else
		congad_log_change("port %s added as a transit port: nexthop of a route", name);
}

/* Returns the daemon's uplink that was unused for longest, and for long enough; NULL if there is
 * none.
 */
static struct congad_port *congad_port_idlest(const struct congad_port_look *look)
{
	struct congad_port *port, *idlest = NULL;
	uint64_t used, least = look->now;
	size_t i;

	for (i = 0; i < look->fabric->ports.count; i++) {
		port = conga_array_at(&look->fabric->ports, i);
		if (!port->is_auto || port->role != CONGA_ROLE_UPLINK ||
		    congad_port_wanted(look->view, port->ifindex))
			continue;
		used = congad_port_recall(port->ifindex, look->now).used;
		if (look->now - used < congad_options.idle_ns || (idlest && used >= least))
			continue;
		idlest = port;
		least = used;
	}
	return idlest;
}

static int congad_port_make_room(struct congad_port_look *look)
{
	struct congad_port *port = congad_port_idlest(look);
	int err;

	if (!port)
		return -ENOSPC;
	err = congad_fabric_port_del(port->ifindex);
	/* The port is marked as removed, or as an operator's, and is not found again. */
	port->is_auto = false;
	if (!err)
		congad_log_change("port %s removed: no LBTag was free, the port was long unused",
				  congad_link_name(look->view, port->ifindex));
	return err < 0 ? -ENOSPC : err;
}

/* A device for which a rate was given gets that rate. Else a link that reports no speed gets the
 * rate that was given for such links. A link without carrier may report its
 * speed later.
 */
static int congad_port_request(const struct congad_port_look *look, int ifindex)
{
	const struct conga_link *link = congad_link_find(look->view, ifindex);
	unsigned long long rate = link ? congad_options_rate(link->name) : 0;
	int err = congad_fabric_port_add(ifindex, look->view->role, rate);

	if (err != -EINVAL || !link || rate)
		return err;
	if (!link->running)
		return -ENODEV;
	if (!congad_options.rate)
		return err;
	return congad_fabric_port_add(ifindex, look->view->role, congad_options.rate);
}

static int congad_port_add(struct congad_port_look *look, const struct congad_wanted_port *port,
			   struct congad_port_record *record)
{
	int err = congad_port_request(look, port->ifindex);

	if (err == -ENOSPC) {
		err = congad_port_make_room(look);
		if (!err)
			err = congad_port_request(look, port->ifindex);
	}
	if (err > 0)
		return err;
	if (err == -ENOSPC) {
		congad_port_leave_out(look, port->ifindex);
	} else if (err) {
		congad_port_refused(look, record, err);
	} else {
		record->refused = false;
		congad_port_say_added(look, port);
	}
	return 0;
}

/* Removes a port of the daemon that has the previous role, e.g. from before there was a tunnel. */
static int congad_port_replace(struct congad_port_look *look, const struct congad_wanted_port *port,
			       struct congad_port_record *record, enum conga_role role)
{
	int err = congad_fabric_port_del(port->ifindex);

	if (err > 0)
		return err;
	if (err) {
		/* EPERM: the port has become an operator's. */
		if (err != -EPERM)
			congad_port_refused(look, record, err);
		return 0;
	}
	congad_log_change("port %s removed: the device becomes %s, and was %s",
			  congad_link_name(look->view, port->ifindex),
			  congad_port_role_name(look->view->role), congad_port_role_name(role));
	return congad_port_add(look, port, record);
}

static int congad_port_want(struct congad_port_look *look, const struct congad_wanted_port *port)
{
	struct congad_port_record record = congad_port_recall(port->ifindex, look->now);
	struct congad_port key = { .ifindex = port->ifindex }, *found;
	int err = 0;

	record.used = look->now;
	found = conga_array_find(&look->fabric->ports, &key);
	if (!found)
		err = congad_port_add(look, port, &record);
	else if (found->is_auto && found->role != look->view->role)
		err = congad_port_replace(look, port, &record, found->role);
	return err ? err : conga_array_add(&look->records, &record);
}

/* @own is the rate that was given for this device, or 0. */
static bool congad_port_has_rate(const struct congad_port *port, unsigned long long own)
{
	if (port->rate_source != CONGA_RATE_CONFIGURED)
		return !own;
	return port->rate == (own ? own : congad_options.rate);
}

/* A port of an earlier run has the rate that was given then. If its link reports no speed and no
 * rate is given now, the port keeps its rate.
 */
static int congad_port_settle(struct congad_port_look *look, const struct congad_port *port)
{
	const char *name = congad_link_name(look->view, port->ifindex), *source = "its link";
	struct congad_port_record record = { .ifindex = port->ifindex };
	unsigned long long own = congad_options_rate(name);
	int err;

	if (congad_port_has_rate(port, own))
		return 0;
	err = congad_fabric_port_set_rate(port->ifindex, own);
	if (own)
		source = "the option -r";
	if (err == -EINVAL && !own) {
		if (!congad_options.rate)
			return 0;
		source = "the option -r";
		err = congad_fabric_port_set_rate(port->ifindex, congad_options.rate);
	}
	if (err > 0)
		return err;
	/* EPERM: the port has become an operator's. */
	if (err && err != -EPERM)
		congad_port_refused(look, &record, err);
	if (!err)
		congad_log_change("port %s changed: its rate is now that of %s", name,
				  source);
	return 0;
}

static int congad_port_keep(struct congad_port_look *look, const struct congad_port *port)
{
	struct congad_port_record record;
	int err = 0;

	if (port->is_auto && !congad_port_is_known(port->ifindex))
		err = congad_port_settle(look, port);
	if (err || !port->is_auto || congad_port_wanted(look->view, port->ifindex))
		return err;
	record = congad_port_recall(port->ifindex, look->now);
	return conga_array_add(&look->records, &record);
}

static int congad_port_look(struct congad_port_look *look)
{
	int err = 0;
	size_t i;

	for (i = 0; i < look->fabric->ports.count && !err; i++)
		err = congad_port_keep(look, conga_array_at(&look->fabric->ports, i));
	for (i = 0; i < look->view->ports.count && !err; i++)
		err = congad_port_want(look, conga_array_at(&look->view->ports, i));
	return err;
}

static void congad_port_say_left_out(const struct congad_port_look *look)
{
	if (*look->left_out && strcmp(look->left_out, congad_port_said_left_out))
		congad_log_warn("more than %d nexthops: %s left out, because an LBTag has 4 bits",
				CONGA_TAGS_MAX, look->left_out);
	memcpy(congad_port_said_left_out, look->left_out, sizeof(congad_port_said_left_out));
}

int congad_port_follow(const struct congad_view *view, const struct congad_fabric *fabric,
		       uint64_t now, int *failures)
{
	struct congad_port_look look = {
		.view = view,
		.fabric = fabric,
		.records = CONGA_ARRAY(struct congad_port_record, congad_port_record_compare),
		.now = now,
	};
	int err = congad_port_look(&look);

	if (err) {
		conga_array_clean(&look.records);
		return err;
	}
	congad_port_say_left_out(&look);
	conga_array_sort(&look.records);
	congad_port_forget();
	congad_port_records = look.records;
	*failures += look.failures;
	return 0;
}

void congad_port_forget(void)
{
	conga_array_clean(&congad_port_records);
}
