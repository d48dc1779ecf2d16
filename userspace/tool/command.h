/* SPDX-License-Identifier: GPL-2.0 */
/* What all objects share: verbs are found by name, then a change is sent or what is read is
 * printed.
 */
#ifndef CONGA_TOOL_COMMAND_H
#define CONGA_TOOL_COMMAND_H

#include "tool/grammar.h"
#include "tool/nl.h"

/* conga_command_find - NULL if the object has no such verb */
const struct conga_command *conga_command_find(const struct conga_object *object,
					       const char *name);

/* conga_command_dispatch - the command that @args name; a status */
int conga_command_dispatch(const struct conga_object *object, struct conga_args *args);

/* For struct conga_command: a change, and what is shown */
int conga_command_change(const struct conga_command *command, struct conga_args *args);
int conga_command_show(const struct conga_command *command, struct conga_args *args);

/* conga_command_parse_reply - @attrs has room for CONGA_ATTRS_MAX + 1; a status */
int conga_command_parse_reply(const struct conga_object *object, struct nl_msg *reply,
			      struct nlattr **attrs);

/**
 * conga_command_next() - the next of some replies
 * @object: what they are of
 * @replies: those that are malformed are passed over, and this is printed
 * @next: index of the next one, 0 at first
 * @attrs: has room for CONGA_ATTRS_MAX + 1
 * Return: false behind the last.
 */
bool conga_command_next(const struct conga_object *object, const struct conga_replies *replies,
			size_t *next, struct nlattr **attrs);

#endif /* CONGA_TOOL_COMMAND_H */
