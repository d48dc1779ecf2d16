/* SPDX-License-Identifier: GPL-2.0 */
/* top shows the load of each port, live. */
#ifndef CONGA_TOOL_TOP_H
#define CONGA_TOOL_TOP_H

#include "tool/grammar.h"

extern const struct conga_object conga_top_object;

#endif /* CONGA_TOOL_TOP_H */
