/* SPDX-License-Identifier: GPL-2.0 */
#ifndef CONGA_TOOL_PING_H
#define CONGA_TOOL_PING_H

#include "tool/grammar.h"

extern const struct conga_object conga_ping_object;

#endif /* CONGA_TOOL_PING_H */
