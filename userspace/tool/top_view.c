// SPDX-License-Identifier: GPL-2.0
#include <net/if.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/conga.h>
#include <netlink/attr.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include "common/addr.h"
#include "common/attr.h"
#include "common/names.h"
#include "common/status.h"
#include "common/units.h"
#include "tool/args.h"
#include "tool/choices_generated.h"
#include "tool/command.h"
#include "tool/fabric.h"
#include "tool/grammar.h"
#include "tool/hosts.h"
#include "tool/leaf.h"
#include "tool/port.h"
#include "tool/print.h"
#include "tool/state.h"
#include "tool/stats.h"
#include "tool/table.h"
#include "tool/sample.h"
#include "tool/top_view.h"

#define CONGA_TOP_CELL_MAX	64
#define CONGA_TOP_BAR		8	/* cells */
#define CONGA_TOP_NAME_MIN	4
#define CONGA_TOP_PORT_REST	14	/* beside the name where it is narrow: rate, metric */
#define CONGA_TOP_INDENT	2
#define CONGA_TOP_LEAF_REST	35	/* beside a leaf's name, where it stands in columns */
#define CONGA_TOP_PATHS		5
#define CONGA_TOP_BITS		8
#define CONGA_TOP_PERCENT	100
#define CONGA_TOP_MILLION	1e6

static void conga_top_view_no_memory(void)
{
	fputs("conga: out of memory\n", stderr);
	exit(CONGA_REFUSED);
}

/* A truncated line ends with "+". */
static void conga_top_view_truncate_line(char *line, size_t width)
{
	size_t len = strlen(line);

	if (len > width && width) {
		len = width;
		line[len - 1] = '+';
	}
	while (len && line[len - 1] == ' ')
		len--;
	line[len] = '\0';
}

/* The view owns @line, truncated to the view's width, after this call. */
static void conga_top_view_add(struct conga_top_view *view, char *line, bool heading)
{
	size_t count = view->count + 1;

	view->lines = reallocarray(view->lines, count, sizeof(*view->lines));
	view->headings = reallocarray(view->headings, count, sizeof(*view->headings));
	if (!line || !view->lines || !view->headings)
		conga_top_view_no_memory();
	conga_top_view_truncate_line(line, view->width);
	view->lines[view->count] = line;
	view->headings[view->count++] = heading;
}

void conga_top_view_clean(struct conga_top_view *view)
{
	size_t i;

	for (i = 0; i < view->count; i++)
		free(view->lines[i]);
	free(view->lines);
	free(view->headings);
	memset(view, 0, sizeof(*view));
}

/* These are words that fill lines; lines after the first are indented. */
struct conga_top_words {
	struct conga_top_view *view;
	char *line;
	bool heading;
};

static void conga_top_words_end(struct conga_top_words *words)
{
	if (words->line)
		conga_top_view_add(words->view, words->line, words->heading);
	words->line = NULL;
}

__attribute__((format(printf, 2, 3)))
static void conga_top_words_add(struct conga_top_words *words, const char *format, ...)
{
	char word[CONGA_TOP_CELL_MAX], *line;
	bool fits, first = !words->line;
	va_list args;

	va_start(args, format);
	vsnprintf(word, sizeof(word), format, args);
	va_end(args);
	fits = first || strlen(words->line) + 1 + strlen(word) <= words->view->width;
	if (!fits)
		conga_top_words_end(words);
	if (asprintf(&line, "%s%*s%s", words->line ? words->line : "",
		     first ? 0 : fits ? 1 : CONGA_TOP_INDENT, "", word) < 0)
		conga_top_view_no_memory();
	free(words->line);
	words->line = line;
}

/* ---- the fabric ---- */

static unsigned long long conga_top_change(const struct conga_sample *before,
					   const struct conga_sample *after, int counter)
{
	return conga_stats_change(before->stats.values[counter], after->stats.values[counter]);
}

static bool conga_top_has_rates(const struct conga_sample *before)
{
	return before->taken && before->present;
}

static void conga_top_view_counter(struct conga_top_words *words, const char *name,
				   unsigned long long change, unsigned long long ns)
{
	conga_top_words_add(words, "%s %.0f/s", name, conga_stats_per_second(change, ns));
}

