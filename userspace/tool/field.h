/* SPDX-License-Identifier: GPL-2.0 */
/* A field is an attribute of a reply, with its key in JSON and its label on screen. */
#ifndef CONGA_TOOL_FIELD_H
#define CONGA_TOOL_FIELD_H

#include <netlink/attr.h>
#include <netlink/msg.h>
#include "tool/grammar.h"

enum conga_field_shown {
	CONGA_FIELD_ALWAYS,
	CONGA_FIELD_CHANGED,	/* on screen unless the value is the usual one, or with -d */
	CONGA_FIELD_DETAIL,	/* on screen with -d only */
	CONGA_FIELD_JSON,	/* never on screen */
};

/* A table of fields is what an object prints; the last entry is empty. Without @print the value
 * is one of @choices; with it, @choices are words for special values of a number. A field that is
 * more than an attribute has only @print_by_hand.
 */
struct conga_field {
	int attr;
	const char *key;
	const char *label;
	void (*print)(const char *key, const char *label, const struct nlattr *attr);
	const struct conga_choice *choices;
	enum conga_field_shown shown;
	unsigned long long usual;
	void (*print_by_hand)(struct nlattr **attrs, struct nl_msg *reply);
};

/* conga_field_print_all - print the fields whose attributes are there */
void conga_field_print_all(const struct conga_field *fields, struct nlattr **attrs,
			   struct nl_msg *reply);

#endif /* CONGA_TOOL_FIELD_H */
