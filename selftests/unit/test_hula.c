// SPDX-License-Identifier: GPL-2.0
/* HULA's state of one destination: what a probe replaces, which hops are out, and
 * how often it is handed on; then at random beside a naive model.
 */
#include <string.h>

#include "policy_scene.h"
#include "naive_hula.h"
#include "policies/policy.h"
#include "policies/policy_hula.h"

#define TP	200000ULL
#define TFAIL	(3 * TP)
#define START	(1234567 * GRAIN)
#define ALL	0xffff

#define NEAR	16

static struct conga_hula_step hear(struct conga_hula *hula, u64 now, u8 hop,
				   u8 utilisation)
{
	const struct conga_hula_probe probe = {
		.now = now, .tp = TP, .tfail = TFAIL, .usable = ALL,
		.hop = hop, .utilisation = utilisation, .near = NEAR,
	};
	struct conga_hula_step step;

	conga_hula_hear(hula, &probe, &step);
	return step;
}

static u8 hop(const struct conga_hula *hula, u64 now)
{
	return conga_hula_hop(hula->best, now, TFAIL);
}

static void test_hula_nothing(void **state)
{
	struct conga_hula hula = {};

	(void)state;
	assert_int_equal(hop(&hula, 0), CONGA_TAG_NONE);
	assert_int_equal(hop(&hula, START), CONGA_TAG_NONE);
}

/* Also hop 0 with utilisation 0 is something. */
static void test_hula_first(void **state)
{
	struct conga_hula hula = {};
	struct conga_hula_step step = hear(&hula, START, 0, 0);

	(void)state;
	assert_true(step.taken && step.moved && step.hand_on);
	assert_int_equal(hop(&hula, START), 0);
	assert_int_equal(conga_hula_utilisation(hula.best), 0);
}

/* The age is exact to the grain; a probe of another CPU's future has none. */
static void test_hula_age(void **state)
{
	struct conga_hula hula = {};
	u64 grains;

	(void)state;
	assert_true(conga_hula_age(hula.best, START) == ~0ULL);
	hear(&hula, START, 3, 10);
	for (grains = 0; grains < 100; grains++)
		assert_int_equal(conga_hula_age(hula.best, START + grains * GRAIN),
				 grains * GRAIN);
	assert_int_equal(conga_hula_age(hula.best, START - GRAIN), 0);
}

/* The step names the previous best hop: the one whose flowlets may move. */
static void test_hula_before(void **state)
{
	struct conga_hula hula = {};

	(void)state;
	assert_int_equal(hear(&hula, START, 3, 100).before, CONGA_TAG_NONE);
	assert_int_equal(hear(&hula, START, 3, 100).before, 3);
	assert_int_equal(hear(&hula, START, 4, 50).before, 3);
	assert_int_equal(hear(&hula, START, 5, 20).before, 4);
}

/* A leaf that was reset is as new. What hops said is kept, but no hop is known then. */
static void test_hula_reset(void **state)
{
	struct conga_hula hula = {}, fresh = {};

	(void)state;
	hear(&hula, START, 3, 100);
	hear(&hula, START, 4, 90);
	hear(&hula, START + 2 * TFAIL, 4, 90);
	hear(&hula, START + 4 * TFAIL, 5, 95);
	assert_true(hula.best && hula.next && hula.window && hula.heard && hula.known &&
		    hula.out && hula.near);
	conga_hula_reset(&hula);
	memcpy(fresh.said, hula.said, sizeof(fresh.said));
	assert_memory_equal(&hula, &fresh, sizeof(hula));
}

static void test_hula_better_only(void **state)
{
	struct conga_hula hula = {};

	(void)state;
	hear(&hula, START, 3, 100);
	assert_false(hear(&hula, START, 4, 100).taken);
	assert_false(hear(&hula, START, 4, 101).taken);
	assert_int_equal(hop(&hula, START), 3);
	assert_true(hear(&hula, START, 4, 99).moved);
	assert_int_equal(hop(&hula, START), 4);
	assert_int_equal(conga_hula_utilisation(hula.best), 99);
}

/* A best hop that gets worse says so itself, and must be believed. */
static void test_hula_worsening(void **state)
{
	struct conga_hula hula = {};
	struct conga_hula_step step;

	(void)state;
	hear(&hula, START, 3, 10);
	step = hear(&hula, START, 3, 200);
	assert_true(step.taken && !step.moved);
	assert_int_equal(conga_hula_utilisation(hula.best), 200);
	assert_true(hear(&hula, START, 4, 100).moved);
}

static void test_hula_old(void **state)
{
	struct conga_hula hula = {};
	u64 last = START + (TFAIL / GRAIN) * GRAIN;

	(void)state;
	hear(&hula, START, 3, 10);
	assert_int_equal(hop(&hula, last), 3);
	assert_int_equal(hop(&hula, last + GRAIN), CONGA_TAG_NONE);
	assert_false(hear(&hula, last, 4, 200).taken);
	assert_false(hula.out & 1 << 3);
	assert_true(hear(&hula, last + GRAIN, 4, 200).moved);
	assert_true(hula.out & 1 << 3);
	assert_int_equal(hop(&hula, last + GRAIN), 4);
	/* and it is back with its next probe */
	hear(&hula, last + GRAIN, 3, 250);
	assert_false(hula.out & 1 << 3);
}

