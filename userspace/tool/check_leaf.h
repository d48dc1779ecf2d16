/* SPDX-License-Identifier: GPL-2.0 */
/* These checks find leaves that disagree, do not answer or are not reached, and ports that are not
 * used.
 */
#ifndef CONGA_TOOL_CHECK_LEAF_H
#define CONGA_TOOL_CHECK_LEAF_H

#include "tool/check_node.h"
#include "tool/check_report.h"

/* conga_check_remedy - what to do if a node differs for this enum conga_leaf_reason, or NULL */
const char *conga_check_remedy(unsigned int reason);

void conga_check_leaf_differs(const struct conga_check *check, const struct conga_node *node);
void conga_check_leaf_unheard(const struct conga_check *check, const struct conga_node *node);
void conga_check_leaf_lost(const struct conga_check *check, const struct conga_node *node);
void conga_check_leaf_bye(const struct conga_check *check, const struct conga_node *node);
void conga_check_leaf_plain(const struct conga_check *check, const struct conga_node *node);
void conga_check_leaf_id(const struct conga_check *check, const struct conga_node *node);
void conga_check_leaf_unprobed(const struct conga_check *check, const struct conga_node *node);
void conga_check_leaf_no_path(const struct conga_check *check, const struct conga_node *node);
void conga_check_hello_off(const struct conga_check *check, const struct conga_node *node);
void conga_check_uplink_unused(const struct conga_check *check, const struct conga_node *node);
void conga_check_transit_unused(const struct conga_check *check, const struct conga_node *node);

#endif /* CONGA_TOOL_CHECK_LEAF_H */
