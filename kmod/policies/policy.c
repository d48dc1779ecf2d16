// SPDX-License-Identifier: GPL-2.0
/* The functions that policies share. */
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/math64.h>

#include "policies/policy.h"

/* conga_policy_nth - the @n-th LBTag of @set, counting from 0 */
u8 conga_policy_nth(u16 set, unsigned int n)
{
	while (n--)
		set &= set - 1;
	return __ffs(set);
}

/* conga_policy_spread - map a uniform 32 bit @value onto the LBTags of @set */
u8 conga_policy_spread(u16 set, u32 value)
{
	return conga_policy_nth(set, ((u64)value * hweight16(set)) >> 32);
}

/* The LBTag by the route's weights: the first of @set at which their sum exceeds @place. */
static u8 conga_policy_weighted(const struct conga_view *view, u16 set, u32 place)
{
	for (; place >= view->uplink[__ffs(set)].weight; set &= set - 1)
		place -= view->uplink[__ffs(set)].weight;
	return __ffs(set);
}

static u32 conga_policy_weights(const struct conga_view *view, u16 set)
{
	u32 sum = 0;

	for (; set; set &= set - 1)
		sum += view->uplink[__ffs(set)].weight;
	return sum;
}

/* conga_policy_draw - an LBTag of @set at random, evenly or by the route's weights.
 * *@random can be used for another draw: the part of it that a draw leaves is still
 * uniform.
 */
u8 conga_policy_draw(const struct conga_view *view, u16 set, u32 *random)
{
	u64 scaled = *random;

	scaled *= view->uneven ? conga_policy_weights(view, set) : hweight16(set);
	*random = scaled;
	if (view->uneven)
		return conga_policy_weighted(view, set, scaled >> 32);
	return conga_policy_nth(set, scaled >> 32);
}

/* conga_policy_share - likewise, by a uniform 32 bit @value that is used once */
u8 conga_policy_share(const struct conga_view *view, u16 set, u32 value)
{
	return view->uneven ? conga_policy_draw(view, set, &value) :
			      conga_policy_spread(set, value);
}

static u64 conga_policy_rates(const struct conga_view *view)
{
	u64 sum = 0;
	u8 tag;

	for (tag = 0; tag < CONGA_TAGS_MAX; tag++)
		if (view->usable & BIT(tag))
			sum += view->uplink[tag].rate;
	return sum;
}

/* conga_policy_by_rate - map a uniform 32 bit @value onto the usable uplinks, in proportion to
 * their rates. The sum is at most 16 * 2^32 Mbit/s, and its product with the value below 2^68,
 * which mul_u64_u32_shr() has room for.
 */
u8 conga_policy_by_rate(const struct conga_view *view, u32 value)
{
	u64 place = mul_u64_u32_shr(conga_policy_rates(view), value, 32);
	u16 left = view->usable;
	u8 tag = __ffs(left);

	while (place >= view->uplink[tag].rate) {
		place -= view->uplink[tag].rate;
		left &= left - 1;
		tag = __ffs(left);
	}
	return tag;
}

/* conga_policy_after - the LBTag of @set that follows @tag, going round */
u8 conga_policy_after(u16 set, u8 tag)
{
	u16 later = set & ~GENMASK(tag, 0);

	return __ffs(later ?: set);
}

/* conga_policy_next - the usable uplink after the flow's previous one, going round; where
 * weights differ, an uplink by weight
 */
u8 conga_policy_next(const struct conga_view *view)
{
	if (view->previous >= CONGA_TAGS_MAX || view->uneven)
		return conga_policy_share(view, view->usable, view->random);
	return conga_policy_after(view->usable, view->previous);
}

/* conga_policy_keep_or_draw - the flow's uplink if it is among the @best, so that a flow
 * moves only to a strictly better one (section 3.5); otherwise a draw among @best, with
 * equal chances
 */
u8 conga_policy_keep_or_draw(const struct conga_view *view, u16 best)
{
	if (view->previous < CONGA_TAGS_MAX && best & BIT(view->previous))
		return view->previous;
	return conga_policy_share(view, best, view->random);
}
