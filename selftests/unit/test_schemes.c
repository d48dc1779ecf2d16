// SPDX-License-Identifier: GPL-2.0
/* The schemes that CONGA is compared with, each against a naive model. */
#include <linux/bitops.h>

#include "policy_scene.h"

/* ---- by rate: wcmp, letflow-rate ---- */

/* A dart board: the usable uplinks in a row, each as wide as its rate. */
static int naive_by_rate(const struct conga_view *view, u32 value)
{
	long double sum = 0, place;
	int tag, last = -1;

	for (tag = 0; tag < TAGS; tag++)
		if (view->usable >> tag & 1)
			sum += view->uplink[tag].rate;
	place = floorl(value * sum / 4294967296.0L);
	for (tag = 0; tag < TAGS; tag++) {
		if (!(view->usable >> tag & 1))
			continue;
		last = tag;
		if (place < view->uplink[tag].rate)
			break;
		place -= view->uplink[tag].rate;
	}
	return last;
}

static void test_wcmp_random(void **state)
{
	struct unit_random random;

	(void)state;
	unit_random_setup(&random, 21);
	for (; random.step < UNIT_STEPS; random.step++) {
		struct conga_view view;
		int got, want;

		random_view(&random, &view);
		got = conga_policy_wcmp.pick(&view);
		want = naive_by_rate(&view, view.hash);
		unit_check_step(&random, got == want, "tag %d, not %d", got,
				want);
	}
}

/* The same places, but drawn anew for each flowlet: neither flow, nor load counts. */
static void test_letflow_rate(void **state)
{
	struct unit_random random;

	(void)state;
	assert_int_equal(conga_policy_letflow_rate.needs, CONGA_NEEDS_FLOWLET |
			 CONGA_NEEDS_RATE | CONGA_NEEDS_RANDOM);
	unit_random_setup(&random, 35);
	for (; random.step < UNIT_STEPS; random.step++) {
		struct conga_view view;
		int got, want;

		random_view(&random, &view);
		got = conga_policy_letflow_rate.pick(&view);
		want = naive_by_rate(&view, view.random);
		unit_check_step(&random, got == want, "tag %d, not %d", got, want);
	}
}

/* Without feedback there is no reason for a choice by load. */
static void test_towards_plain_leaves(void **state)
{
	(void)state;
	assert_ptr_equal(conga_policy_conga.plain, &conga_policy_letflow_rate);
	assert_ptr_equal(conga_policy_conga_flow.plain, &conga_policy_letflow_rate);
}

/* The largest rates there are: nothing overflows. */
static void test_wcmp_edges(void **state)
{
	struct conga_view view = { .usable = 0xffff };
	int tag;

	(void)state;
	for (tag = 0; tag < TAGS; tag++)
		view.uplink[tag].rate = ~0u;
	for (tag = 0; tag < TAGS; tag++) {
		view.hash = (u32)tag << 28;
		assert_int_equal(conga_policy_wcmp.pick(&view), tag);
		view.hash |= 0x0fffffff;
		assert_int_equal(conga_policy_wcmp.pick(&view), tag);
	}
}

/* Equal rates: what ecmp does. */
static void test_wcmp_is_ecmp(void **state)
{
	struct unit_random random;

	(void)state;
	unit_random_setup(&random, 22);
	for (; random.step < 100000; random.step++) {
		struct conga_view view;
		int tag;

		random_view(&random, &view);
		for (tag = 0; tag < TAGS; tag++)
			view.uplink[tag].rate = 40000;
		unit_check_step(&random, conga_policy_wcmp.pick(&view) ==
				conga_policy_ecmp.pick(&view), "another");
	}
}

/* ---- by chance: letflow, rehash, rps ---- */

/* Uniform, and nothing but chance: whatever the metrics, and of one and the same flow,
 * whichever uplink it had.
 */
static void check_by_chance(const struct conga_policy *policy, u64 seed)
{
	struct unit_random random;
	int draw, n;

	unit_random_setup(&random, seed);
	for (n = 1; n <= TAGS; n++) {
		u64 count[TAGS] = { 0 };
		struct conga_view view;

		random_view(&random, &view);
		view.usable = random_set(&random, n);
		view.previous = __ffs(view.usable);
		for (draw = 0; draw < DRAWS; draw++) {
			view.random = unit_random_u64(&random);
			count[policy->pick(&view)]++;
		}
		check_uniform(count, view.usable, random.seed);
	}
}

static void test_letflow(void **state)
{
	(void)state;
	check_by_chance(&conga_policy_letflow, 23);
	assert_int_equal(conga_policy_letflow.needs, CONGA_NEEDS_FLOWLET |
			 CONGA_NEEDS_RANDOM);
	assert_int_equal(conga_policy_letflow.tfl, 0);
}

