/* SPDX-License-Identifier: GPL-2.0 */
/* path get shows which uplink a packet to a leaf would take, and why not the others. */
#ifndef CONGA_TOOL_PATH_GET_H
#define CONGA_TOOL_PATH_GET_H

#include "tool/grammar.h"

/* The completion uses these words: the leaf, which is an attribute of its own, and the flow. */
extern const struct conga_keyword conga_path_get_words[];

/* conga_path_get - run the command, for struct conga_command; returns a status */
int conga_path_get(const struct conga_command *command, struct conga_args *args);

#endif /* CONGA_TOOL_PATH_GET_H */
