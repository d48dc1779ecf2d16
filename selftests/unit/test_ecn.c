// SPDX-License-Identifier: GPL-2.0
/* The metric that ECN marks make: the fraction of marked packets within tau, or of sixteen packets
 * where these take longer, against a model in real numbers.
 */
#include <math.h>
#include <string.h>

#include "unit.h"
#include "naive_ecn.h"

#define TDRE		CONGA_FABRIC_TDRE_USUAL
#define ALPHA		CONGA_FABRIC_ALPHA_DEFAULT
#define TAU		160000.0	/* ns, of these */
#define TAGE		10000000ULL	/* ns */
#define START		(1234567 * CONGA_GRAIN_NS)
#define TAG		5
#define Q		3
#define SPARSE		1000000ULL	/* ns between packets, which is more than tau */
#define DENSE		(3 * CONGA_GRAIN_NS)
#define TOLERANCE	0.01
#define SCALE		65536.0
#define FULL		4		/* 1/4 of all packets marked is full scale */

/* Packets that came together, all of them marked or none */
struct seen {
	u32	packets;
	bool	marked;
};

static const struct seen marked = { .packets = 1, .marked = true };
static const struct seen unmarked = { .packets = 1 };

static struct conga_ecn_memory memory(void)
{
	return (struct conga_ecn_memory) {
		.decay	= conga_ecn_decay(TDRE, ALPHA),
		.tage	= TAGE,
		.q	= Q,
	};
}

static u8 learn_seen(struct conga_ecn *ecn, u8 tag, const struct seen *seen,
		     const struct conga_ecn_memory *memory, u64 now)
{
	if (!conga_ecn_is_news(ecn, tag, seen->marked))
		return 0;
	return conga_ecn_learn(ecn, tag, seen->packets, seen->marked, memory, now);
}

/* @count times the same, @pause ns apart; returns the fraction after the last */
static double learn(struct conga_ecn *ecn, const struct seen *seen, u32 count,
		    u64 pause, u64 *now)
{
	const struct conga_ecn_memory usual = memory();

	for (; count; count--) {
		*now += pause;
		learn_seen(ecn, TAG, seen, &usual, *now);
	}
	return conga_ecn_fraction(ecn->marks[TAG]) / SCALE;
}

static void test_all_marked_is_full_scale(void **state)
{
	struct conga_ecn ecn = { 0 };
	u64 now = START;

	(void)state;
	assert_true(learn(&ecn, &marked, 1000, DENSE, &now) > 63.0 / 64);
	assert_true(learn(&ecn, &unmarked, 10000, DENSE, &now) == 0);
	assert_true(learn(&ecn, &marked, 10000, DENSE, &now) > 63.0 / 64);
}

/* Of 10,000 packets each @nth is marked; returns the metric behind the last one. */
static u8 learn_each(struct conga_ecn *ecn, u32 nth, const struct conga_ecn_memory *memory,
		     u64 *now)
{
	u8 metric = 0;
	u32 step;

	for (step = 0; step < 10000; step++)
		metric = learn_seen(ecn, TAG, step % nth ? &unmarked : &marked, memory,
				    *now += DENSE);
	return metric;
}

/* The metric goes from nothing to full scale and back, is full scale for a quarter of all packets,
 * and half of it for an eighth. Where nothing is forgotten, single marks move the fraction little.
 */
static void test_metric_has_all_bits(void **state)
{
	struct conga_ecn_memory bits = memory(), long_memory;
	struct conga_ecn ecn = { 0 };
	u64 now = START;
	u32 full, step;
	u8 metric = 0;

	(void)state;
	for (bits.q = CONGA_FABRIC_Q_MIN; bits.q <= CONGA_FABRIC_Q_MAX; bits.q++) {
		full = BIT(bits.q);
		long_memory = bits;
		long_memory.decay = 0;
		conga_ecn_flush(&ecn);
		assert_int_equal(learn_each(&ecn, 1, &bits, &now), full - 1);
		for (step = 0; step < 10000; step++)
			metric = learn_seen(&ecn, TAG, &unmarked, &bits, now += DENSE);
		assert_int_equal(metric, 0);
		assert_in_range(learn_each(&ecn, 8, &bits, &now), 3 * full / 8, 5 * full / 8);
		assert_in_range(learn_each(&ecn, FULL, &bits, &now), 7 * full / 8, full - 1);
		conga_ecn_flush(&ecn);
		assert_in_range(learn_each(&ecn, 8, &long_memory, &now) + 2, full / 2,
				full / 2 + 2);
		assert_in_range(learn_each(&ecn, FULL, &long_memory, &now), full - 2, full - 1);
	}
}