static unsigned long long conga_top_fallback(const struct conga_sample *before,
					     const struct conga_sample *after)
{
	return conga_top_change(before, after, CONGA_A_STATS_FALLBACK_NO_PATH) +
		conga_top_change(before, after, CONGA_A_STATS_FALLBACK_XFRM) +
		conga_top_change(before, after, CONGA_A_STATS_FALLBACK_MARK) +
		conga_top_change(before, after, CONGA_A_STATS_FALLBACK_MTU) +
		conga_top_change(before, after, CONGA_A_STATS_FALLBACK_NOMEM) +
		conga_top_change(before, after, CONGA_A_STATS_FALLBACK_NO_PROBE);
}

static void conga_top_view_counters(struct conga_top_view *view,
				    const struct conga_sample *before,
				    const struct conga_sample *after)
{
	unsigned long long ns = after->stats.ns - before->stats.ns;
	struct conga_top_words words = { .view = view };

	if (!conga_top_has_rates(before))
		return;
	conga_top_view_counter(&words, "flowlets",
			       conga_top_change(before, after, CONGA_A_STATS_FLOWLETS_STARTED), ns);
	conga_top_view_counter(&words, "moved",
			       conga_top_change(before, after, CONGA_A_STATS_FLOWLETS_MOVED), ns);
	conga_top_view_counter(&words, "rerouted",
			       conga_top_change(before, after, CONGA_A_STATS_FLOWLETS_REROUTED),
			       ns);
	conga_top_view_counter(&words, "steered",
			       conga_top_change(before, after, CONGA_A_STATS_TX_STEERED), ns);
	conga_top_view_counter(&words, "fallback", conga_top_fallback(before, after), ns);
	conga_top_words_end(&words);
}

static void conga_top_view_fabric(struct conga_top_view *view, struct nlattr **fabric)
{
	struct conga_top_words words = { .view = view };
	char timeout[CONGA_UNITS_TEXT_MAX];

	conga_units_format_time(timeout, sizeof(timeout),
				conga_attr_number(fabric[CONGA_A_FABRIC_FLOWLET_TIMEOUT]));
	conga_top_words_add(&words, "conga: policy %s",
			    nla_get_string(fabric[CONGA_A_FABRIC_POLICY]));
	conga_top_words_add(&words, "flowlet-timeout");
	conga_top_words_add(&words, "%s", timeout);
	conga_top_words_end(&words);
}

/* ---- ports ---- */

/* This is a port with its previous sample, if any, and the fabric's parameters. */
struct conga_top_port {
	struct nlattr *now[CONGA_ATTRS_MAX + 1];
	struct nlattr *old[CONGA_ATTRS_MAX + 1];
	struct nlattr **fabric;
	unsigned long long ns;	/* between the two, 0: it was not */
};

static unsigned int conga_top_full_scale(const struct conga_top_port *port)
{
	return (1U << conga_attr_number(port->fabric[CONGA_A_FABRIC_Q])) - 1;
}

/* The load is X / (C tau), and the metric is its quantised form. */
static double conga_top_level(const struct conga_top_port *port)
{
	double alpha = conga_attr_number(port->fabric[CONGA_A_FABRIC_ALPHA]) / CONGA_TOP_MILLION;
	double rate = conga_attr_number(port->now[CONGA_A_PORT_RATE]);
	double tau = alpha ? conga_attr_number(port->now[CONGA_A_PORT_TDRE]) / alpha : 0;
	double bits = conga_attr_number(port->now[CONGA_A_PORT_DRE_BYTES]) * CONGA_TOP_BITS;
	double level = rate && tau ? bits * 1e9 / (rate * tau) : 0;

	return level < 1 ? level : 1;
}

static double conga_top_bits_per_second(const struct conga_top_port *port)
{
	unsigned long long bytes;

	bytes = conga_stats_change(conga_attr_number(port->old[CONGA_A_PORT_TX_BYTES]),
				   conga_attr_number(port->now[CONGA_A_PORT_TX_BYTES]));
	return conga_stats_per_second(bytes, port->ns) * CONGA_TOP_BITS;
}

static void conga_top_cell_name(char *cell, const struct conga_top_port *port)
{
	char name[IF_NAMESIZE], *clean;

	conga_names_find(conga_attr_number(port->now[CONGA_A_PORT_IFINDEX]), name);
	clean = conga_print_utf8(name);
	snprintf(cell, CONGA_TOP_CELL_MAX, "%s", clean);
	free(clean);
}

static void conga_top_cell_role(char *cell, const struct conga_top_port *port)
{
	const char *role = conga_args_choice_word(conga_choices_role,
						  conga_attr_number(port->now[CONGA_A_PORT_ROLE]));

	snprintf(cell, CONGA_TOP_CELL_MAX, "%s", role ? role : "?");
}

