/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_CHOOSE_H
#define _CONGA_CHOOSE_H

#include <linux/types.h>
#include <uapi/linux/conga.h>

struct conga_fabric;
struct conga_flow;
struct conga_leaf;
struct conga_params;
struct conga_policy;
struct dst_entry;

/* What is asked about one packet, and the answer. */
struct conga_choice {
	struct conga_fabric		*fabric;
	const struct conga_params	*params;
	struct conga_leaf		*leaf;	/* where it goes */
	u64				now;	/* ns */
	u32				hash;	/* of the inner flow */
	u32				bytes;	/* of the packet */
	bool				opted_out; /* exempted by the user */
	bool				passing; /* not this box's own */

	const struct conga_policy	*policy; /* who decides */
	void				*flow;	/* what the policy keeps of it */
	u8				tag;	/* of the chosen uplink */
	u8				draw;	/* of the flowlet, if the policy rehashes */
	struct dst_entry		*dst;	/* the way by it; no reference */
};

/* BH disabled, RCU */
bool conga_choose(struct conga_choice *choice);
enum conga_decision conga_choose_ask(struct conga_leaf *leaf,
				     const struct conga_flow *flow, u8 *tag);

#endif /* _CONGA_CHOOSE_H */