/* Of marks at random the fraction goes to and fro by more than it is from the next step. */
static void test_metric_rests(void **state)
{
	const struct conga_ecn_memory usual = memory();
	struct conga_ecn ecn = { 0 };
	struct unit_random random;
	u32 changes = 0, crossings = 0;
	u8 metric, before = 0;
	u64 now = START;

	(void)state;
	unit_random_setup(&random, 3);
	for (random.step = 0; random.step < 100000; random.step++) {
		struct seen seen = { .packets = 1 };
		u32 fraction = conga_ecn_fraction(ecn.marks[TAG]);

		seen.marked = !unit_random_below(&random, 16);	/* 8 x 4 / 16 is the edge of 2 */
		metric = learn_seen(&ecn, TAG, &seen, &usual, now += DENSE);
		changes += metric != before;
		crossings += FULL * fraction >> (16 - Q) !=
			     FULL * conga_ecn_fraction(ecn.marks[TAG]) >> (16 - Q);
		before = metric;
	}
	printf("# %u changes, the edges were crossed %u times\n", changes, crossings);
	assert_true(crossings > 1000);
	assert_true(changes < crossings / 20);
}

/* After tau, 1/e of what was is left; after 16 packets, where these take longer, likewise. */
static void test_memory_is_tau_or_sixteen_packets(void **state)
{
	struct conga_ecn ecn = { 0 };
	u64 now = START;
	double left;

	(void)state;
	learn(&ecn, &marked, 10000, DENSE, &now);
	left = learn(&ecn, &unmarked, TAU / DENSE, DENSE, &now);
	unit_check(fabs(left - exp(-1)) < 0.03, "%f of the marks are left after tau", left);
	memset(&ecn, 0, sizeof(ecn));
	learn(&ecn, &marked, 100, SPARSE, &now);
	left = learn(&ecn, &unmarked, CONGA_ECN_PACKETS, SPARSE, &now);
	unit_check(fabs(left - exp(-1)) < 0.03, "%f of the marks are left after 16 packets", left);
}

static void test_one_packet_of_a_slow_path_does_not_decide(void **state)
{
	struct conga_ecn ecn = { 0 };
	u64 now = START;

	(void)state;
	assert_true(FULL * learn(&ecn, &marked, 1, SPARSE, &now) < 1.0 / 4);
	learn(&ecn, &unmarked, 200, SPARSE, &now);
	assert_true(FULL * learn(&ecn, &marked, 1, SPARSE, &now) <= 1.0 / 4);
	assert_true(FULL * learn(&ecn, &marked, 10, SPARSE, &now) > 1);
}

static void test_all_is_forgotten_after_tage(void **state)
{
	struct conga_ecn ecn = { 0 };
	u64 now = START;

	(void)state;
	learn(&ecn, &marked, 100, SPARSE, &now);
	assert_true(learn(&ecn, &unmarked, 1, TAGE - CONGA_GRAIN_NS, &now) > 0.5);
	assert_true(learn(&ecn, &unmarked, 1, TAGE + CONGA_GRAIN_NS, &now) < TOLERANCE);
	learn(&ecn, &marked, 100, SPARSE, &now);
	conga_ecn_flush(&ecn);
	assert_true(learn(&ecn, &unmarked, 1, DENSE, &now) < TOLERANCE);
}

/* Without decay the weight is the number of packets, to the last of its bits. */
static void test_weight_has_all_bits(void **state)
{
	struct conga_ecn_memory lasting = memory();
	struct conga_ecn ecn = { 0 };
	u64 now = START;

	(void)state;
	lasting.decay = 0;
	learn_seen(&ecn, TAG, &marked, &lasting, now);
	ecn.marks[TAG] |= 1;
	learn_seen(&ecn, TAG, &unmarked, &lasting, now + DENSE);
	assert_int_equal(ecn.marks[TAG] & CONGA_ECN_MOST, (18 << CONGA_ECN_WEIGHT_SHIFT) + 1);
}