static void conga_top_cell_tag(char *cell, const struct conga_top_port *port)
{
	const struct nlattr *tag = port->now[CONGA_A_PORT_TAG];

	if (tag)
		conga_units_format_integer(cell, CONGA_TOP_CELL_MAX, conga_attr_number(tag));
	else
		snprintf(cell, CONGA_TOP_CELL_MAX, "-");
}

static bool conga_top_is_down(const struct conga_top_port *port)
{
	return conga_attr_number(port->now[CONGA_A_PORT_STATE]) == CONGA_PORT_DOWN;
}

static void conga_top_cell_state(char *cell, const struct conga_top_port *port)
{
	const char *state = conga_attr_number(port->now[CONGA_A_PORT_DRAIN]) ? "drain" : "up";

	snprintf(cell, CONGA_TOP_CELL_MAX, "%s", conga_top_is_down(port) ? "down" : state);
}

static void conga_top_cell_rate(char *cell, const struct conga_top_port *port)
{
	conga_units_format_rate_short(cell, CONGA_TOP_CELL_MAX,
				      conga_attr_number(port->now[CONGA_A_PORT_RATE]));
}

/* Without room for the state a port that is down is shown here. */
static void conga_top_cell_sent(char *cell, const struct conga_top_port *port)
{
	if (conga_top_is_down(port))
		snprintf(cell, CONGA_TOP_CELL_MAX, "down");
	else if (port->ns)
		conga_units_format_rate_short(cell, CONGA_TOP_CELL_MAX,
					      conga_top_bits_per_second(port));
	else
		snprintf(cell, CONGA_TOP_CELL_MAX, "-");
}

static void conga_top_cell_load(char *cell, const struct conga_top_port *port)
{
	double rate = conga_attr_number(port->now[CONGA_A_PORT_RATE]);

	if (port->ns && rate)
		snprintf(cell, CONGA_TOP_CELL_MAX, "%.0f%%",
			 conga_top_bits_per_second(port) * CONGA_TOP_PERCENT / rate);
	else
		snprintf(cell, CONGA_TOP_CELL_MAX, "-");
}

static void conga_top_cell_metric(char *cell, const struct conga_top_port *port)
{
	snprintf(cell, CONGA_TOP_CELL_MAX, "%llu/%u",
		 conga_attr_number(port->now[CONGA_A_PORT_METRIC]), conga_top_full_scale(port));
}

static void conga_top_cell_bar(char *cell, const struct conga_top_port *port)
{
	static const char full[] = "########";
	int cells = conga_top_level(port) * CONGA_TOP_BAR + 0.5;

	snprintf(cell, CONGA_TOP_CELL_MAX, "[%-*.*s]", CONGA_TOP_BAR, cells, full);
}

struct conga_top_column {
	const char *title;
	int width;		/* negative: to the left; 0: as wide as the names */
	unsigned int rank;	/* the highest goes first; 0 stays */
	void (*cell)(char *cell, const struct conga_top_port *port);
};

static const struct conga_top_column conga_top_columns[] = {
	{ "PORT", 0, 0, conga_top_cell_name },
	{ "ROLE", -7, 6, conga_top_cell_role },
	{ "TAG", 3, 4, conga_top_cell_tag },
	{ "STATE", 5, 3, conga_top_cell_state },
	{ "RATE", 8, 5, conga_top_cell_rate },
	{ "SENDS", 8, 0, conga_top_cell_sent },
	{ "LOAD", 5, 2, conga_top_cell_load },
	{ "DRE", 5, 0, conga_top_cell_metric },
	{ "LEVEL", -(CONGA_TOP_BAR + 2), 1, conga_top_cell_bar },
};

#define CONGA_TOP_COLUMNS	(sizeof(conga_top_columns) / sizeof(*conga_top_columns))

/* Columns with a rank above @limit are left out. */
struct conga_top_layout {
	int names;		/* width */
	unsigned int limit;
};

static unsigned int conga_top_layout_width(const struct conga_top_layout *layout)
{
	unsigned int width = 0;
	size_t i;

	for (i = 0; i < CONGA_TOP_COLUMNS; i++)
		if (conga_top_columns[i].rank <= layout->limit)
			width += abs(conga_top_columns[i].width ? conga_top_columns[i].width :
								  layout->names) + !!i;
	return width;
}

