/* SPDX-License-Identifier: GPL-2.0 */
/* A network namespace has at most one fabric. */
#ifndef CONGA_TOOL_FABRIC_H
#define CONGA_TOOL_FABRIC_H

#include "tool/grammar.h"

extern const struct conga_object conga_fabric_object;

#endif /* CONGA_TOOL_FABRIC_H */
