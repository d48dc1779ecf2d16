// SPDX-License-Identifier: GPL-2.0
/*
 * Source ports of paths: their range, that they differ, and when they are drawn anew. Paths that
 * share all their links tell the same but for the moments of their feedback; others do not.
 */
#include "unit.h"
#include <string.h>
#include <linux/bitops.h>
#include <linux/minmax.h>
#include "paper/entropy.h"

#define TAGS	CONGA_TAGS_MAX
#define SHARE	0x0047		/* of an uplink: LBTags 0, 1, 2 and 6 */
#define LOOKS	1000
#define FULL	7

static const struct conga_entropy_range range = { .min = 32768, .max = 61000 };

static void test_ports_are_in_range_and_differ(void **state)
{
	struct conga_entropy entropy = { 0 };
	struct unit_random random;
	u8 tag, other;
	u32 step;

	(void)state;
	unit_random_setup(&random, 1);
	for (step = 0; step < UNIT_STEPS; step++) {
		u16 before;

		tag = unit_random_below(&random, TAGS);
		before = entropy.port[tag];
		conga_entropy_draw(&entropy, 0xffff, tag, &range, unit_random_u64(&random));
		assert_in_range(entropy.port[tag], range.min, range.max - 1);
		assert_int_not_equal(entropy.port[tag], before);
		for (other = 0; other < TAGS; other++)
			assert_true(other == tag || entropy.port[other] != entropy.port[tag]);
	}
}

static void test_every_port_of_the_range_is_drawn(void **state)
{
	const struct conga_entropy_range small = { .min = 5, .max = 9 };
	struct conga_entropy entropy = { 0 };
	struct unit_random random;
	u32 drawn = 0, step;

	(void)state;
	unit_random_setup(&random, 2);
	for (step = 0; step < 1000; step++) {
		conga_entropy_draw(&entropy, BIT(3), 3, &small, unit_random_u64(&random));
		drawn |= BIT(entropy.port[3]);
	}
	assert_int_equal(drawn, 0x1e0);
}

static void test_a_range_of_one_port_has_no_other(void **state)
{
	const struct conga_entropy_range one = { .min = 7, .max = 8 };
	struct conga_entropy entropy = { 0 };

	(void)state;
	conga_entropy_draw(&entropy, SHARE, 0, &one, 0xffffffff);
	conga_entropy_draw(&entropy, SHARE, 1, &one, 0);
	assert_int_equal(entropy.port[0], 7);
	assert_int_equal(entropy.port[1], 7);
}

static void test_only_ports_of_the_range_fit(void **state)
{
	struct conga_entropy entropy = { 0 };

	(void)state;
	assert_false(conga_entropy_fits(&entropy, 0, &range));
	entropy.port[0] = range.min;
	assert_true(conga_entropy_fits(&entropy, 0, &range));
	entropy.port[0] = range.max;
	assert_false(conga_entropy_fits(&entropy, 0, &range));
	entropy.port[0] = range.max - 1;
	assert_true(conga_entropy_fits(&entropy, 0, &range));
	conga_entropy_forget(&entropy, 0);
	assert_false(conga_entropy_fits(&entropy, 0, &range));
}

/* ---- judgement ---- */

/* LOOKS looks at which LBTags 1 and 6 differ with this probability, and the others are far from
 * both; returns the first look at which a port should be drawn anew, or LOOKS
 */
static u32 looks_until_drawn(u64 seed, double differs, u16 *drawn)
{
	struct conga_entropy_view view = { .fresh = 0xffff };
	struct conga_entropy entropy = { 0 };
	struct unit_random random;
	u32 look;

	unit_random_setup(&random, seed);
	for (look = 0; look < LOOKS; look++) {
		view.metric[1] = 1 + unit_random_below(&random, 2);
		view.metric[6] = view.metric[1];
		if (unit_random_below(&random, 1000) < differs * 1000)
			view.metric[6] ^= 3;
		view.metric[0] = 4 + unit_random_below(&random, 2);
		view.metric[2] = 6 + unit_random_below(&random, 2);
		*drawn = conga_entropy_judge(&entropy, SHARE, &view);
		if (*drawn)
			break;
	}
	return look;
}

/* Looks at LBTags 0 and 1, which are alike or not, until 1 should be drawn anew, or LOOKS */
static void look_until_drawn(struct conga_entropy *entropy, bool alike)
{
	struct conga_entropy_view view = { .fresh = 3, .metric = { 2, alike ? 2 : 3 } };
	u32 look;

	for (look = 0; look < LOOKS; look++)
		if (conga_entropy_judge(entropy, 3, &view))
			break;
	if (look < LOOKS)
		conga_entropy_draw(entropy, 3, 1, &range, look);
}

static void test_ports_in_a_row_that_tell_the_same_are_counted(void **state)
{
	struct conga_entropy entropy = { 0 };
	int draws;

	(void)state;
	for (draws = 1; draws <= 2 * CONGA_ENTROPY_ALIKE_MOST; draws++) {
		look_until_drawn(&entropy, true);
		assert_int_equal(entropy.alike[1], min_t(int, draws, CONGA_ENTROPY_ALIKE_MOST));
	}
	look_until_drawn(&entropy, false);
	assert_int_equal(entropy.alike[1], 0);
	look_until_drawn(&entropy, true);
	assert_int_equal(entropy.alike[1], 1);
	assert_int_equal(entropy.alike[0], 0);
	conga_entropy_forget(&entropy, 1);
	assert_int_equal(entropy.alike[1], 0);
}

