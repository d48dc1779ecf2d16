/* SPDX-License-Identifier: GPL-2.0 */
/* Each network namespace has a file for the epoch of its counters. */
#ifndef CONGA_TOOL_EPOCH_FILE_H
#define CONGA_TOOL_EPOCH_FILE_H

#include <limits.h>
#include <stdbool.h>

#define CONGA_EPOCH_FILE_DIR	"/run/conga"

/* conga_epoch_file_path - write the path of the file to @path, which has PATH_MAX bytes; returns
 * false, with errno set, if the namespace is unknown
 */
bool conga_epoch_file_path(char *path);

/* conga_epoch_file_remove - end the epoch: a fabric that was created begins to count at zero */
void conga_epoch_file_remove(void);

#endif /* CONGA_TOOL_EPOCH_FILE_H */
