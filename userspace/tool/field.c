// SPDX-License-Identifier: GPL-2.0
#include <string.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include "common/attr.h"
#include "tool/args.h"
#include "tool/field.h"
#include "tool/grammar.h"
#include "tool/options.h"
#include "tool/print.h"

static const char *conga_field_label(const struct conga_field *field, const struct nlattr *attr)
{
	bool usual = conga_attr_number(attr) == field->usual;

	if (field->shown == CONGA_FIELD_JSON)
		return NULL;
	if (field->shown == CONGA_FIELD_ALWAYS || conga_options.details)
		return field->label;
	return field->shown == CONGA_FIELD_CHANGED && !usual ? field->label : NULL;
}

/* A value that the kernel chooses is no number, so that JSON lacks it. */
static void conga_field_print_special(const struct conga_field *field, const char *label,
				      const struct nlattr *attr, const char *word)
{
	conga_print_special(strcmp(word, "auto") ? field->key : NULL, label, attr, word);
}

static void conga_field_print(const struct conga_field *field, const struct nlattr *attr)
{
	const char *label = conga_field_label(field, attr);
	const char *word = conga_args_choice_word(field->choices, conga_attr_number(attr));

	if (!field->print)
		conga_print_choice(field->key, label, attr, field->choices);
	else if (word)
		conga_field_print_special(field, label, attr, word);
	else
		field->print(field->key, label, attr);
}

void conga_field_print_all(const struct conga_field *fields, struct nlattr **attrs,
			   struct nl_msg *reply)
{
	const struct conga_field *field;

	for (field = fields; field->attr || field->print_by_hand; field++) {
		if (field->print_by_hand)
			field->print_by_hand(attrs, reply);
		else if (attrs[field->attr])
			conga_field_print(field, attrs[field->attr]);
	}
}