static void conga_top_layout_fit(struct conga_top_layout *layout, unsigned int width)
{
	int room = width > CONGA_TOP_PORT_REST + CONGA_TOP_NAME_MIN ?
		   (int)width - CONGA_TOP_PORT_REST : CONGA_TOP_NAME_MIN;

	layout->limit = CONGA_TOP_COLUMNS;
	while (layout->limit && conga_top_layout_width(layout) > width)
		layout->limit--;
	if (conga_top_layout_width(layout) > width && layout->names > room)
		layout->names = room;
}

/* @port is NULL for the titles. */
static void conga_top_view_row(struct conga_top_view *view, const struct conga_top_layout *layout,
			       const struct conga_top_port *port)
{
	char cell[CONGA_TOP_CELL_MAX], *line = calloc(1, CONGA_TOP_COLUMNS * CONGA_TOP_CELL_MAX);
	const struct conga_top_column *column = conga_top_columns;
	int width, len = 0;

	if (!line)
		conga_top_view_no_memory();
	for (; column < conga_top_columns + CONGA_TOP_COLUMNS; column++) {
		if (column->rank > layout->limit)
			continue;
		width = column->width ? column->width : -layout->names;
		if (port)
			column->cell(cell, port);
		else
			snprintf(cell, sizeof(cell), "%s", column->title);
		len += sprintf(line + len, "%s%*.*s", len ? " " : "", width, abs(width), cell);
	}
	conga_top_view_add(view, line, !port);
}

/* A new port, or one whose ifindex belonged to another, has no rate yet. */
static void conga_top_find_old(struct conga_top_port *port, const struct conga_sample *before,
			       const struct conga_sample *after)
{
	unsigned long long ifindex = conga_attr_number(port->now[CONGA_A_PORT_IFINDEX]);
	size_t next = 0;

	port->ns = 0;
	if (!conga_top_has_rates(before))
		return;
	while (conga_command_next(&conga_port_object, &before->state.ports, &next, port->old)) {
		if (conga_attr_number(port->old[CONGA_A_PORT_IFINDEX]) != ifindex)
			continue;
		port->ns = after->stats.ns - before->stats.ns;
		return;
	}
}

static int conga_top_longest_name(const struct conga_sample *sample)
{
	struct conga_top_port port;
	char cell[CONGA_TOP_CELL_MAX];
	int longest = CONGA_TOP_NAME_MIN;
	size_t next = 0;

	while (conga_command_next(&conga_port_object, &sample->state.ports, &next, port.now)) {
		conga_top_cell_name(cell, &port);
		if ((int)strlen(cell) > longest)
			longest = strlen(cell);
	}
	return longest;
}

static void conga_top_view_ports(struct conga_top_view *view, struct nlattr **fabric,
				 const struct conga_sample *before,
				 const struct conga_sample *after)
{
	struct conga_top_layout layout = { .names = conga_top_longest_name(after) };
	struct conga_top_port port = { .fabric = fabric };
	size_t next = 0;

	conga_top_layout_fit(&layout, view->width);
	conga_top_view_row(view, &layout, NULL);
	while (conga_command_next(&conga_port_object, &after->state.ports, &next, port.now)) {
		conga_top_find_old(&port, before, after);
		conga_top_view_row(view, &layout, &port);
	}
}

/* ---- leaves ---- */

static void conga_top_view_row_of_table(struct conga_top_words *words, struct nlattr *attr)
{
	struct nlattr *row[CONGA_A_ROW_MAX + 1];

	if (nla_parse_nested(row, CONGA_A_ROW_MAX, attr, NULL) >= 0)
		conga_top_words_add(words, "%llu:%llu", conga_attr_number(row[CONGA_A_ROW_TAG]),
				    conga_attr_number(row[CONGA_A_ROW_METRIC]));
}

static void conga_top_view_table(struct conga_top_words *words, struct nl_msg *table)
{
	struct nlattr *attr;
	int rem;

	nlmsg_for_each_attr(attr, nlmsg_hdr(table), GENL_HDRLEN, rem)
		if (nla_type(attr) == CONGA_A_TABLE_ROW)
			conga_top_view_row_of_table(words, attr);
}

/* Both lists have one order, unless a leaf was added or removed in between. */
static struct nl_msg *conga_top_find_table(const struct conga_sample *sample,
					   struct nlattr **leaf, size_t from)
{
	struct nlattr *table[CONGA_ATTRS_MAX + 1];
	size_t i, index;

