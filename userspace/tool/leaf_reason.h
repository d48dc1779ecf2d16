/* SPDX-License-Identifier: GPL-2.0 */
/* Why a leaf's state is what it is, in words. */
#ifndef CONGA_TOOL_LEAF_REASON_H
#define CONGA_TOOL_LEAF_REASON_H

struct nlattr;

#define CONGA_LEAF_REASON_MAX	160

/* conga_leaf_reason - the sentence, without a subject: "has another q: 4" */
void conga_leaf_reason(struct nlattr **attrs, char text[CONGA_LEAF_REASON_MAX]);

/* conga_leaf_reason_differs - likewise, of another node than a leaf; the arguments are an
 * enum conga_leaf_reason and the node's own value of what differs, or NULL
 */
void conga_leaf_reason_differs(const struct nlattr *reason, const struct nlattr *term,
			       char text[CONGA_LEAF_REASON_MAX]);

#endif /* CONGA_TOOL_LEAF_REASON_H */