static void test_two_that_share_their_path_are_found(void **state)
{
	u16 drawn;
	u64 seed;

	(void)state;
	for (seed = 1; seed <= 100; seed++) {
		assert_true(looks_until_drawn(seed, 0.15, &drawn) < LOOKS);
		assert_int_equal(drawn, BIT(6));
	}
	assert_in_range(looks_until_drawn(1, 0, &drawn), CONGA_ENTROPY_ALIKE - 1,
			CONGA_ENTROPY_ALIKE + 3);
}

static void test_two_that_often_differ_stay(void **state)
{
	u16 drawn;
	u64 seed;

	(void)state;
	for (seed = 1; seed <= 100; seed++)
		assert_int_equal(looks_until_drawn(seed, 0.5, &drawn), LOOKS);
}

static void test_idle_or_silent_paths_tell_nothing(void **state)
{
	struct conga_entropy_view idle = { .fresh = 0xffff }, stale = { .fresh = 0xffbf };
	struct conga_entropy entropy = { 0 };
	u32 look;

	(void)state;
	memset(stale.metric, FULL, sizeof(stale.metric));
	for (look = 0; look < LOOKS; look++) {
		assert_int_equal(conga_entropy_judge(&entropy, BIT(1) | BIT(6), &idle), 0);
		assert_int_equal(conga_entropy_judge(&entropy, BIT(1) | BIT(6), &stale), 0);
	}
	assert_int_equal(conga_entropy_judge(&entropy, 0, &stale), 0);
	assert_int_equal(conga_entropy_judge(&entropy, BIT(4), &stale), 0);
}

static void test_silent_paths_get_ports_again_and_again(void **state)
{
	struct conga_entropy_view view = { .silent = BIT(2) };
	struct conga_entropy entropy = { 0 };
	u32 look, drawn = 0;

	(void)state;
	for (look = 0; look < 10 * CONGA_ENTROPY_PATIENCE; look++) {
		u16 bad = conga_entropy_judge(&entropy, SHARE, &view);

		assert_int_equal(bad, look % CONGA_ENTROPY_PATIENCE ? 0 : BIT(2));
		drawn += !!bad;
	}
	assert_int_equal(drawn, 10);
	assert_int_equal(conga_entropy_judge(&entropy, SHARE, &view), BIT(2));
	/* feedback that came ends the silence, and the next silence begins anew */
	view.silent = 0;
	assert_int_equal(conga_entropy_judge(&entropy, SHARE, &view), 0);
	view.silent = BIT(2);
	assert_int_equal(conga_entropy_judge(&entropy, SHARE, &view), BIT(2));
}

static void test_another_port_begins_anew(void **state)
{
	struct conga_entropy_view view = { .fresh = 0xffff };
	struct conga_entropy entropy = { 0 };
	u16 share = BIT(1) | BIT(6);
	u32 look;

	(void)state;
	memset(view.metric, FULL, sizeof(view.metric));
	for (look = 0; look < CONGA_ENTROPY_ALIKE - 1; look++)
		assert_int_equal(conga_entropy_judge(&entropy, share, &view), 0);
	assert_int_equal(conga_entropy_judge(&entropy, share, &view), BIT(6));
	assert_int_equal(conga_entropy_judge(&entropy, share, &view), BIT(6));
	conga_entropy_draw(&entropy, share, 6, &range, 1);
	for (look = 0; look < CONGA_ENTROPY_ALIKE - 1; look++)
		assert_int_equal(conga_entropy_judge(&entropy, share, &view), 0);
	assert_int_equal(conga_entropy_judge(&entropy, share, &view), BIT(6));
	/* and so does an LBTag whose packets keep their ports for a while */
	conga_entropy_forget(&entropy, 6);
	assert_int_equal(entropy.port[6], 0);
	assert_int_equal(entropy.alike[6], 0);
	for (look = 0; look < CONGA_ENTROPY_ALIKE - 1; look++)
		assert_int_equal(conga_entropy_judge(&entropy, share, &view), 0);
	assert_int_equal(conga_entropy_judge(&entropy, share, &view), BIT(6));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ports_are_in_range_and_differ),
		cmocka_unit_test(test_every_port_of_the_range_is_drawn),
		cmocka_unit_test(test_a_range_of_one_port_has_no_other),
		cmocka_unit_test(test_only_ports_of_the_range_fit),
		cmocka_unit_test(test_ports_in_a_row_that_tell_the_same_are_counted),
		cmocka_unit_test(test_two_that_share_their_path_are_found),
		cmocka_unit_test(test_two_that_often_differ_stay),
		cmocka_unit_test(test_idle_or_silent_paths_tell_nothing),
		cmocka_unit_test(test_silent_paths_get_ports_again_and_again),
		cmocka_unit_test(test_another_port_begins_anew),
	};

	return cmocka_run_group_tests_name("entropy", tests, NULL, NULL);
}
