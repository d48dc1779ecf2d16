/* SPDX-License-Identifier: GPL-2.0 */
/* The monitor prints events as they arrive. */
#ifndef CONGA_TOOL_MONITOR_H
#define CONGA_TOOL_MONITOR_H

#include "tool/grammar.h"

extern const struct conga_object conga_monitor_object;

#endif /* CONGA_TOOL_MONITOR_H */
