// SPDX-License-Identifier: GPL-2.0
/*
 * Template: what it is called, in a line
 *
 * Goal: what it is good for, and where it is not.
 *
 * Mechanism: how an uplink is chosen, with the formula; what bounds its numbers. This
 * one takes, for each flowlet, the usable uplink on which the fewest bytes wait. Among
 * equals the flow's last uplink is kept, or one drawn.
 *
 * Author, "Title", where and when it was published.
 */
#include "policies/policy.h"

/* A policy's price is 8 bits: of that many bytes each, so full is full. */
#define CONGA_TEMPLATE_SHIFT	12

static u8 conga_policy_template_cost(const struct conga_view *view, u8 tag)
{
	u32 price = conga_view_backlog(view, tag) >> CONGA_TEMPLATE_SHIFT;

	return price < U8_MAX ? price : U8_MAX;
}

/* Plain numbers in, an LBTag out: the same file runs in userspace, under test. */
static u8 conga_policy_template_pick(const struct conga_view *view)
{
	u16 best = conga_policy_cheapest(view, conga_policy_template_cost);

	return conga_policy_keep_or_draw(view, best);
}

const struct conga_policy conga_policy_template = {
	.name		= "template",
	.summary	= "per flowlet, the shortest queue (a template to start from)",
	.needs		= CONGA_NEEDS_FLOWLET | CONGA_NEEDS_BACKLOG |
			  CONGA_NEEDS_RANDOM,
	.pick		= conga_policy_template_pick,
};