static void test_hula_unusable(void **state)
{
	struct conga_hula hula = {};
	struct conga_hula_probe probe = {
		.now = START, .tp = TP, .tfail = TFAIL, .usable = ALL & ~(1 << 3),
		.hop = 4, .utilisation = 200,
	};
	struct conga_hula_step step;

	(void)state;
	hear(&hula, START, 3, 10);
	conga_hula_hear(&hula, &probe, &step);
	assert_true(step.moved);
	assert_int_equal(hop(&hula, START), 4);
}

/* Hops that carry flowlets, but are not the best, are given up, too. */
static void test_hula_silent(void **state)
{
	struct conga_hula hula = {};
	u64 now;

	(void)state;
	for (now = START; now < START + 10 * TP; now += TP) {
		hear(&hula, now, 1, 10);
		hear(&hula, now, 2, 20);
		assert_int_equal(hula.out, 0);
	}
	for (; now < START + 12 * TP; now += TP) {
		hear(&hula, now, 1, 10);
		assert_int_equal(hula.out, 0);
	}
	for (; now < START + 17 * TP; now += TP)
		hear(&hula, now, 1, 10);
	assert_int_equal(hula.out, 1 << 2);
}

/* Two ways bring each probe twice, a moment apart, and late or early by a quarter of Tp. */
static void test_hula_pacing(void **state)
{
	struct conga_hula hula = {};
	int sent = 0, i;

	(void)state;
	for (i = 0; i < 1000; i++) {
		u64 now = START + i * TP + (i % 3) * TP / 4;

		sent += hear(&hula, now, 1, 10).hand_on;
		sent += hear(&hula, now + 5000, 2, 20).hand_on;
	}
	assert_in_range(sent, 999, 1000);
}

/* A probe that is early by half of Tp is handed on, an earlier one is not. */
static void test_hula_half_early(void **state)
{
	struct conga_hula hula = {};

	(void)state;
	assert_true(hear(&hula, START, 1, 10).hand_on);
	assert_false(hear(&hula, START + TP / 2 - 1, 1, 10).hand_on);
	assert_true(hear(&hula, START + TP / 2, 1, 10).hand_on);
	assert_false(hear(&hula, START + TP + TP / 2 - 1, 1, 10).hand_on);
	assert_true(hear(&hula, START + TP + TP / 2, 1, 10).hand_on);
}

/* However many come, no more than one in Tp goes on. */
static void test_hula_flood(void **state)
{
	struct conga_hula hula = {};
	int sent = 0, i;

	(void)state;
	for (i = 0; i < 100000; i++)
		sent += hear(&hula, START + i * TP / 1000, i % HOPS, i).hand_on;
	assert_in_range(sent, 100, 101);
}

/* A hop is near up to so many steps, and what its last probe said counts. */
static void test_hula_near(void **state)
{
	struct conga_hula hula = {};

	(void)state;
	hear(&hula, START, 3, 100);
	assert_int_equal(hula.near, 1 << 3);
	hear(&hula, START, 4, 100 + NEAR);
	hear(&hula, START, 5, 101 + NEAR);
	assert_int_equal(hula.near, 1 << 3 | 1 << 4);
	hear(&hula, START, 5, 90);
	assert_int_equal(hula.near, 1 << 3 | 1 << 5);
	hear(&hula, START, 5, 255);
	hear(&hula, START, 4, 250);
	assert_int_equal(hop(&hula, START), 4);
	assert_int_equal(hula.near, 1 << 3 | 1 << 4 | 1 << 5);
}

/* A hop that says nothing any more is not near, however good it was. */
static void test_hula_near_silent(void **state)
{
	struct conga_hula hula = {};
	u64 now;

	(void)state;
	hear(&hula, START, 2, 10);
	for (now = START; now < START + 9 * TP; now += TP)
		hear(&hula, now, 1, 10);
	assert_int_equal(hula.out, 1 << 2);
	assert_int_equal(hula.near, 1 << 1);
}

/* The paper's rule: no hop is near, not even one that is as good. */
static void test_hula_near_off(void **state)
{
	struct conga_hula_probe probe = {
		.now = START, .tp = TP, .tfail = TFAIL, .usable = ALL, .hop = 3,
	};
	struct conga_hula_step step;
	struct conga_hula hula = {};

	(void)state;
	conga_hula_hear(&hula, &probe, &step);
	probe.hop = 4;
	conga_hula_hear(&hula, &probe, &step);
	assert_int_equal(hula.near, 0);
	assert_int_equal(hop(&hula, START), 3);
}

static void random_probe(struct unit_random *random,
			 struct conga_hula_probe *probe)
{
	probe->now += unit_random_wide(random, 0, 4 * TFAIL);
	probe->hop = unit_random_below(random, 4) * 5;
	probe->usable = unit_random_u64(random) | 1 << probe->hop;
	probe->utilisation = unit_random_u64(random);
	probe->near = unit_random_below(random, 4) * 50;
}

