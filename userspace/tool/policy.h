/* SPDX-License-Identifier: GPL-2.0 */
/* These are the policies that the loaded module knows. */
#ifndef CONGA_TOOL_POLICY_H
#define CONGA_TOOL_POLICY_H

#include "tool/grammar.h"

extern const struct conga_object conga_policy_object;

#endif /* CONGA_TOOL_POLICY_H */
