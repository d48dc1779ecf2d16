// SPDX-License-Identifier: GPL-2.0
/*
 * The monitor prints events as they arrive, one a line. When events were lost it
 * reports the loss, and then the whole state as events, so that a reader of the lines
 * has the current state again.
 */
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <linux/conga.h>
#include <netlink/attr.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include "common/attr.h"
#include "common/names.h"
#include "common/status.h"
#include "common/subscription.h"
#include "tool/args.h"
#include "tool/command.h"
#include "tool/events.h"
#include "tool/fabric.h"
#include "tool/grammar.h"
#include "tool/leaf.h"
#include "tool/monitor.h"
#include "tool/nl.h"
#include "tool/options.h"
#include "tool/path.h"
#include "tool/port.h"
#include "tool/print.h"
#include "tool/repeat.h"
#include "tool/state.h"

static const char conga_monitor_usage[] =
	"Usage: conga monitor [ fabric | port | leaf | path ]...\n"
	"Events of all objects are reported unless some are named. -t prints times, -rcvbuf BYTES\n"
	"sets the size of the queue.\n";

/* This is the object of an event. */
struct conga_monitor_kind {
	unsigned char cmd;
	const struct conga_object *object;
	bool deleted;
};

static const struct conga_monitor_kind conga_monitor_kinds[] = {
	{ CONGA_CMD_FABRIC_NTF, &conga_fabric_object, false },
	{ CONGA_CMD_FABRIC_DEL_NTF, &conga_fabric_object, true },
	{ CONGA_CMD_PORT_NTF, &conga_port_object, false },
	{ CONGA_CMD_PORT_DEL_NTF, &conga_port_object, true },
	{ CONGA_CMD_LEAF_NTF, &conga_leaf_object, false },
	{ CONGA_CMD_LEAF_DEL_NTF, &conga_leaf_object, true },
	{ CONGA_CMD_PATH_NTF, &conga_path_object, false },
};

#define CONGA_MONITOR_KINDS	(sizeof(conga_monitor_kinds) / sizeof(*conga_monitor_kinds))

/* The set has a bit for each requested entry of conga_monitor_kinds. */
static unsigned int conga_monitor_wanted;

/* On screen the fabric's line already names it, and "changed" is obvious. */
static void conga_monitor_print_head(const struct conga_monitor_kind *kind)
{
	bool is_fabric = kind->object == &conga_fabric_object;

	conga_repeat_print_time();
	if (kind->deleted)
		conga_print_text("deleted");
	conga_print_string("object", is_fabric ? NULL : "", kind->object->name);
	conga_print_string("event", NULL, kind->deleted ? "deleted" : "changed");
}

static void conga_monitor_print(const struct conga_monitor_kind *kind, struct nl_msg *msg)
{
	struct nlattr *attrs[CONGA_ATTRS_MAX + 1];

	if (conga_command_parse_reply(kind->object, msg, attrs))
		return;
	if (kind->object == &conga_port_object)
		conga_names_remember(conga_attr_number(attrs[CONGA_A_PORT_IFINDEX]));
	if (!(conga_monitor_wanted & 1U << (kind - conga_monitor_kinds)))
		return;
	conga_print_object(NULL);
	conga_monitor_print_head(kind);
	kind->object->print(attrs, msg);
	conga_print_object_end();
	fflush(stdout);
}

/* A later kernel may send events that this tool does not know. */
static void conga_monitor_print_unknown(unsigned int cmd)
{
	conga_print_object(NULL);
	conga_repeat_print_time();
	conga_print_string("event", NULL, "unknown");
	conga_print_number("number", "unknown event", cmd);
	conga_print_object_end();
	fflush(stdout);
}

static const struct conga_monitor_kind *conga_monitor_find(unsigned int cmd)
{
	size_t i;

	for (i = 0; i < CONGA_MONITOR_KINDS; i++)
		if (conga_monitor_kinds[i].cmd == cmd)
			return &conga_monitor_kinds[i];
	return NULL;
}

static void conga_monitor_on_event(struct nl_msg *msg)
{
	const struct conga_monitor_kind *kind;

	if (!genlmsg_valid_hdr(nlmsg_hdr(msg), 0))
		return;
	kind = conga_monitor_find(genlmsg_hdr(nlmsg_hdr(msg))->cmd);
	if (kind)
		conga_monitor_print(kind, msg);
	else
		conga_monitor_print_unknown(genlmsg_hdr(nlmsg_hdr(msg))->cmd);
}

static void conga_monitor_ignore(struct nl_msg *msg)
{
	(void)msg;
}

