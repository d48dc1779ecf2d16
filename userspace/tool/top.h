/* SPDX-License-Identifier: GPL-2.0 */
/* Who sends how much by which port, live. */
#ifndef CONGA_TOOL_TOP_H
#define CONGA_TOOL_TOP_H

#include "tool/grammar.h"

extern const struct conga_object conga_top_object;

#endif /* CONGA_TOOL_TOP_H */
