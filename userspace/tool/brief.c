// SPDX-License-Identifier: GPL-2.0
#include <net/if.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <netlink/attr.h>
#include "common/addr.h"
#include "common/array.h"
#include "common/attr.h"
#include "common/names.h"
#include "common/status.h"
#include "common/units.h"
#include "tool/args.h"
#include "tool/brief.h"
#include "tool/color.h"
#include "tool/grammar.h"
#include "tool/hosts.h"
#include "tool/options.h"

#define CONGA_BRIEF_CELL_MAX	CONGA_HOSTS_NAME_MAX
#define CONGA_BRIEF_COLUMNS_MAX	8
#define CONGA_BRIEF_GAP		2

struct conga_brief_cell {
	char text[CONGA_BRIEF_CELL_MAX];
	enum conga_color color;
};

/* The cells of all rows, one row after the other */
static struct conga_array conga_brief_cells = CONGA_ARRAY(struct conga_brief_cell, NULL);
static size_t conga_brief_columns;

bool conga_brief_wants(const struct conga_object *object)
{
	return conga_options.brief && !conga_options.json && object->brief;
}

void conga_brief_row(const struct conga_object *object, struct nlattr **attrs)
{
	size_t first = conga_brief_cells.count;

	object->brief(attrs);
	conga_brief_columns = conga_brief_cells.count - first;
}

static const struct conga_brief_cell *conga_brief_at(size_t index)
{
	return conga_array_at(&conga_brief_cells, index);
}

static void conga_brief_measure(size_t *widths)
{
	size_t i, length, column;

	for (i = 0; i < conga_brief_cells.count; i++) {
		column = i % conga_brief_columns;
		length = strlen(conga_brief_at(i)->text);
		if (length > widths[column])
			widths[column] = length;
	}
}

/* Nothing is written behind the last cell. */
static void conga_brief_print_row(size_t first, const size_t *widths)
{
	const struct conga_brief_cell *cell;
	size_t i, gap = 0;

	for (i = 0; i < conga_brief_columns; i++) {
		cell = conga_brief_at(first + i);
		if (*cell->text)
			printf("%*s%s%s%s", (int)gap, "", conga_color_begin(cell->color),
			       cell->text, conga_color_end(cell->color));
		gap = *cell->text ? 0 : gap;
		gap += widths[i] - strlen(cell->text) + CONGA_BRIEF_GAP;
	}
	putchar('\n');
}

void conga_brief_print(void)
{
	size_t widths[CONGA_BRIEF_COLUMNS_MAX] = { 0 }, first;

	conga_brief_measure(widths);
	for (first = 0; first < conga_brief_cells.count; first += conga_brief_columns)
		conga_brief_print_row(first, widths);
	conga_array_clean(&conga_brief_cells);
}

void conga_brief_text(const char *text, enum conga_color color)
{
	struct conga_brief_cell cell = { .color = color };

	snprintf(cell.text, sizeof(cell.text), "%s", text);
	if (!conga_array_add(&conga_brief_cells, &cell))
		return;
	fputs("conga: out of memory\n", stderr);
	exit(CONGA_REFUSED);
}

static void conga_brief_none(void)
{
	conga_brief_text("-", CONGA_COLOR_NONE);
}

void conga_brief_dev(const struct nlattr *attr)
{
	char name[IF_NAMESIZE];

	conga_names_find(conga_attr_number(attr), name);
	conga_brief_text(name, CONGA_COLOR_DEV);
}

void conga_brief_leaf(struct nlattr **attrs, int attr4)
{
	const struct nlattr *attr = attrs[attr4] ? attrs[attr4] : attrs[attr4 + 1];
	const char *name = conga_hosts_find_name(attr);
	char text[CONGA_ADDR_TEXT_MAX];
	struct in6_addr addr;

	if (!conga_addr_read(attr, &addr)) {
		conga_brief_none();
		return;
	}
	conga_brief_text(name ? name : conga_addr_text(&addr, text),
			 attrs[attr4] ? CONGA_COLOR_ADDR4 : CONGA_COLOR_ADDR6);
}

void conga_brief_rate(const struct nlattr *attr)
{
	char text[CONGA_UNITS_TEXT_MAX];

	if (!conga_attr_number(attr)) {
		conga_brief_none();
		return;
	}
	conga_units_format_rate(text, sizeof(text), conga_attr_number(attr));
	conga_brief_text(text, CONGA_COLOR_NONE);
}

void conga_brief_number(const char *label, const struct nlattr *attr)
{
	char text[CONGA_BRIEF_CELL_MAX];

	if (!attr) {
		conga_brief_none();
		return;
	}
	snprintf(text, sizeof(text), "%s %llu", label, conga_attr_number(attr));
	conga_brief_text(text, CONGA_COLOR_NONE);
}

void conga_brief_choice(const struct nlattr *attr, const struct conga_choice *choices,
			enum conga_color color)
{
	const char *word = conga_args_choice_word(choices, conga_attr_number(attr));

	conga_brief_text(word ? word : "unknown", color);
}
