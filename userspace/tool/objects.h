/* SPDX-License-Identifier: GPL-2.0 */
/* All objects: which one the first word names. */
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

/* conga_objects_complete - print what may follow, a line each; the last word of @args, of
 * which there is one at least, is not whole
 */
void conga_objects_complete(const struct conga_args *args);

#endif /* CONGA_TOOL_OBJECTS_H */