/* However many marked packets come at once, the fraction reaches 1 and no more. */
static void test_many_marked_packets_at_once(void **state)
{
	const struct seen merged = { .packets = 1000, .marked = true };
	struct conga_ecn ecn = { 0 };
	u64 now = START;
	int i;

	(void)state;
	for (i = 0; i < 100; i++) {
		learn(&ecn, &merged, 1, SPARSE, &now);
		assert_true(conga_ecn_fraction(ecn.marks[TAG]) >= CONGA_ECN_MOST / 2);
	}
	assert_int_equal(conga_ecn_fraction(ecn.marks[TAG]), CONGA_ECN_MOST);
}

/* A clock may be behind that of the last packet by less than 16 grains: its packet is of the same
 * moment then, and is not counted. With more, a long time has passed.
 */
static void test_clocks_may_differ(void **state)
{
	const struct conga_ecn_memory usual = memory();
	u64 grains;

	(void)state;
	for (grains = 0; grains < 20; grains++) {
		struct conga_ecn ecn = { 0 };
		conga_ecn_t before;
		u8 metric;

		metric = learn_seen(&ecn, TAG, &marked, &usual, START + grains * CONGA_GRAIN_NS);
		before = ecn.marks[TAG];
		assert_int_equal(learn_seen(&ecn, TAG, &marked, &usual, START), metric);
		assert_int_equal(ecn.marks[TAG] == before, grains < 16);
	}
}

static void test_merged_packets_count_each(void **state)
{
	const struct seen merged = { .packets = 30 };
	struct conga_ecn ecn = { 0 };
	u64 now = START;

	(void)state;
	learn(&ecn, &marked, 46, CONGA_GRAIN_NS, &now);
	assert_in_range(100 * learn(&ecn, &merged, 1, CONGA_GRAIN_NS, &now), 47, 50);
}

/* One word a grain at most, and never one from the future of another CPU */
static void test_the_word_is_written_once_a_grain(void **state)
{
	const struct conga_ecn_memory usual = memory();
	struct conga_ecn ecn = { 0 }, before;
	u64 now = START;

	(void)state;
	learn(&ecn, &marked, 10, DENSE, &now);
	before = ecn;
	learn_seen(&ecn, TAG, &marked, &usual, now + CONGA_GRAIN_NS - 1);
	learn_seen(&ecn, TAG, &marked, &usual, now - 2 * CONGA_GRAIN_NS);
	assert_memory_equal(&ecn, &before, sizeof(ecn));
	learn_seen(&ecn, TAG, &marked, &usual, now + CONGA_GRAIN_NS);
	assert_memory_not_equal(&ecn, &before, sizeof(ecn));
}

/* Packets without a mark write nothing, but where a mark is remembered, until it is forgotten. */
static void test_a_clean_path_is_not_written(void **state)
{
	const struct conga_ecn_memory usual = memory();
	struct conga_ecn ecn = { 0 };
	u32 packets = 0;
	u64 now = START;

	(void)state;
	for (; packets < 1000; packets++) {
		assert_false(conga_ecn_is_news(&ecn, TAG, false));
		assert_int_equal(conga_ecn_learn(&ecn, TAG, 1, false, &usual, now += DENSE), 0);
		assert_int_equal(ecn.marks[TAG], 0);
	}
	learn(&ecn, &marked, 1000, DENSE, &now);
	for (packets = 0; ecn.marks[TAG] && packets < 1000; packets++)
		learn_seen(&ecn, TAG, &unmarked, &usual, now += DENSE);
	assert_in_range(packets, 4 * TAU / DENSE, 12 * TAU / DENSE);
	assert_int_equal(learn_seen(&ecn, TAG, &unmarked, &usual, now += DENSE), 0);
}

static void test_lbtags_do_not_mix(void **state)
{
	const struct conga_ecn_memory usual = memory();
	struct conga_ecn ecn = { 0 };
	u64 now = START;

	(void)state;
	learn(&ecn, &marked, 1000, DENSE, &now);
	assert_int_equal(learn_seen(&ecn, TAG + 1, &unmarked, &usual, now), 0);
	assert_int_equal(learn_seen(&ecn, TAG, &unmarked, &usual, now + DENSE), BIT(Q) - 1);
}

