/* SPDX-License-Identifier: GPL-2.0 */
/* A configuration is saved as commands, and applied by restore or sync. */
#ifndef CONGA_TOOL_KEEP_H
#define CONGA_TOOL_KEEP_H

#include "tool/grammar.h"

extern const struct conga_object conga_save_object;
extern const struct conga_object conga_restore_object;
extern const struct conga_object conga_sync_object;

#endif /* CONGA_TOOL_KEEP_H */
