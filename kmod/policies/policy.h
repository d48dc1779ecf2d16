/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_POLICY_H
#define _CONGA_POLICY_H

/* Inline, because policies call these from .pick, which conga_tx() and conga_forward() call
 * once a flowlet, or for every packet.
 */
#include <uapi/linux/conga.h>
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/types.h>

#include "paper/wire.h"
#include "policies/extension.h"

/* Limits: policies, parameters of one policy, and bytes of state per flow */
#define CONGA_POLICIES_MAX	24
#define CONGA_POLICY_PARAMS	5
#define CONGA_POLICY_FLOW_SIZE	16

/* The parts of its view that a policy asks for, beside the usable uplinks; the other parts
 * are 0. A policy with neither FLOWLET nor FLOW decides for every packet, and keeps no
 * flows.
 */
#define CONGA_NEEDS_FLOWLET	0x01	/* decides only where a flowlet starts */
#define CONGA_NEEDS_LOCAL	0x02
#define CONGA_NEEDS_REMOTE	0x04
#define CONGA_NEEDS_RATE	0x08
#define CONGA_NEEDS_BACKLOG	0x10
#define CONGA_NEEDS_FLOW	0x20	/* decides for every packet, and knows its flow */
#define CONGA_NEEDS_RECENT	0x40
#define CONGA_NEEDS_RANDOM	0x80

#define CONGA_NEEDS_MEMORY	(CONGA_NEEDS_FLOWLET | CONGA_NEEDS_FLOW)

#define CONGA_WEIGHT_FULL	256u

/* One uplink, as a policy sees it. Where the route's weights differ, .local and .rate
 * belong to an assumed port whose rate is in proportion to the weight.
 */
struct conga_view_uplink {
	u8	local;		/* metric of its own DRE, 0 to 2^Q - 1 */
	u8	remote;		/* to-leaf metric, aged, 0 to 2^Q - 1 */
	u16	weight;		/* of its route, 1 to CONGA_WEIGHT_FULL; if .uneven */
	u32	rate;		/* Mbit/s, never 0 */
	u32	backlog;	/* bytes waiting in the port's queues; see conga_view_backlog() */
};

/* A policy may look only at these plain numbers, never at a kernel object. */
struct conga_view {
	u64	now;		/* ns */
	u32	hash;		/* of the inner flow */
	u32	random;		/* fresh, uniform; by CONGA_NEEDS_RANDOM */
	u32	bytes;		/* of the packet, before it is segmented */
	u16	usable;		/* bit per LBTag; .pick is called only if not 0 */
	u16	loaded;		/* bit per LBTag whose .local or .remote is not 0 */
	u8	previous;	/* LBTag of the flow's last packet, or NONE */
	u8	recent;		/* LBTag that this CPU chose last, or NONE */
	bool	sum;		/* a path's metric is the sum of its links' */
	bool	uneven;		/* the route's weights of the uplinks differ */
	const u32 *param;	/* the policy's own, in its order */
	void	*flow;		/* the flow's state, .flow_size bytes, 0 at first */
	u32	(*look)(const struct conga_view *view, u8 tag); /* NULL: .backlog is known */
	struct conga_view_extension extension;
	struct conga_view_uplink uplink[CONGA_TAGS_MAX];	/* by LBTag */
};

/* conga_view_backlog - bytes waiting in an uplink's queues. They are summed on demand,
 * since queues are many, and policies that need them look at a few uplinks only.
 */
static inline u32 conga_view_backlog(const struct conga_view *view, u8 tag)
{
	return view->look ? view->look(view, tag) : view->uplink[tag].backlog;
}

/**
 * struct conga_policy_param - a parameter of one policy
 * @name: as the user types it, behind the policy's name; NULL behind the last
 * @summary: a description, with its unit
 * @min: least value
 * @max: largest value
 * @initial: value until the user sets one
 * @time: the values are times in ns
 */
struct conga_policy_param {
	const char	*name;
	const char	*summary;
	u32		min;
	u32		max;
	u32		initial;
	bool		time;
};

/**
 * struct conga_policy - how an uplink is chosen
 * @name: as the user types it
 * @summary: one line for "conga policy list", with a citation
 * @needs: CONGA_NEEDS_*
 * @tfl: ns, the flowlet timeout until the user sets one; 0 is the usual one
 * @flow_size: bytes of state that it keeps for each flow; with
 *	CONGA_NEEDS_FLOW only
 * @param: its parameters
 * @rehash: each flowlet has an outer UDP source port of its own, by which the nodes on
 *	its way hash it anew; with CONGA_NEEDS_FLOWLET only
 * @plain: the policy used instead towards leaves that feed nothing back, or nothing that this
 *	node does not know itself; NULL: none
 * @pick: mandatory; returns the LBTag of a usable uplink, or CONGA_TAG_NONE to
 *	leave the packet to the kernel's route. Softirq. It may change only the
 *	flow's state and the flows' shared one, which other CPUs may read and write at
 *	the same time.
 * @extension: what it needs beside the choice, see policies/extension.h; most
 *	policies need nothing
 */
struct conga_policy {
	const char	*name;
	const char	*summary;
	u32		needs;
	u64		tfl;
	u8		flow_size;
	bool		rehash;
	struct conga_policy_param param[CONGA_POLICY_PARAMS + 1];
	const struct conga_policy *plain;
	u8		(*pick)(const struct conga_view *view);
	struct conga_policy_extension extension;
};

#define CONGA_POLICY(name) extern const struct conga_policy conga_policy_##name;
#include "policies/policy_table.h"
#undef CONGA_POLICY

const struct conga_policy *conga_policy_find(const char *name);
const struct conga_policy *conga_policy_get(unsigned int index);
const struct conga_policy *conga_policy_opt_out(void);
u8 conga_policy_nth(u16 set, unsigned int n);
u8 conga_policy_spread(u16 set, u32 value);
u8 conga_policy_draw(const struct conga_view *view, u16 set, u32 *random);
u8 conga_policy_by_rate(const struct conga_view *view, u32 value);
u8 conga_policy_after(u16 set, u8 tag);
u8 conga_policy_share(const struct conga_view *view, u16 set, u32 value);
u8 conga_policy_next(const struct conga_view *view);
u8 conga_policy_keep_or_draw(const struct conga_view *view, u16 best);
u8 conga_policy_conga_pick(const struct conga_view *view);

/* A policy's price of an uplink; the lowest is the best. */
typedef u8 (*conga_policy_cost_t)(const struct conga_view *view, u8 tag);

/* conga_policy_cheapest - the usable uplinks of minimal cost, a bit per LBTag. Inline, so
 * that @cost is called directly.
 */
static __always_inline u16 conga_policy_cheapest(const struct conga_view *view,
						 conga_policy_cost_t cost)
{
	u8 best_price = U8_MAX;
	u16 best = 0;
	u8 tag;

	for (tag = 0; tag < CONGA_TAGS_MAX; tag++) {
		u8 price = cost(view, tag);

		if (!(view->usable & BIT(tag)) || price > best_price)
			continue;
		if (price < best_price)
			best = 0;
		best_price = price;
		best |= BIT(tag);
	}
	return best;
}

/* conga_policy_least_loaded - likewise, by a @cost that is 0 exactly where .local and
 * .remote are 0: if some uplinks are idle, the others can be skipped
 */
static __always_inline u16
conga_policy_least_loaded(const struct conga_view *view,
			  conga_policy_cost_t cost)
{
	u16 idle = view->usable & ~view->loaded;

	return idle ? idle : conga_policy_cheapest(view, cost);
}

#endif /* _CONGA_POLICY_H */
