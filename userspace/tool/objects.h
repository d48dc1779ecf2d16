/* SPDX-License-Identifier: GPL-2.0 */
/* The first word of a command line names an object. */
#ifndef CONGA_TOOL_OBJECTS_H
#define CONGA_TOOL_OBJECTS_H

#include "tool/grammar.h"

/**
 * conga_objects_run() - a command line without options
 * @argc: number of words; 0 shows everything on one screen
 * @argv: the words
 * Return: a status.
 */
int conga_objects_run(int argc, char **argv);

/* conga_objects_complete - print the words that may follow, one a line; the last of @args, which
 * has at least one, is incomplete
 */
void conga_objects_complete(const struct conga_args *args);

#endif /* CONGA_TOOL_OBJECTS_H */
