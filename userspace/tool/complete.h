/* SPDX-License-Identifier: GPL-2.0 */
/* Completion prints the words that may follow and begin with @prefix, one a line. */
#ifndef CONGA_TOOL_COMPLETE_H
#define CONGA_TOOL_COMPLETE_H

#include "tool/grammar.h"

void conga_complete_say(const char *prefix, const char *word);
void conga_complete_netns(const char *prefix);
void conga_complete_file(void);

/* conga_complete_object - complete @args, the words after the object; the last one is the prefix */
void conga_complete_object(const struct conga_object *object, const struct conga_args *args);

#endif /* CONGA_TOOL_COMPLETE_H */
