/* SPDX-License-Identifier: GPL-2.0 */
/* A configuration in a file: lines of "fabric add", "port add" and "leaf add" in any order, as
 * the command line takes them.
 */
#ifndef CONGA_TOOL_CONFIG_FILE_H
#define CONGA_TOOL_CONFIG_FILE_H

#include "tool/config.h"

/* conga_config_load - "-" is stdin; with @all_devices one that is not there is an error. All that
 * is wrong is printed, not the first only. A status.
 */
int conga_config_load(struct conga_config *config, const char *file, bool all_devices);

#endif /* CONGA_TOOL_CONFIG_FILE_H */
