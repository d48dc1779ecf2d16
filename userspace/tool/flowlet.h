/* SPDX-License-Identifier: GPL-2.0 */
/* Live flowlets show which flow uses which uplink now. */
#ifndef CONGA_TOOL_FLOWLET_H
#define CONGA_TOOL_FLOWLET_H

#include "tool/grammar.h"

extern const struct conga_object conga_flowlet_object;

#endif /* CONGA_TOOL_FLOWLET_H */
