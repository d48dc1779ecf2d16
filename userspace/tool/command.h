/* SPDX-License-Identifier: GPL-2.0 */
/* All objects share these functions: they find a verb by name, then send a change or print what
 * was read.
 */
#ifndef CONGA_TOOL_COMMAND_H
#define CONGA_TOOL_COMMAND_H

#include "tool/grammar.h"
#include "tool/nl.h"

/* conga_command_find - find a verb of the object by its name or the beginning of it; returns NULL
 * if there is none, or more than one
 */
const struct conga_command *conga_command_find(const struct conga_object *object,
					       const char *name);

/* conga_command_dispatch - run the command that @args name; returns a status */
int conga_command_dispatch(const struct conga_object *object, struct conga_args *args);

/* struct conga_command uses these two to send a change and to show objects. */
int conga_command_change(const struct conga_command *command, struct conga_args *args);
int conga_command_show(const struct conga_command *command, struct conga_args *args);

/* conga_command_parse_reply - parse a reply; @attrs has room for CONGA_ATTRS_MAX + 1; returns a
 * status
 */
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
