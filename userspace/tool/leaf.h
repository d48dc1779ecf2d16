/* SPDX-License-Identifier: GPL-2.0 */
/* Leaves are the remote tunnel endpoints. */
#ifndef CONGA_TOOL_LEAF_H
#define CONGA_TOOL_LEAF_H

#include "tool/grammar.h"

extern const struct conga_object conga_leaf_object;

#endif /* CONGA_TOOL_LEAF_H */
