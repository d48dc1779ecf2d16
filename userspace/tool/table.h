/* SPDX-License-Identifier: GPL-2.0 */
/* The congestion tables are to-leaf and from-leaf. */
#ifndef CONGA_TOOL_TABLE_H
#define CONGA_TOOL_TABLE_H

#include "tool/grammar.h"

extern const struct conga_object conga_table_object;

#endif /* CONGA_TOOL_TABLE_H */