/* At this box as letflow; the rest is the port's. */
static void test_rehash(void **state)
{
	(void)state;
	check_by_chance(&conga_policy_rehash, 34);
	assert_int_equal(conga_policy_rehash.needs, CONGA_NEEDS_FLOWLET |
			 CONGA_NEEDS_RANDOM);
	assert_true(conga_policy_rehash.rehash);
}

/* Towards conga leaves nothing but conga. */
static void test_conga_prime(void **state)
{
	(void)state;
	assert_ptr_equal(conga_policy_conga_prime.pick, conga_policy_conga.pick);
	assert_int_equal(conga_policy_conga_prime.needs, conga_policy_conga.needs);
	assert_int_equal(conga_policy_conga_prime.tfl, conga_policy_conga.tfl);
	assert_false(conga_policy_conga_prime.rehash);
	assert_ptr_equal(conga_policy_conga_prime.plain, &conga_policy_rehash);
}

static void test_rps(void **state)
{
	(void)state;
	check_by_chance(&conga_policy_rps, 24);
	assert_int_equal(conga_policy_rps.needs, CONGA_NEEDS_RANDOM);
}

/* ---- in turn: drb, presto ---- */

/* One step on the clock's face, over those that cannot be used. */
static int naive_next(u16 usable, int tag)
{
	do {
		tag = (tag + 1) % TAGS;
	} while (!(usable >> tag & 1));
	return tag;
}

static void test_drb_random(void **state)
{
	struct unit_random random;

	(void)state;
	unit_random_setup(&random, 25);
	for (; random.step < UNIT_STEPS; random.step++) {
		struct conga_view view;
		int got;

		random_view(&random, &view);
		got = conga_policy_drb.pick(&view);
		if (view.previous < TAGS)
			unit_check_step(&random, got ==
					naive_next(view.usable, view.previous),
					"tag %d after %d of 0x%04x", got,
					view.previous, view.usable);
		else
			unit_check_step(&random, view.usable >> got & 1,
					"tag %d is not usable", got);
	}
}

/* A flow may start anywhere. */
static void check_start(const struct conga_policy *policy, u64 seed)
{
	struct unit_random random;
	const u32 param = 65536;
	int draw, n;

	unit_random_setup(&random, seed);
	for (n = 1; n <= TAGS; n++) {
		u16 usable = random_set(&random, n);
		u64 count[TAGS] = { 0 };

		for (draw = 0; draw < DRAWS; draw++) {
			u32 flow[2] = { 0 };
			struct conga_view view = {
				.usable = usable, .previous = CONGA_TAG_NONE,
				.random = unit_random_u64(&random),
				.param = &param, .flow = flow, .bytes = 1500,
			};

			count[policy->pick(&view)]++;
		}
		check_uniform(count, usable, random.seed);
	}
}

static void test_starts(void **state)
{
	(void)state;
	check_start(&conga_policy_drb, 26);
	check_start(&conga_policy_presto, 27);
}

/* All packets of a flow, and where the model puts them: as long as the flowcell with
 * the packet is no larger than its limit, where the last one went.
 */
static void presto_flow(struct unit_random *random, u32 limit)
{
	u16 usable = random_set(random, unit_random_between(random, 1, TAGS));
	int last = CONGA_TAG_NONE, packet, got;
	u64 in_cell = 0;
	u32 flow = 0;

	for (packet = 0; packet < 100; packet++, random->step++) {
		struct conga_view view;

		random_view(random, &view);
		view.usable = usable;
		view.previous = last;
		view.param = &limit;
		view.flow = &flow;
		got = conga_policy_presto.pick(&view);
		if (last == CONGA_TAG_NONE || in_cell + view.bytes > limit) {
			in_cell = 0;
			if (last != CONGA_TAG_NONE)
				last = naive_next(usable, last);
			else
				last = got;
		}
		in_cell += view.bytes;
		unit_check_step(random, got == last && usable >> got & 1,
				"packet %d: tag %d, not %d", packet, got, last);
		if (!unit_random_below(random, 50))
			usable |= 1u << unit_random_below(random, TAGS);
	}
}

static void test_presto_random(void **state)
{
	struct unit_random random;

	(void)state;
	unit_random_setup(&random, 28);
	while (random.step < UNIT_STEPS)
		presto_flow(&random, unit_random_wide(&random, 1500, 16777216));
}

