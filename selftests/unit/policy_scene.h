/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _POLICY_SCENE_H
#define _POLICY_SCENE_H

/* What tests of policies share: random views, and whether draws are fair. That is
 * checked by chi-square; the bounds are five standard deviations, so that a fair draw
 * passes with any seed.
 */
#include <math.h>

#include "unit.h"
#include "policies/policy.h"

#define TAGS		CONGA_TAGS_MAX
#define DRAWS		100000
#define SIGMAS		5

/* Any @n of the 16 uplinks. */
static inline u16 random_set(struct unit_random *random, int n)
{
	u16 set = 0;

	while (n) {
		u16 tag = 1u << unit_random_below(random, TAGS);

		n -= !(set & tag);
		set |= tag;
	}
	return set;
}

static inline int set_size(u16 set)
{
	int n = 0, tag;

	for (tag = 0; tag < TAGS; tag++)
		n += set >> tag & 1;
	return n;
}

/* Wilson and Hilferty's quantile of chi-square. */
static inline double chi_square_bound(int freedom)
{
	double v = 2.0 / (9.0 * freedom);

	return freedom * pow(1 - v + SIGMAS * sqrt(v), 3);
}

/* Did @count draws come uniformly from @set, and from nowhere else? */
static inline void check_uniform(const u64 count[TAGS], u16 set, u64 seed)
{
	int tag, n = set_size(set);
	double expected = (double)DRAWS / n, chi = 0;

	for (tag = 0; tag < TAGS; tag++) {
		double off = count[tag] - expected;

		if (set >> tag & 1)
			chi += off * off / expected;
		else
			unit_check(!count[tag], "seed %llu set 0x%04x: tag %d",
				   seed, set, tag);
	}
	unit_check(n == 1 || chi < chi_square_bound(n - 1),
		   "seed %llu set 0x%04x: chi-square %g", seed, set, chi);
}

/* An LBTag, or none. */
/* as the datapath does behind each uplink that it fills in */
static inline void note_load(struct conga_view *view)
{
	int tag;

	view->loaded = 0;
	for (tag = 0; tag < TAGS; tag++)
		if (view->uplink[tag].local || view->uplink[tag].remote)
			view->loaded |= 1u << tag;
}

static inline u8 random_tag(struct unit_random *random)
{
	u8 tag = unit_random_below(random, TAGS + 4);

	return tag < TAGS ? tag : CONGA_TAG_NONE;
}

static inline void random_view(struct unit_random *random, struct conga_view *view)
{
	unsigned int levels = unit_random_wide(random, 1, 64);
	int tag;

	*view = (struct conga_view) { .now = unit_random_u64(random) };
	view->hash = unit_random_u64(random);
	view->random = unit_random_u64(random);
	view->usable = unit_random_u64(random) | 1u << (view->now % TAGS);
	view->bytes = unit_random_below(random, 65536);
	view->previous = random_tag(random);
	view->recent = random_tag(random);
	for (tag = 0; tag < TAGS; tag++) {
		view->uplink[tag].local = unit_random_below(random, levels);
		view->uplink[tag].remote = unit_random_below(random, levels);
		view->uplink[tag].rate = unit_random_wide(random, 1, 1000000);
		view->uplink[tag].backlog = unit_random_below(random, levels);
	}
	note_load(view);
}

/* Now and then the route's weights differ. */
static inline void random_weights(struct unit_random *random, struct conga_view *view)
{
	int tag;

	view->uneven = unit_random_between(random, 0, 1);
	for (tag = 0; tag < TAGS; tag++)
		view->uplink[tag].weight = unit_random_between(random, 1, CONGA_WEIGHT_FULL);
}

#endif /* _POLICY_SCENE_H */