static void test_decay_is_that_of_tau(void **state)
{
	struct unit_random random;

	(void)state;
	assert_int_equal(conga_ecn_decay(CONGA_FABRIC_TDRE_AUTO, ALPHA),
			 conga_ecn_decay(TDRE, ALPHA));
	assert_int_equal(conga_ecn_decay(CONGA_FABRIC_TDRE_MIN, CONGA_FABRIC_ALPHA_MAX),
			 (u32)(SCALE * SCALE * CONGA_GRAIN_NS / 2000));
	unit_random_setup(&random, 2);
	for (random.step = 0; random.step < UNIT_STEPS; random.step++) {
		u64 tdre = unit_random_wide(&random, CONGA_FABRIC_TDRE_MIN, CONGA_FABRIC_TDRE_MAX);
		u32 alpha = unit_random_between(&random, CONGA_FABRIC_ALPHA_MIN,
						CONGA_FABRIC_ALPHA_MAX);
		double expected = SCALE * SCALE * CONGA_GRAIN_NS / (tdre * 1e6 / alpha);
		double decay = conga_ecn_decay(tdre, alpha);
		double off = fabs(decay - expected);

		unit_check_step(&random, decay >= 1 && off <= 1 + expected / 1000,
				"tdre %llu alpha %u: %f instead of %f", tdre, alpha, decay,
				expected);
	}
}

/* Bursts, pauses, merged packets and periods with more and fewer marks */
static void test_random_against_the_model(void **state)
{
	const struct conga_ecn_memory usual = memory();
	struct naive_ecn naive = { 0 };
	struct conga_ecn ecn = { 0 };
	struct unit_random random;
	u64 now = START, percent = 0;

	(void)state;
	unit_random_setup(&random, 1);
	for (random.step = 0; random.step < UNIT_STEPS; random.step++) {
		struct seen seen = {
			.packets = unit_random_below(&random, 4) ? 1 :
				   unit_random_between(&random, 1, 64),
		};
		double fraction, expected, off;
		u8 metric;

		if (!unit_random_below(&random, 300))
			percent = unit_random_below(&random, 101);
		seen.marked = unit_random_below(&random, 100) < percent;
		now += unit_random_wide(&random, 0, unit_random_below(&random, 50) ?
						    40 * CONGA_GRAIN_NS : 2 * TAGE);
		metric = learn_seen(&ecn, TAG, &seen, &usual, now);
		fraction = conga_ecn_fraction(ecn.marks[TAG]) / SCALE;
		expected = naive_ecn_learn(&naive, seen.marked, seen.packets, now, TAU, TAGE);
		unit_check_step(&random, fabs(fraction - expected) < TOLERANCE,
				"the fraction is %f instead of %f", fraction, expected);
		if (!ecn.marks[TAG])
			naive_ecn_forget(&naive);
		off = metric - BIT(Q) * fmin(FULL * fraction, 1);
		unit_check_step(&random, off <= 1.5 && off > -2.1,
				"the metric is %u, the fraction %f", metric, fraction);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_marked_is_full_scale),
		cmocka_unit_test(test_metric_has_all_bits),
		cmocka_unit_test(test_metric_rests),
		cmocka_unit_test(test_memory_is_tau_or_sixteen_packets),
		cmocka_unit_test(test_one_packet_of_a_slow_path_does_not_decide),
		cmocka_unit_test(test_all_is_forgotten_after_tage),
		cmocka_unit_test(test_weight_has_all_bits),
		cmocka_unit_test(test_many_marked_packets_at_once),
		cmocka_unit_test(test_clocks_may_differ),
		cmocka_unit_test(test_merged_packets_count_each),
		cmocka_unit_test(test_the_word_is_written_once_a_grain),
		cmocka_unit_test(test_a_clean_path_is_not_written),
		cmocka_unit_test(test_lbtags_do_not_mix),
		cmocka_unit_test(test_decay_is_that_of_tau),
		cmocka_unit_test(test_random_against_the_model),
	};

	return cmocka_run_group_tests_name("ecn", tests, NULL, NULL);
}
