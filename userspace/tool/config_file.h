/* SPDX-License-Identifier: GPL-2.0 */
/* A configuration file has lines of "fabric add", "port add" and "leaf add" in any order, as the
 * command line takes them, or "fabric del" alone, which asks for no fabric.
 */
#ifndef CONGA_TOOL_CONFIG_FILE_H
#define CONGA_TOOL_CONFIG_FILE_H

#include "tool/config.h"

/* These lines enclose a file that "conga save FILE" wrote: it is incomplete without the last. */
#define CONGA_CONFIG_FIRST_LINE	"# Saved by conga: the file is complete only with its last line."
#define CONGA_CONFIG_LAST_LINE	"# This is the last line."

/* conga_config_load - read a file, "-" for stdin; with @all_devices a missing device is an
 * error. All errors are printed, not only the first. Returns a status.
 */
int conga_config_load(struct conga_config *config, const char *file, bool all_devices);

#endif /* CONGA_TOOL_CONFIG_FILE_H */
