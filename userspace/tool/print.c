// SPDX-License-Identifier: GPL-2.0
/*
 * Output is printed one field at a time. On screen an object is a line; in JSON it is
 * an element of the one array that a command prints. An element is written when it is
 * complete, so that a large flowlet table is never stored as a whole.
 */
#include <inttypes.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/conga.h>
#include <netlink/attr.h>
#include <jansson.h>
#include "common/addr.h"
#include "common/attr.h"
#include "common/names.h"
#include "common/status.h"
#include "common/units.h"
#include "tool/args.h"
#include "tool/choices_generated.h"
#include "tool/color.h"
#include "tool/grammar.h"
#include "tool/hosts.h"
#include "tool/options.h"
#include "tool/print.h"

/* The seed must not be 0, for which jansson waits until the kernel has random numbers: keys are
 * our own.
 */
#define CONGA_PRINT_HASH_SEED	1

/* The deepest nesting is an array in an object in an array in an object. */
#define CONGA_PRINT_DEPTH	8

/* Six digits print a number of millionths below one exactly. */
#define CONGA_PRINT_REAL_DIGITS	6
#define CONGA_PRINT_INDENT	4
#define CONGA_PRINT_SENTENCE_MAX	96
#define CONGA_PRINT_MILLION	1000000.0
#define CONGA_PRINT_SMALL	10

static struct {
	json_t *stack[CONGA_PRINT_DEPTH];
	unsigned int depth;
	bool lines;		/* an element a line instead of an array */
	bool any;		/* the array has an element already */
	bool in_line;		/* the line on screen has a word already */
	unsigned int width;	/* of the next value on screen */
	enum conga_color color;	/* likewise */
} conga_printer;

static void conga_print_no_memory(void)
{
	fputs("conga: out of memory\n", stderr);
	exit(CONGA_REFUSED);
}

void conga_print_begin(void)
{
	conga_printer.any = false;
	if (conga_options.json)
		putchar('[');
}

void conga_print_end(void)
{
	if (conga_options.json)
		puts("]");
}

/* This replaces begin and end for output without an end. */
void conga_print_lines(bool on)
{
	conga_printer.lines = on;
}

static size_t conga_print_flags(void)
{
	bool indent = conga_options.pretty && !conga_printer.lines;
	size_t layout = indent ? JSON_INDENT(CONGA_PRINT_INDENT) : JSON_COMPACT;

	return layout | JSON_REAL_PRECISION(CONGA_PRINT_REAL_DIGITS);
}

static void conga_print_element(json_t *value)
{
	if (conga_printer.any && !conga_printer.lines)
		putchar(',');
	if (json_dumpf(value, stdout, conga_print_flags()))
		conga_print_no_memory();
	if (conga_printer.lines)
		putchar('\n');
	conga_printer.any = true;
	json_decref(value);
}

static void conga_print_add(const char *key, json_t *value)
{
	json_t *parent;
	int err;

	if (!value)
		conga_print_no_memory();
	parent = conga_printer.stack[conga_printer.depth - 1];
	if (json_is_array(parent))
		err = json_array_append_new(parent, value);
	else
		err = json_object_set_new(parent, key, value);
	if (err)
		conga_print_no_memory();
}

static void conga_print_push(const char *key, json_t *value)
{
	if (conga_printer.depth)
		conga_print_add(key, value);
	else if (!value)
		conga_print_no_memory();
	conga_printer.stack[conga_printer.depth++] = value;
}

static void conga_print_pop(void)
{
	json_t *value = conga_printer.stack[--conga_printer.depth];

	if (!conga_printer.depth)
		conga_print_element(value);
}

void conga_print_object(const char *key)
{
	if (!conga_options.json)
		return;
	json_object_seed(CONGA_PRINT_HASH_SEED);
	conga_print_push(key, json_object());
}

void conga_print_object_end(void)
{
	if (conga_options.json)
		conga_print_pop();
	else
		conga_print_line_end();
}

void conga_print_array(const char *key)
{
	if (conga_options.json)
		conga_print_push(key, json_array());
}

void conga_print_array_end(void)
{
	if (conga_options.json)
		conga_print_pop();
}

static void conga_print_break(char separator)
{
	if (conga_printer.in_line)
		putchar(separator);
	conga_printer.in_line = false;
}

void conga_print_line_end(void)
{
	if (!conga_options.json)
		conga_print_break('\n');
}

/* Ends the current line on screen, if any, and begins another. With -o both are one, as in
 * iproute2.
 */