/* The limit to the byte, and an uplink that goes. */
static void test_presto_edges(void **state)
{
	const u32 limit = 65536;
	u32 flow = 64036;
	struct conga_view view = {
		.usable = 0xa, .previous = 1, .bytes = 1500, .param = &limit,
		.flow = &flow,
	};

	(void)state;
	assert_int_equal(conga_policy_presto.pick(&view), 1);
	assert_int_equal(flow, 65536);
	view.bytes = 1;
	assert_int_equal(conga_policy_presto.pick(&view), 3);
	assert_int_equal(flow, 1);
	view.previous = 2;	/* has gone */
	assert_int_equal(conga_policy_presto.pick(&view), 3);
	assert_int_equal(flow, 1);
	/* one packet larger than any flowcell is one */
	view.previous = 3;
	view.bytes = 200000;
	assert_int_equal(conga_policy_presto.pick(&view), 1);
	view.previous = 1;
	assert_int_equal(conga_policy_presto.pick(&view), 3);
	flow = ~0u;
	view.previous = 3;
	assert_int_equal(conga_policy_presto.pick(&view), 1);
}

/* ---- what they share ---- */

static void test_policy_after(void **state)
{
	u32 set;
	int tag;

	(void)state;
	for (set = 1; set < 1u << TAGS; set += 7)
		for (tag = 0; tag < TAGS; tag++)
			unit_check(conga_policy_after(set, tag) ==
				   naive_next(set, tag),
				   "set 0x%04x after %d", set, tag);
}

/* Where weights differ, as often as these say, be it the first draw of a number or the
 * second.
 */
static void test_policy_draw_weighted(void **state)
{
	struct unit_random random;
	int round;

	(void)state;
	unit_random_setup(&random, 33);
	for (round = 0; round < 4; round++) {
		u16 set = random_set(&random, 2 + 4 * round);
		double sum = 0, chi[2] = { 0 };
		u64 count[2][TAGS] = { { 0 } };
		struct conga_view view;
		int draw, tag, n;

		random_weights(&random, &view);
		view.uneven = true;
		for (tag = 0; tag < TAGS; tag++)
			sum += set >> tag & 1 ? view.uplink[tag].weight : 0;
		for (draw = 0; draw < DRAWS; draw++) {
			u32 value = unit_random_u64(&random);

			for (n = 0; n < 2; n++)
				count[n][conga_policy_draw(&view, set, &value)]++;
		}
		for (n = 0; n < 2; n++)
			for (tag = 0; tag < TAGS; tag++) {
				double expected = DRAWS * view.uplink[tag].weight / sum;
				double off = count[n][tag] - expected;

				if (set >> tag & 1)
					chi[n] += off * off / expected;
				else
					assert_int_equal(count[n][tag], 0);
			}
		for (n = 0; n < 2; n++)
			unit_check(chi[n] < chi_square_bound(1 + 4 * round),
				   "seed %llu, round %d, draw %d: chi-square %g",
				   random.seed, round, n, chi[n]);
	}
}

/* What is left of a random number after a draw is as good for the next: pairs are as
 * frequent as they should be.
 */
static void test_policy_draw(void **state)
{
	const struct conga_view view = { .uneven = false };
	struct unit_random random;
	int n, draw;

	(void)state;
	unit_random_setup(&random, 32);
	for (n = 2; n <= TAGS; n += 7) {
		double chi = 0, expected = 4.0 * DRAWS / (n * n);
		u64 count[TAGS][TAGS] = { { 0 } };
		u16 set = random_set(&random, n);
		int one, other;

		for (draw = 0; draw < 4 * DRAWS; draw++) {
			u32 value = unit_random_u64(&random);
			u8 first = conga_policy_draw(&view, set, &value);

			count[first][conga_policy_draw(&view, set, &value)]++;
		}
		for (one = 0; one < TAGS; one++)
			for (other = 0; other < TAGS; other++) {
				double off = count[one][other] - expected;

				if (set >> one & 1 && set >> other & 1)
					chi += off * off / expected;
				else
					assert_int_equal(count[one][other], 0);
			}
		unit_check(chi < chi_square_bound(n * n - 1),
			   "seed %llu, %d uplinks: chi-square %g", random.seed,
			   n, chi);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wcmp_random),
		cmocka_unit_test(test_letflow_rate),
		cmocka_unit_test(test_towards_plain_leaves),
		cmocka_unit_test(test_wcmp_edges),
		cmocka_unit_test(test_wcmp_is_ecmp),
		cmocka_unit_test(test_letflow),
		cmocka_unit_test(test_rehash),
		cmocka_unit_test(test_conga_prime),
		cmocka_unit_test(test_rps),
		cmocka_unit_test(test_drb_random),
		cmocka_unit_test(test_starts),
		cmocka_unit_test(test_presto_random),
		cmocka_unit_test(test_presto_edges),
		cmocka_unit_test(test_policy_after),
		cmocka_unit_test(test_policy_draw),
		cmocka_unit_test(test_policy_draw_weighted),
	};

	return cmocka_run_group_tests_name("schemes", tests, NULL, NULL);
}
