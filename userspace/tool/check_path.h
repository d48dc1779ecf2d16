/* SPDX-License-Identifier: GPL-2.0 */
/* These checks find paths that lose packets, all of them, large ones or some. */
#ifndef CONGA_TOOL_CHECK_PATH_H
#define CONGA_TOOL_CHECK_PATH_H

#include "tool/check_node.h"
#include "tool/check_report.h"

void conga_check_path_silent(const struct conga_check *check, const struct conga_node *node);
void conga_check_path_narrow(const struct conga_check *check, const struct conga_node *node);
void conga_check_path_unproven(const struct conga_check *check, const struct conga_node *node);
void conga_check_path_loss(const struct conga_check *check, const struct conga_node *node);
void conga_check_path_alike(const struct conga_check *check, const struct conga_node *node);

#endif /* CONGA_TOOL_CHECK_PATH_H */
