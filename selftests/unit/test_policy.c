// SPDX-License-Identifier: GPL-2.0
/* Policies, section 3.5. Draws are checked by chi-square; the bounds are five
 * standard deviations, so that a fair draw passes with any seed.
 */
#include <math.h>
#include <string.h>

#include "unit.h"
#include "policy.h"

#define TAGS		CONGA_TAGS_MAX
#define DRAWS		100000
#define ROUNDS		200000
#define SIGMAS		5

/* Sets of 1 to 16 uplinks, dense and sparse. */
static const u16 sets[] = {
	0x0001, 0x8000, 0x0003, 0x8001, 0x0007, 0x1248, 0x000f, 0x5050, 0x001f,
	0x00fe, 0xff00, 0x5555, 0x0fff, 0x7fff, 0xfffe, 0xffff,
};

#define SETS	ARRAY_SIZE(sets)

static int set_size(u16 set)
{
	int n = 0, tag;

	for (tag = 0; tag < TAGS; tag++)
		n += set >> tag & 1;
	return n;
}

/* Wilson and Hilferty's quantile of chi-square. */
static double chi_square_bound(int freedom)
{
	double v = 2.0 / (9.0 * freedom);

	return freedom * pow(1 - v + SIGMAS * sqrt(v), 3);
}

/* Did @count draws come uniformly from @set, and from nowhere else? */
static void check_uniform(const u64 count[TAGS], u16 set, u64 seed)
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

/* Four uplinks, and what may be picked. */
struct pick_case {
	u8	local[4], remote[4];
	u16	usable;
	u8	previous;
	u16	want;	/* set of picks, each of which must occur */
};

#define NONE	CONGA_TAG_NONE

static const struct pick_case cases[] = {
	/* max(local, remote), not their sum, not their minimum */
	{ { 3, 0, 4, 4 }, { 3, 5, 0, 4 }, 0xf, NONE, 0x1 },
	{ { 0, 2, 7, 7 }, { 7, 2, 0, 7 }, 0xf, NONE, 0x2 },
	{ { 5, 5, 5, 1 }, { 0, 0, 0, 4 }, 0xf, NONE, 0x8 },
	{ { 1, 2, 3, 4 }, { 7, 7, 7, 7 }, 0xf, NONE, 0xf },
	/* local alone, remote alone */
	{ { 4, 3, 2, 1 }, { 0, 0, 0, 0 }, 0xf, NONE, 0x8 },
	{ { 0, 0, 0, 0 }, { 1, 0, 2, 3 }, 0xf, NONE, 0x2 },
	/* ties */
	{ { 0, 0, 0, 0 }, { 0, 0, 0, 0 }, 0xf, NONE, 0xf },
	{ { 2, 1, 2, 1 }, { 1, 2, 3, 3 }, 0xf, NONE, 0x3 },
	{ { 7, 7, 7, 7 }, { 7, 7, 7, 7 }, 0xf, NONE, 0xf },
	{ { 63, 63, 62, 63 }, { 0, 0, 0, 0 }, 0xf, NONE, 0x4 },
	/* kept if among the best, wherever it stands */
	{ { 0, 0, 0, 0 }, { 0, 0, 0, 0 }, 0xf, 0, 0x1 },
	{ { 0, 0, 0, 0 }, { 0, 0, 0, 0 }, 0xf, 2, 0x4 },
	{ { 5, 0, 5, 2 }, { 0, 5, 0, 5 }, 0xf, 3, 0x8 },
	/* left for a strictly better one */
	{ { 1, 0, 1, 1 }, { 0, 0, 0, 0 }, 0xf, 3, 0x2 },
	{ { 1, 0, 1, 0 }, { 0, 0, 0, 0 }, 0xf, 2, 0xa },
	/* unusable: neither best nor kept */
	{ { 0, 4, 5, 0 }, { 0, 0, 0, 0 }, 0x6, NONE, 0x2 },
	{ { 0, 4, 5, 0 }, { 0, 0, 0, 0 }, 0x6, 0, 0x2 },
	{ { 0, 7, 7, 0 }, { 0, 7, 7, 0 }, 0x6, 3, 0x6 },
	{ { 0, 0, 0, 7 }, { 0, 0, 0, 7 }, 0x8, 0, 0x8 },
	/* a previous that is no tag at all */
	{ { 0, 0, 0, 0 }, { 0, 0, 0, 0 }, 0x5, 16, 0x5 },
};