static void test_hula_random(void **state)
{
	struct conga_hula_probe probe = { .now = START, .tp = TP, .tfail = TFAIL };
	struct conga_hula_step step, expected;
	struct naive_hula naive = {};
	struct conga_hula hula = {};
	struct unit_random random;
	int other;

	(void)state;
	unit_random_setup(&random, 8);
	for (; random.step < UNIT_STEPS; random.step++) {
		random_probe(&random, &probe);
		conga_hula_hear(&hula, &probe, &step);
		expected = naive_hula_hear(&naive, &probe);
		unit_check_step(&random, step.taken == expected.taken &&
				step.moved == expected.moved &&
				step.hand_on == expected.hand_on,
				"hop %u utilisation %u: %d%d%d, expected %d%d%d",
				probe.hop, probe.utilisation, step.taken, step.moved,
				step.hand_on, expected.taken, expected.moved,
				expected.hand_on);
		unit_check_step(&random, hula.out == naive.out,
				"out %#x, expected %#x", hula.out, naive.out);
		for (other = 0; other < HOPS; other++)
			unit_check_step(&random, (hula.near >> other & 1) ==
					naive_hula_is_near(&naive, other, probe.near),
					"hop %d: near %#x", other, hula.near);
		unit_check_step(&random, hop(&hula, probe.now) ==
				naive_hula_hop(&naive, probe.now, TFAIL),
				"best hop %u", hop(&hula, probe.now));
	}
}

/* The values of the parameters are in the order of the table. */
static void test_hula_params(void **state)
{
	const struct conga_policy_param *param = conga_policy_hula.param;
	const u32 values[] = { 7, 40 };

	(void)state;
	assert_string_equal(param[0].name, "fail");
	assert_int_equal(conga_policy_hula_fail(values), 7);
	assert_string_equal(param[1].name, "near");
	assert_int_equal(conga_policy_hula_near(values), 40);
}

/* The policy takes what probes found, if it leads there; else the kernel's route does. */
static void test_hula_pick(void **state)
{
	struct conga_view view = { .usable = 0x8421, .previous = CONGA_TAG_NONE,
				   .extension.best = CONGA_TAG_NONE };
	u8 tag;

	(void)state;
	assert_int_equal(conga_policy_hula.pick(&view), CONGA_TAG_NONE);
	for (tag = 0; tag < HOPS; tag++) {
		view.extension.best = tag;
		assert_int_equal(conga_policy_hula.pick(&view),
				 view.usable >> tag & 1 ? tag : CONGA_TAG_NONE);
	}
	assert_true(conga_policy_hula.extension.transit);
}

/* Each of the near hops that lead there is drawn, and the flow's own is kept. */
static void test_hula_pick_near(void **state)
{
	struct conga_view view = { .usable = 0x8421, .previous = CONGA_TAG_NONE,
				   .extension = { .best = 5, .near = 0x0c20 } };
	u64 count[CONGA_TAGS_MAX] = {};
	struct unit_random random;
	int i;

	(void)state;
	unit_random_setup(&random, 9);
	for (i = 0; i < DRAWS; i++) {
		view.random = unit_random_u64(&random);
		count[conga_policy_hula.pick(&view)]++;
	}
	check_uniform(count, 0x0420, random.seed);
	for (view.previous = 0; view.previous < CONGA_TAGS_MAX; view.previous++)
		if (0x0420 >> view.previous & 1)
			assert_int_equal(conga_policy_hula.pick(&view), view.previous);
	/* nothing is near a best hop that does not lead there */
	view.usable = 0x8401;
	assert_int_equal(conga_policy_hula.pick(&view), CONGA_TAG_NONE);
	/* without near hops the previous one is left, and the best is taken although it is none */
	view = (struct conga_view) { .usable = 0x8421, .previous = 10, .extension.best = 5 };
	assert_int_equal(conga_policy_hula.pick(&view), 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hula_nothing),
		cmocka_unit_test(test_hula_first),
		cmocka_unit_test(test_hula_age),
		cmocka_unit_test(test_hula_before),
		cmocka_unit_test(test_hula_reset),
		cmocka_unit_test(test_hula_better_only),
		cmocka_unit_test(test_hula_worsening),
		cmocka_unit_test(test_hula_old),
		cmocka_unit_test(test_hula_unusable),
		cmocka_unit_test(test_hula_silent),
		cmocka_unit_test(test_hula_pacing),
		cmocka_unit_test(test_hula_half_early),
		cmocka_unit_test(test_hula_flood),
		cmocka_unit_test(test_hula_near),
		cmocka_unit_test(test_hula_near_silent),
		cmocka_unit_test(test_hula_near_off),
		cmocka_unit_test(test_hula_random),
		cmocka_unit_test(test_hula_params),
		cmocka_unit_test(test_hula_pick),
		cmocka_unit_test(test_hula_pick_near),
	};

	return cmocka_run_group_tests_name("hula", tests, NULL, NULL);
}