void conga_print_line(unsigned int indent)
{
	if (conga_options.json)
		return;
	conga_print_break(conga_options.oneline ? '\\' : '\n');
	printf("%*s", (int)indent, "");
}

/* Right-aligns the next value on screen in @width columns. */
void conga_print_pad(unsigned int width)
{
	conga_printer.width = width;
}

void conga_print_color(enum conga_color color)
{
	conga_printer.color = color;
}

void conga_print_text(const char *text)
{
	if (conga_options.json)
		return;
	printf("%s%s%*s%s", conga_printer.in_line ? " " : "",
	       conga_color_begin(conga_printer.color), (int)conga_printer.width, text,
	       conga_color_end(conga_printer.color));
	conga_printer.in_line = true;
	conga_printer.width = 0;
	conga_printer.color = CONGA_COLOR_NONE;
}

/* Prints without a separator after the last word on screen. */
void conga_print_append(const char *text)
{
	if (!conga_options.json)
		fputs(text, stdout);
}

static void conga_print_field(const char *key, const char *label, json_t *value,
			      const char *text)
{
	const enum conga_color color = conga_printer.color;

	if (conga_options.json && key) {
		conga_print_add(key, value);
		return;
	}
	json_decref(value);
	conga_printer.color = CONGA_COLOR_NONE;
	if (!label)
		return;
	if (*label)
		conga_print_text(label);
	conga_printer.color = color;
	conga_print_text(text);
}

static bool conga_print_is_utf8(const char *value)
{
	json_t *string = json_string(value);

	json_decref(string);
	return string;
}

/* JSON and metrics are UTF-8; the name of a device need not be. The caller frees the copy. */
char *conga_print_utf8(const char *value)
{
	char *copy = strdup(value), *c;

	if (!copy)
		conga_print_no_memory();
	if (conga_print_is_utf8(value))
		return copy;
	for (c = copy; *c; c++)
		if (*c & 0x80)
			*c = '?';
	return copy;
}

static json_t *conga_print_json_string(const char *value)
{
	char *copy = conga_print_utf8(value);
	json_t *string = json_string(copy);

	free(copy);
	return string;
}

void conga_print_string(const char *key, const char *label, const char *value)
{
	conga_print_field(key, label, conga_print_json_string(value), value);
}

void conga_print_number(const char *key, const char *label, unsigned long long value)
{
	char text[CONGA_UNITS_TEXT_MAX];

	conga_units_format_integer(text, sizeof(text), value);
	conga_print_field(key, label, json_integer(value), text);
}

/* On screen a small value has one decimal. */
void conga_print_real(const char *key, const char *label, double value, const char *unit)
{
	char text[CONGA_UNITS_TEXT_MAX];

	snprintf(text, sizeof(text), "%.*f%s", value && value < CONGA_PRINT_SMALL ? 1 : 0,
		 value, unit);
	conga_print_field(key, label, json_real(value), text);
}

/* On screen a flag is its label, or nothing is printed. */
void conga_print_flag(const char *key, const char *label, bool value)
{
	if (conga_options.json)
		conga_print_add(key, json_boolean(value));
	else if (label && value)
		conga_print_text(label);
}

static void conga_print_quantity(const char *key, const char *label, const struct nlattr *attr,
				 void (*format)(char *text, size_t size,
						unsigned long long value))
{
	unsigned long long value = conga_attr_number(attr);
	char text[CONGA_UNITS_TEXT_MAX];

	if (!attr)
		return;
	format(text, sizeof(text), value);
	conga_print_field(key, label, json_integer(value), text);
}

void conga_print_uint(const char *key, const char *label, const struct nlattr *attr)
{
	conga_print_quantity(key, label, attr, conga_units_format_integer);
}

void conga_print_metric(const char *key, const char *label, const struct nlattr *attr,
			const struct nlattr *limit)
{
	unsigned long long value = conga_attr_number(attr);
	char text[2 * CONGA_UNITS_TEXT_MAX];

	if (!attr)
		return;
	snprintf(text, sizeof(text), "%llu/%llu", value, conga_attr_number(limit));
	conga_print_field(key, label, json_integer(value), text);
}

void conga_print_time(const char *key, const char *label, const struct nlattr *attr)
{
	conga_print_quantity(key, label, attr, conga_units_format_time);
}

