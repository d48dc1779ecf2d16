/* SPDX-License-Identifier: GPL-2.0 */
/* These keywords of the fabric take more than one word, or set more than one attribute. */
#ifndef CONGA_TOOL_FABRIC_KIND_H
#define CONGA_TOOL_FABRIC_KIND_H

#include "tool/grammar.h"

extern const struct conga_kind conga_fabric_kind_policy;
extern const struct conga_kind conga_fabric_kind_opt_out;
extern const struct conga_kind conga_fabric_kind_local;

/* These are the words that may follow opt-out, and the one that is no address. */
extern const struct conga_choice conga_fabric_kind_opt_outs[];
extern const struct conga_choice conga_fabric_kind_local_off[];

#endif /* CONGA_TOOL_FABRIC_KIND_H */
