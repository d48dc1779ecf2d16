/* SPDX-License-Identifier: GPL-2.0 */
/* A network namespace has at most one fabric. */
#ifndef CONGA_TOOL_FABRIC_H
#define CONGA_TOOL_FABRIC_H

#include "tool/grammar.h"

/* This is the policy of a fabric that is added without one. */
#define CONGA_FABRIC_POLICY	"conga"

extern const struct conga_object conga_fabric_object;

/* These keywords take more than one word. */
extern const struct conga_kind conga_fabric_kind_policy;
extern const struct conga_kind conga_fabric_kind_opt_out;

/* conga_fabric_default - the default of an attribute of the fabric, 0 if it has none */
unsigned long long conga_fabric_default(int attr);

#endif /* CONGA_TOOL_FABRIC_H */
