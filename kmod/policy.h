/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_POLICY_H
#define _CONGA_POLICY_H

#include <uapi/linux/conga.h>
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/types.h>

#define CONGA_TAG_NONE		0xff

/* What a policy wants to be filled in its view, beside the usable uplinks. */
#define CONGA_NEEDS_FLOWLET	0x01	/* decide per flowlet, not per packet */
#define CONGA_NEEDS_LOCAL	0x02
#define CONGA_NEEDS_REMOTE	0x04

/* One uplink, as a policy sees it. */
struct conga_view_uplink {
	u8	local;		/* metric of its own DRE, 0 to 2^Q - 1 */
	u8	remote;		/* to-leaf metric, aged, 0 to 2^Q - 1 */
};

/* All that a policy may look at: plain numbers, no kernel object. */
struct conga_view {
	u64	now;		/* ns */
	u32	hash;		/* of the inner flow */
	u32	random;		/* fresh, uniform */
	u16	usable;		/* bit per LBTag; never 0 in .pick */
	u8	previous;	/* LBTag of the flow's last flowlet, or NONE */
	bool	sum;		/* a path's metric is the sum of its links' */
	struct conga_view_uplink uplink[CONGA_TAGS_MAX];	/* by LBTag */
};

/**
 * struct conga_policy - how an uplink is chosen
 * @name: as the user types it
 * @summary: one line for "conga policy list"
 * @needs: CONGA_NEEDS_*
 * @pick: mandatory; returns the LBTag of a usable uplink. Softirq, no side
 *	effects.
 */
struct conga_policy {
	const char	*name;
	const char	*summary;
	u32		needs;
	u8		(*pick)(const struct conga_view *view);
};

extern const struct conga_policy conga_policy_conga;
extern const struct conga_policy conga_policy_local;
extern const struct conga_policy conga_policy_ecmp;

const struct conga_policy *conga_policy_find(const char *name);
const struct conga_policy *conga_policy_get(unsigned int index);
u8 conga_policy_nth(u16 set, unsigned int n);
u8 conga_policy_spread(u16 set, u32 value);
u8 conga_policy_keep_or_draw(const struct conga_view *view, u16 best);

/* A policy's price of an uplink; lower is better. */
typedef u8 (*conga_policy_cost_t)(const struct conga_view *view, u8 tag);

/* conga_policy_cheapest - the usable uplinks of minimal cost, a bit per LBTag.
 * Inline, so that @cost is called directly.
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

#endif /* _CONGA_POLICY_H */