	for (i = 0; i < sample->tables.count; i++) {
		index = (from + i) % sample->tables.count;
		if (!conga_command_parse_reply(&conga_table_object, sample->tables.msgs[index],
					       table) &&
		    conga_state_same_addr(leaf, CONGA_A_LEAF_ADDR4, table, CONGA_A_TABLE_ADDR4))
			return sample->tables.msgs[index];
	}
	return NULL;
}

/* @text has CONGA_HOSTS_NAME_MAX bytes, which an address has no more than. */
static void conga_top_leaf_name(char *text, struct nlattr **leaf)
{
	const struct nlattr *attr = leaf[CONGA_A_LEAF_ADDR4];
	struct in6_addr addr;
	const char *name;

	if (!attr)
		attr = leaf[CONGA_A_LEAF_ADDR6];
	name = conga_hosts_find_name(attr);
	*text = '\0';
	if (name)
		snprintf(text, CONGA_HOSTS_NAME_MAX, "%s", name);
	else if (conga_addr_read(attr, &addr))
		conga_addr_text(&addr, text);
}

/* Returns the width of names, or 0 where there is no room for columns. */
static int conga_top_leaf_width(const struct conga_top_view *view,
				const struct conga_sample *sample)
{
	struct nlattr *leaf[CONGA_ATTRS_MAX + 1];
	char text[CONGA_HOSTS_NAME_MAX];
	size_t next = 0, longest = 0;

	while (conga_command_next(&conga_leaf_object, &sample->state.leaves, &next, leaf)) {
		conga_top_leaf_name(text, leaf);
		if (strlen(text) > longest)
			longest = strlen(text);
	}
	return view->width < longest + CONGA_TOP_LEAF_REST ? 0 : longest;
}

static void conga_top_view_leaf(struct conga_top_view *view, struct nlattr **leaf, int width,
				struct nl_msg *table)
{
	const char *state = conga_args_choice_word(conga_choices_leaf_state,
						   conga_attr_number(leaf[CONGA_A_LEAF_STATE]));
	struct conga_top_words words = { .view = view };
	char text[CONGA_HOSTS_NAME_MAX];

	conga_top_leaf_name(text, leaf);
	conga_top_words_add(&words, "%-*s", width, text);
	conga_top_words_add(&words, "%-5s", state ? state : "?");
	conga_top_words_add(&words, "%-*llu", width ? CONGA_TOP_PATHS : 0,
			    conga_attr_number(leaf[CONGA_A_LEAF_PATHS]));
	if (table)
		conga_top_view_table(&words, table);
	conga_top_words_end(&words);
}

static void conga_top_view_leaves(struct conga_top_view *view,
				  const struct conga_sample *sample)
{
	struct conga_top_words words = { .view = view, .heading = true };
	int width = conga_top_leaf_width(view, sample);
	struct nlattr *leaf[CONGA_ATTRS_MAX + 1];
	size_t next = 0;

	conga_top_words_add(&words, "%-*s", width, "LEAF");
	conga_top_words_add(&words, "STATE");
	conga_top_words_add(&words, "PATHS");
	conga_top_words_add(&words, "TO-LEAF");
	conga_top_words_add(&words, "(tag:metric)");
	conga_top_words_end(&words);
	while (conga_command_next(&conga_leaf_object, &sample->state.leaves, &next, leaf))
		conga_top_view_leaf(view, leaf, width,
				    conga_top_find_table(sample, leaf, next - 1));
}

static void conga_top_view_no_fabric(struct conga_top_view *view)
{
	struct conga_top_words words = { .view = view };

	conga_top_words_add(&words, "no fabric in this");
	conga_top_words_add(&words, "network namespace");
	conga_top_words_add(&words, "(conga fabric add)");
	conga_top_words_end(&words);
}

void conga_top_view_make(struct conga_top_view *view, const struct conga_sample *before,
			 const struct conga_sample *after)
{
	struct nlattr *fabric[CONGA_ATTRS_MAX + 1];
	size_t next = 0;

	if (!after->present ||
	    !conga_command_next(&conga_fabric_object, &after->state.fabric, &next, fabric)) {
		conga_top_view_no_fabric(view);
		return;
	}
	conga_top_view_fabric(view, fabric);
	conga_top_view_counters(view, before, after);
	conga_top_view_add(view, strdup(""), false);
	conga_top_view_ports(view, fabric, before, after);
	conga_top_view_add(view, strdup(""), false);
	conga_top_view_leaves(view, after);
}
