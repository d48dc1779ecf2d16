// SPDX-License-Identifier: GPL-2.0
/*
 * The overview shows everything on one screen: the fabric, its ports, its leaves with
 * their paths, and how many findings conga check has. In JSON it is one object with the arrays of
 * each "show", and with -br one table after the other.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <linux/conga.h>
#include <netlink/attr.h>
#include "common/status.h"
#include "tool/brief.h"
#include "tool/check.h"
#include "tool/check_report.h"
#include "tool/command.h"
#include "tool/fabric.h"
#include "tool/grammar.h"
#include "tool/leaf.h"
#include "tool/nl.h"
#include "tool/options.h"
#include "tool/overview.h"
#include "tool/path.h"
#include "tool/path_print.h"
#include "tool/port.h"
#include "tool/print.h"
#include "tool/state.h"

#define CONGA_OVERVIEW_INDENT		4
#define CONGA_OVERVIEW_FINDINGS_MAX	80

/* Finds the first path of @leaf, beginning at *@cursor and wrapping around. */
static bool conga_overview_find_paths(struct nlattr **leaf, const struct conga_replies *paths,
				      size_t *cursor)
{
	struct nlattr *path[CONGA_ATTRS_MAX + 1];
	size_t i;

	for (i = 0; i < paths->count; i++, (*cursor)++) {
		*cursor %= paths->count;
		if (!conga_command_parse_reply(&conga_path_object, paths->msgs[*cursor], path) &&
		    conga_state_same_addr(leaf, CONGA_A_LEAF_ADDR4, path, CONGA_A_PATH_ADDR4))
			return true;
	}
	return false;
}

/* The kernel lists leaves and paths in one order, and the paths of a leaf in a row, so that
 * @cursor is right in nearly all cases.
 */
static void conga_overview_print_paths(struct nlattr **leaf, const struct conga_replies *paths,
				       size_t *cursor)
{
	struct nlattr *path[CONGA_ATTRS_MAX + 1];

	if (!conga_overview_find_paths(leaf, paths, cursor))
		return;
	for (; *cursor < paths->count; (*cursor)++) {
		if (conga_command_parse_reply(&conga_path_object, paths->msgs[*cursor], path) ||
		    !conga_state_same_addr(leaf, CONGA_A_LEAF_ADDR4, path, CONGA_A_PATH_ADDR4))
			return;
		conga_print_line(CONGA_OVERVIEW_INDENT);
		conga_path_print_tail(path, paths->msgs[*cursor]);
	}
}

/* On screen each leaf is followed by its @paths, if given. */
static int conga_overview_print_list(const char *key, const struct conga_object *object,
				     const struct conga_replies *replies,
				     const struct conga_replies *paths)
{
	struct nlattr *attrs[CONGA_ATTRS_MAX + 1];
	int status = CONGA_OK;
	size_t i, cursor = 0;

	conga_print_array(key);
	for (i = 0; i < replies->count; i++) {
		status = conga_command_parse_reply(object, replies->msgs[i], attrs);
		if (status)
			break;
		if (conga_brief_wants(object)) {
			conga_brief_row(object, attrs);
			continue;
		}
		conga_print_object(NULL);
		object->print(attrs, replies->msgs[i]);
		if (paths)
			conga_overview_print_paths(attrs, paths, &cursor);
		conga_print_object_end();
	}
	conga_brief_print();
	conga_print_array_end();
	return status;
}

/* The screen shows what the kernel knows; what is wrong in the configuration around it, and where
 * ports are slower than their rates, only the checks know.
 */
static void conga_overview_print_findings(void)
{
	unsigned int errors, warnings;
	char text[CONGA_OVERVIEW_FINDINGS_MAX];

	if (conga_options.json || conga_options.brief || conga_check_count())
		return;
	errors = conga_check_report_count(CONGA_SEVERITY_ERROR);
	warnings = conga_check_report_count(CONGA_SEVERITY_WARNING);
	if (!errors && !warnings)
		return;
	snprintf(text, sizeof(text), "check: errors %u, warnings %u; see: conga check", errors,
		 warnings);
	conga_print_color(errors ? CONGA_COLOR_BAD : CONGA_COLOR_WARNING);
	conga_print_text(text);
	conga_print_line_end();
}

static int conga_overview_print(const struct conga_state *state)
{
	bool apart = conga_options.json || conga_brief_wants(&conga_path_object);
	int status;

	conga_print_begin();
	conga_print_object(NULL);
	status = conga_overview_print_list("fabric", &conga_fabric_object, &state->fabric, NULL);
	if (!status)
		status = conga_overview_print_list("ports", &conga_port_object, &state->ports,
						   NULL);
	if (!status)
		status = conga_overview_print_list("leaves", &conga_leaf_object, &state->leaves,
						   apart ? NULL : &state->paths);
	if (!status && apart)
		status = conga_overview_print_list("paths", &conga_path_object, &state->paths,
						   NULL);
	conga_print_object_end();
	if (!status)
		conga_overview_print_findings();
	conga_print_end();
	return status;
}

static int conga_overview_no_fabric(void)
{
	conga_print_begin();
	conga_print_text("no fabric in this network namespace (conga fabric add ...)");
	conga_print_line_end();
	conga_print_end();
	return CONGA_OK;
}

int conga_overview_show(void)
{
	struct conga_state state = { 0 };
	int status, error = 0;

	status = conga_state_read(&state, &error);
	if (error == ENOENT)
		status = conga_overview_no_fabric();
	else if (!status)
		status = conga_overview_print(&state);
	conga_state_clean(&state);
	return status;
}
