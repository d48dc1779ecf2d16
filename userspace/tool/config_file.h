/* SPDX-License-Identifier: GPL-2.0 */
/* A configuration file has lines of "fabric add", "port add" and "leaf add" in any order, as the
 * command line takes them.
 */
#ifndef CONGA_TOOL_CONFIG_FILE_H
#define CONGA_TOOL_CONFIG_FILE_H

#include "tool/config.h"

/* conga_config_load - read a file, "-" for stdin; with @all_devices a missing device is an
 * error. All errors are printed, not only the first. Returns a status.
 */
int conga_config_load(struct conga_config *config, const char *file, bool all_devices);

#endif /* CONGA_TOOL_CONFIG_FILE_H */