static void conga_monitor_print_list(unsigned int cmd, const struct conga_replies *replies)
{
	size_t i;

	for (i = 0; i < replies->count; i++)
		conga_monitor_print(conga_monitor_find(cmd), replies->msgs[i]);
}

static void conga_monitor_print_state(const struct conga_state *state)
{
	conga_monitor_print_list(CONGA_CMD_FABRIC_NTF, &state->fabric);
	conga_monitor_print_list(CONGA_CMD_PORT_NTF, &state->ports);
	conga_monitor_print_list(CONGA_CMD_LEAF_NTF, &state->leaves);
	conga_monitor_print_list(CONGA_CMD_PATH_NTF, &state->paths);
}

/* A missing fabric is a state, too, and is reported as deleted. */
static int conga_monitor_tell_state(void)
{
	struct conga_state state = { 0 };
	int status, error = 0;

	status = conga_state_read(&state, &error);
	if (error == ENOENT) {
		struct nl_msg *msg = conga_nl_message(conga_fabric_object.commands);

		if (msg)
			conga_monitor_print(conga_monitor_find(CONGA_CMD_FABRIC_DEL_NTF), msg);
		nlmsg_free(msg);
		status = CONGA_OK;
	} else if (!status) {
		conga_monitor_print_state(&state);
	}
	conga_state_clean(&state);
	return status;
}

/* Events still in the queue are older than the state, and are printed first. */
static int conga_monitor_recover(void)
{
	enum conga_subscription_result result;

	do {
		result = conga_events_read(conga_monitor_ignore);
	} while (result == CONGA_SUBSCRIPTION_READ || result == CONGA_SUBSCRIPTION_LOST);
	if (result == CONGA_SUBSCRIPTION_FAILED)
		return CONGA_REFUSED;
	conga_print_object(NULL);
	conga_repeat_print_time();
	conga_print_string("event", NULL, "overrun");
	conga_print_text("overrun: events were lost, here is the state");
	conga_print_object_end();
	fflush(stdout);
	return conga_monitor_tell_state();
}

static int conga_monitor_step(const sigset_t *mask)
{
	switch (conga_events_read(conga_monitor_on_event)) {
	case CONGA_SUBSCRIPTION_NONE:
		return conga_events_wait(mask);
	case CONGA_SUBSCRIPTION_LOST:
		return conga_monitor_recover();
	case CONGA_SUBSCRIPTION_FAILED:
		return CONGA_REFUSED;
	default:
		return CONGA_OK;
	}
}

/* The names are remembered, so that a removed device's port can be named. */
static int conga_monitor_remember_names(void)
{
	struct nlattr *attrs[CONGA_ATTRS_MAX + 1];
	struct conga_state state = { 0 };
	int status, error = 0;
	size_t next = 0;

	status = conga_state_read(&state, &error);
	while (conga_command_next(&conga_port_object, &state.ports, &next, attrs))
		conga_names_remember(conga_attr_number(attrs[CONGA_A_PORT_IFINDEX]));
	conga_state_clean(&state);
	return error == ENOENT ? CONGA_OK : status;
}

static int conga_monitor_until_signal(void)
{
	int status = CONGA_OK;

	conga_repeat_begin();
	while (!status && conga_repeat_goes_on())
		status = conga_monitor_step(conga_repeat_mask());
	conga_repeat_end();
	return status;
}

/* Returns false if no object with events has this name. */
static bool conga_monitor_want(const char *name)
{
	bool found = false;
	size_t i;

	for (i = 0; i < CONGA_MONITOR_KINDS; i++) {
		if (strcmp(conga_monitor_kinds[i].object->name, name))
			continue;
		conga_monitor_wanted |= 1U << i;
		found = true;
	}
	return found;
}

static int conga_monitor_parse(struct conga_args *args)
{
	const char *name;

	conga_monitor_wanted = args->argc ? 0 : ~0U;
	for (name = conga_args_next(args); name; name = conga_args_next(args))
		if (!conga_monitor_want(name))
			return conga_args_unknown(args, name);
	return CONGA_OK;
}

static int conga_monitor_run(struct conga_args *args)
{
	int status = conga_monitor_parse(args);

	if (status)
		return status;
	conga_options.statistics = false;
	status = conga_events_open();
	if (status)
		return status;
	conga_print_lines(true);
	status = conga_monitor_remember_names();
	if (!status)
		status = conga_monitor_until_signal();
	conga_print_lines(false);
	conga_events_close();
	return status;
}

static const char *const conga_monitor_bare[] = { "fabric", "port", "leaf", "path", NULL };

const struct conga_object conga_monitor_object = {
	.name = "monitor",
	.usage = conga_monitor_usage,
	.run = conga_monitor_run,
	.bare = conga_monitor_bare,
};