static void test_conga_cases(void **state)
{
	struct unit_random random;
	size_t i;
	int draw;

	(void)state;
	unit_random_setup(&random, 9);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct pick_case *c = &cases[i];
		struct conga_view view = {
			.usable = c->usable, .previous = c->previous,
		};
		u16 got = 0;

		for (draw = 0; draw < 4; draw++)
			view.uplink[draw] = (struct conga_view_uplink) {
				c->local[draw], c->remote[draw],
			};
		for (draw = 0; draw < 200; draw++) {
			view.random = unit_random_u64(&random);
			got |= 1u << conga_policy_conga.pick(&view);
		}
		unit_check(got == c->want, "case %zu: 0x%x, not 0x%x", i, got,
			   c->want);
	}
}

static int naive_cost(const struct conga_view *view, int tag)
{
	int local = view->uplink[tag].local, remote = view->uplink[tag].remote;

	return local > remote ? local : remote;
}

static u16 naive_best(const struct conga_view *view)
{
	u16 best = 0;
	int tag, other;

	for (tag = 0; tag < TAGS; tag++) {
		bool beaten = !(view->usable >> tag & 1);

		for (other = 0; other < TAGS; other++)
			if (view->usable >> other & 1 &&
			    naive_cost(view, other) < naive_cost(view, tag))
				beaten = true;
		if (!beaten)
			best |= 1u << tag;
	}
	return best;
}

static void random_view(struct unit_random *random, struct conga_view *view)
{
	unsigned int levels = unit_random_wide(random, 1, 64);
	int tag;

	*view = (struct conga_view) { .now = unit_random_u64(random) };
	view->hash = unit_random_u64(random);
	view->random = unit_random_u64(random);
	view->usable = unit_random_u64(random) | 1u << (view->now % TAGS);
	view->previous = unit_random_below(random, TAGS + 4);
	if (view->previous >= TAGS)
		view->previous = CONGA_TAG_NONE;
	for (tag = 0; tag < TAGS; tag++) {
		view->uplink[tag].local = unit_random_below(random, levels);
		view->uplink[tag].remote = unit_random_below(random, levels);
	}
}

static void test_conga_random(void **state)
{
	struct unit_random random;
	int i;

	(void)state;
	unit_random_setup(&random, 10);
	for (i = 0; i < ROUNDS; i++) {
		struct conga_view view;
		u16 best;
		u8 got;

		random_view(&random, &view);
		best = naive_best(&view);
		got = conga_policy_conga.pick(&view);
		unit_check(got < TAGS && best >> got & 1,
			   "seed %llu view %d: %d is not of 0x%04x",
			   random.seed, i, got, best);
		unit_check(view.previous >= TAGS ||
			   !(best >> view.previous & 1) || got == view.previous,
			   "seed %llu view %d: %d, though %d is as good",
			   random.seed, i, got, view.previous);
	}
}

/* Uplinks of @best cost 2, all others more, or less but not usable. */
static void conga_draw(struct unit_random *random, u16 best, u8 previous)
{
	struct conga_view view = { .usable = best, .previous = previous };
	u64 count[TAGS] = { 0 };
	int tag, i;

	for (tag = 0; tag < TAGS; tag++) {
		bool member = best >> tag & 1;
		bool worse = !member && tag % 2;

		view.usable |= worse << tag;
		view.uplink[tag].local = member ? 2 - tag % 2 : worse ? 3 : 0;
		view.uplink[tag].remote = member ? 1 + tag % 2 : 0;
	}
	for (i = 0; i < DRAWS; i++) {
		view.random = unit_random_u64(random);
		count[conga_policy_conga.pick(&view)]++;
	}
	check_uniform(count, best, random->seed);
}

/* A flow without a previous uplink, or whose previous is beaten or gone. */
static void test_conga_uniform(void **state)
{
	struct unit_random random;
	size_t i;
	u8 tag;

	(void)state;
	unit_random_setup(&random, 11);
	for (i = 0; i < SETS; i++) {
		conga_draw(&random, sets[i], CONGA_TAG_NONE);
		for (tag = 0; tag < TAGS && sets[i] >> tag & 1; tag++)
			;
		if (tag < TAGS)
			conga_draw(&random, sets[i], tag);
	}
}

/* Neither now nor the hash of the flow decides. */
static void test_conga_ignores(void **state)
{
	struct unit_random random;
	struct conga_view view;
	int i;

	(void)state;
	unit_random_setup(&random, 12);
	for (i = 0; i < 1000; i++) {
		u8 before;

		random_view(&random, &view);
		before = conga_policy_conga.pick(&view);
		view.now = unit_random_u64(&random);
		view.hash = unit_random_u64(&random);
		assert_int_equal(conga_policy_conga.pick(&view), before);
	}
}

