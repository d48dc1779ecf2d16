/* SPDX-License-Identifier: GPL-2.0 */
/* The check reports problems of a node, with advice. */
#ifndef CONGA_TOOL_CHECK_H
#define CONGA_TOOL_CHECK_H

#include "tool/grammar.h"

extern const struct conga_object conga_check_object;

/* conga_check_count - check the node without output, and without watching counters;
 * conga_check_report_count() has the numbers afterwards; returns a status
 */
int conga_check_count(void);

#endif /* CONGA_TOOL_CHECK_H */
