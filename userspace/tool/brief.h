/* SPDX-License-Identifier: GPL-2.0 */
/* With option -br an object is a row of a table, whose columns are as wide as their widest cell. */
#ifndef CONGA_TOOL_BRIEF_H
#define CONGA_TOOL_BRIEF_H

#include <stdbool.h>
#include <netlink/attr.h>
#include "tool/color.h"
#include "tool/grammar.h"

/* conga_brief_wants - does this object have a table, and does an option ask for it? */
bool conga_brief_wants(const struct conga_object *object);

/* conga_brief_row - add the object with these attributes to the table */
void conga_brief_row(const struct conga_object *object, struct nlattr **attrs);

/* conga_brief_print - print the table, and begin another */
void conga_brief_print(void);

/* These functions add a cell to the row; every row of an object must have as many. Without its
 * attribute a cell is "-".
 */
void conga_brief_text(const char *text, enum conga_color color);
void conga_brief_dev(const struct nlattr *attr);
void conga_brief_leaf(struct nlattr **attrs, int attr4);
void conga_brief_rate(const struct nlattr *attr);
void conga_brief_number(const char *label, const struct nlattr *attr);
void conga_brief_choice(const struct nlattr *attr, const struct conga_choice *choices,
			enum conga_color color);

#endif /* CONGA_TOOL_BRIEF_H */
