/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A field at a time, as text or as JSON.
 *
 * JSON is an interface. Every command that reads prints one array of objects, except monitor
 * and what -i repeats, which print an object a line. Keys are lower_snake with the base unit in
 * the name; a value that does not exist is missing, never null.
 */
#ifndef CONGA_TOOL_PRINT_H
#define CONGA_TOOL_PRINT_H

#include <stdbool.h>
#include "tool/color.h"
#include "tool/grammar.h"

/* These functions enclose all output of a command. */
void conga_print_begin(void);
void conga_print_end(void);

/* conga_print_lines - replaces begin and end for output without an end */
void conga_print_lines(bool on);

/* These functions open and close objects and arrays of JSON; @key is NULL for an element of an
 * array. On screen the end of the outermost object ends the line.
 */
void conga_print_object(const char *key);
void conga_print_object_end(void);
void conga_print_array(const char *key);
void conga_print_array_end(void);

/* These functions print on screen only: end a line, if there is one; end a line and begin another,
 * or with option -o go on behind a backslash; right-align the next value
 * in so many columns; give it a color; print a word; print without a separator.
 */
void conga_print_line_end(void);
void conga_print_line(unsigned int indent);
void conga_print_pad(unsigned int width);
void conga_print_color(enum conga_color color);
void conga_print_text(const char *text);
void conga_print_append(const char *text);

/*
 * A field is printed in JSON under @key and on screen after @label. Without a key it is
 * printed on screen only, without a label in JSON only; with label "" only its value is
 * printed. A field whose attribute is absent is left out. A metric is printed with its full scale
 * on screen, "3/7".
 */
void conga_print_string(const char *key, const char *label, const char *value);
void conga_print_number(const char *key, const char *label, unsigned long long value);
void conga_print_real(const char *key, const char *label, double value, const char *unit);
void conga_print_flag(const char *key, const char *label, bool value);
void conga_print_uint(const char *key, const char *label, const struct nlattr *attr);
void conga_print_metric(const char *key, const char *label, const struct nlattr *attr,
			const struct nlattr *limit);
void conga_print_fraction(const char *key, const char *label, const struct nlattr *attr);
void conga_print_time(const char *key, const char *label, const struct nlattr *attr);
void conga_print_special(const char *key, const char *label, const struct nlattr *attr,
			 const char *word);
void conga_print_age(const char *key, const char *label, const struct nlattr *attr);
void conga_print_rate(const char *key, const char *label, const struct nlattr *attr);
void conga_print_id(const char *key, const char *label, const struct nlattr *attr);
void conga_print_name(const char *key, const char *label, const struct nlattr *attr);
void conga_print_choice(const char *key, const char *label, const struct nlattr *attr,
			const struct conga_choice *choices);
void conga_print_on_off(const char *key, const char *label, const struct nlattr *attr);
void conga_print_dev(const char *key, const char *label, const struct nlattr *attr);

/* conga_print_addr - print one of a pair of attributes, IPv4 at @attr4 and IPv6 after it */
void conga_print_addr(const char *key, const char *label, struct nlattr **attrs, int attr4);

/* conga_print_leaf - print the address of a leaf, on screen its name instead; in JSON the name
 * follows under the key "name"
 */
void conga_print_leaf(const char *key, const char *label, struct nlattr **attrs, int attr4);

/* conga_print_origin - print the origin on screen unless it is an operator's */
void conga_print_origin(const struct nlattr *attr);

/* conga_print_sentence - print the reason for something, in brackets, on screen only */
void conga_print_sentence(const struct nlattr *attr, const struct conga_choice *sentences);

/* conga_print_utf8 - return a copy in UTF-8, as JSON and metrics require; the caller frees it */
char *conga_print_utf8(const char *value);

#endif /* CONGA_TOOL_PRINT_H */
