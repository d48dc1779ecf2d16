// SPDX-License-Identifier: GPL-2.0
/* The parameters on which all nodes of a fabric must agree: do two nodes, and what differs? */
#include "paper/hello_terms.h"

/* conga_hello_terms_compare - what differs first, as an enum conga_leaf_reason;
 * CONGA_LEAF_ANSWERS if both agree
 */
u8 conga_hello_terms_compare(const struct conga_hello_terms *ours,
			     const struct conga_hello_terms *theirs)
{
	if (ours->q != theirs->q)
		return CONGA_LEAF_Q;
	if (ours->byte3 != theirs->byte3)
		return CONGA_LEAF_BYTE3;
	if (ours->sum != theirs->sum)
		return CONGA_LEAF_METRIC;
	return CONGA_LEAF_ANSWERS;
}

/* conga_hello_terms_value - their own value of the setting that differs; 0 if @reason is none */
u32 conga_hello_terms_value(const struct conga_hello_terms *theirs, u8 reason)
{
	switch (reason) {
	case CONGA_LEAF_Q:
		return theirs->q;
	case CONGA_LEAF_BYTE3:
		return theirs->byte3;
	case CONGA_LEAF_METRIC:
		return theirs->sum ? CONGA_METRIC_SUM : CONGA_METRIC_MAX;
	default:
		return 0;
	}
}