static void test_ecmp_uniform(void **state)
{
	struct unit_random random;
	size_t i;
	int draw;

	(void)state;
	unit_random_setup(&random, 13);
	for (i = 0; i < SETS; i++) {
		struct conga_view view = { .usable = sets[i] };
		u64 count[TAGS] = { 0 };

		for (draw = 0; draw < DRAWS; draw++) {
			view.hash = unit_random_u64(&random);
			count[conga_policy_ecmp.pick(&view)]++;
		}
		check_uniform(count, sets[i], random.seed);
	}
}

/* By the hash alone: metrics, time, chance and history are not looked at. */
static void test_ecmp_same_flow(void **state)
{
	struct unit_random random;
	struct conga_view view;
	int i;

	(void)state;
	unit_random_setup(&random, 14);
	for (i = 0; i < ROUNDS / 10; i++) {
		struct conga_view other;
		u8 got;

		random_view(&random, &view);
		random_view(&random, &other);
		other.hash = view.hash;
		other.usable = view.usable;
		got = conga_policy_ecmp.pick(&view);
		unit_check(view.usable >> got & 1, "seed %llu view %d: tag %d",
			   random.seed, i, got);
		unit_check(conga_policy_ecmp.pick(&other) == got,
			   "seed %llu view %d: tag %d", random.seed, i, got);
	}
}

/* floor(hash * n / 2^32), in the order of the LBTags. */
static void test_ecmp_scale(void **state)
{
	static const struct {
		u32	hash;
		u16	usable;
		u8	want;
	} rows[] = {
		{ 0, 0xffff, 0 }, { 0x0fffffff, 0xffff, 0 },
		{ 0x10000000, 0xffff, 1 }, { 0xffffffff, 0xffff, 15 },
		{ 0x7fffffff, 0x8001, 0 }, { 0x80000000, 0x8001, 15 },
		{ 0x55555555, 0x0150, 4 }, { 0x55555556, 0x0150, 6 },
		{ 0xaaaaaaaa, 0x0150, 6 }, { 0xaaaaaaab, 0x0150, 8 },
		{ 0xffffffff, 0x0040, 6 }, { 0, 0x0040, 6 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct conga_view view = {
			.hash = rows[i].hash, .usable = rows[i].usable,
		};

		unit_check(conga_policy_ecmp.pick(&view) == rows[i].want,
			   "row %zu", i);
	}
}

/* Every set, against counting on one's fingers. */
static void test_policy_nth(void **state)
{
	u32 set;
	int tag;

	(void)state;
	for (set = 1; set < 1u << TAGS; set++) {
		unsigned int n = 0;

		for (tag = 0; tag < TAGS; tag++)
			if (set >> tag & 1)
				unit_check(conga_policy_nth(set, n++) == tag,
					   "set 0x%04x tag %d", set, tag);
		assert_int_equal(n, set_size(set));
	}
}

static void test_policy_find(void **state)
{
	(void)state;
	assert_ptr_equal(conga_policy_find("conga"), &conga_policy_conga);
	assert_ptr_equal(conga_policy_find("ecmp"), &conga_policy_ecmp);
	assert_null(conga_policy_find(""));
	assert_null(conga_policy_find("cong"));
	assert_null(conga_policy_find("congas"));
	assert_null(conga_policy_find("ECMP"));
}

static void test_policy_get(void **state)
{
	const struct conga_policy *policy;
	unsigned int i;

	(void)state;
	for (i = 0; (policy = conga_policy_get(i)); i++) {
		assert_ptr_equal(conga_policy_find(policy->name), policy);
		assert_in_range(strlen(policy->name), 1,
				CONGA_POLICY_NAME_MAX - 1);
		assert_true(strlen(policy->summary) > 0);
		assert_non_null(policy->pick);
	}
	assert_int_equal(i, 3);
	assert_null(conga_policy_get(i + 1));
	assert_null(conga_policy_get(~0u));
}

static void test_policy_needs(void **state)
{
	(void)state;
	assert_int_equal(conga_policy_conga.needs, CONGA_NEEDS_FLOWLET |
			 CONGA_NEEDS_LOCAL | CONGA_NEEDS_REMOTE);
	assert_int_equal(conga_policy_ecmp.needs, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_conga_cases),
		cmocka_unit_test(test_conga_random),
		cmocka_unit_test(test_conga_uniform),
		cmocka_unit_test(test_conga_ignores),
		cmocka_unit_test(test_ecmp_uniform),
		cmocka_unit_test(test_ecmp_same_flow),
		cmocka_unit_test(test_ecmp_scale),
		cmocka_unit_test(test_policy_nth),
		cmocka_unit_test(test_policy_find),
		cmocka_unit_test(test_policy_get),
		cmocka_unit_test(test_policy_needs),
	};

	return cmocka_run_group_tests_name("policy", tests, NULL, NULL);
}
