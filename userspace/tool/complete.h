/* SPDX-License-Identifier: GPL-2.0 */
/* What may follow, for the shell: what begins with @prefix, a line each. */
#ifndef CONGA_TOOL_COMPLETE_H
#define CONGA_TOOL_COMPLETE_H

#include "tool/grammar.h"

void conga_complete_say(const char *prefix, const char *word);
void conga_complete_netns(const char *prefix);
void conga_complete_file(void);

/* conga_complete_object - @args stand behind the object, the prefix last */
void conga_complete_object(const struct conga_object *object, const struct conga_args *args);

#endif /* CONGA_TOOL_COMPLETE_H */