/* On screen a word stands for the number. */
void conga_print_special(const char *key, const char *label, const struct nlattr *attr,
			 const char *word)
{
	conga_print_field(key, label, json_integer(conga_attr_number(attr)), word);
}

void conga_print_id(const char *key, const char *label, const struct nlattr *attr)
{
	conga_print_quantity(key, label, attr, conga_units_format_id);
}

void conga_print_age(const char *key, const char *label, const struct nlattr *attr)
{
	conga_print_quantity(key, label, attr, conga_units_format_age);
}

void conga_print_rate(const char *key, const char *label, const struct nlattr *attr)
{
	conga_print_quantity(key, label, attr, conga_units_format_rate);
}

void conga_print_fraction(const char *key, const char *label, const struct nlattr *attr)
{
	unsigned long long value = conga_attr_number(attr);
	char text[CONGA_UNITS_TEXT_MAX];

	if (!attr)
		return;
	conga_units_format_fraction(text, sizeof(text), value);
	conga_print_field(key, label, json_real(value / CONGA_PRINT_MILLION), text);
}

void conga_print_name(const char *key, const char *label, const struct nlattr *attr)
{
	if (attr)
		conga_print_string(key, label, nla_get_string((struct nlattr *)attr));
}

/* A later kernel may report a choice that this tool does not know. */
void conga_print_choice(const char *key, const char *label, const struct nlattr *attr,
			const struct conga_choice *choices)
{
	unsigned int value = conga_attr_number(attr);
	char unknown[CONGA_UNITS_TEXT_MAX];
	const char *word;

	if (!attr)
		return;
	snprintf(unknown, sizeof(unknown), "unknown_%u", value);
	word = conga_args_choice_word(choices, value);
	conga_print_string(key, label, word ? word : unknown);
}

/* Prints a reason in brackets, on screen only. */
void conga_print_sentence(const struct nlattr *attr, const struct conga_choice *sentences)
{
	const char *sentence = conga_args_choice_word(sentences, conga_attr_number(attr));
	char text[CONGA_PRINT_SENTENCE_MAX];

	if (!attr)
		return;
	if (!sentence)
		sentence = "for a reason that this tool does not know";
	snprintf(text, sizeof(text), "(%s)", sentence);
	conga_print_text(text);
}

void conga_print_on_off(const char *key, const char *label, const struct nlattr *attr)
{
	bool on = conga_attr_number(attr);

	if (attr)
		conga_print_field(key, label, json_boolean(on), on ? "on" : "off");
}

/* An operator's objects are the usual case, and their origin is not shown. */
void conga_print_origin(const struct nlattr *attr)
{
	bool show = conga_options.details || conga_attr_number(attr) != CONGA_ORIGIN_MANUAL;

	conga_print_choice("origin", show ? "origin" : NULL, attr, conga_choices_origin);
}

/* A device may be removed between the kernel's answer and this request. */
void conga_print_dev(const char *key, const char *label, const struct nlattr *attr)
{
	unsigned int ifindex = conga_attr_number(attr);
	char name[IF_NAMESIZE];

	if (!attr)
		return;
	conga_names_find(ifindex, name);
	conga_print_color(CONGA_COLOR_DEV);
	conga_print_string(key, label, name);
}

/* On screen @name, if there is one, stands for the address. */
static void conga_print_addr_or_name(const char *key, const char *label,
				     const struct nlattr *attr, const char *name)
{
	char text[CONGA_ADDR_TEXT_MAX];
	struct in6_addr addr;

	if (!conga_addr_read(attr, &addr))
		return;
	conga_addr_text(&addr, text);
	conga_print_color(conga_addr_is_v4(&addr) ? CONGA_COLOR_ADDR4 : CONGA_COLOR_ADDR6);
	conga_print_string(key, label, name && !conga_options.json ? name : text);
}

static const struct nlattr *conga_print_find_addr(struct nlattr **attrs, int attr4)
{
	return attrs[attr4] ? attrs[attr4] : attrs[attr4 + 1];
}

void conga_print_addr(const char *key, const char *label, struct nlattr **attrs, int attr4)
{
	conga_print_addr_or_name(key, label, conga_print_find_addr(attrs, attr4), NULL);
}

void conga_print_leaf(const char *key, const char *label, struct nlattr **attrs, int attr4)
{
	const struct nlattr *attr = conga_print_find_addr(attrs, attr4);
	const char *name = conga_hosts_find_name(attr);

	conga_print_addr_or_name(key, label, attr, name);
	if (name)
		conga_print_string("name", NULL, name);
}
