/* SPDX-License-Identifier: GPL-2.0 */
/* These checks look at the queueing disciplines of uplinks. */
#ifndef CONGA_TOOL_CHECK_QUEUE_H
#define CONGA_TOOL_CHECK_QUEUE_H

#include "tool/check_node.h"
#include "tool/check_report.h"

void conga_check_queue_rate(const struct conga_check *check, const struct conga_node *node);
void conga_check_queue_drops(const struct conga_check *check, const struct conga_node *node);

#endif /* CONGA_TOOL_CHECK_QUEUE_H */
