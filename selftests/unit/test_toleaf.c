// SPDX-License-Identifier: GPL-2.0
/* The Congestion-To-Leaf table, section 3.3, and the samples it is made of.
 *
 * The model forgets a metric gradually: it counts how many of the 2^Q steps of
 * the scale have been lost, a step every 8 * Tage / 2^Q. Ages are to the grain,
 * so that is what the model is asked about.
 */
#include "unit.h"
#include "paper/toleaf.h"

#define GRAIN		CONGA_GRAIN_NS
#define TAGE		(10000 * GRAIN)	/* about 10 ms, in whole grains */
#define HOUR		(3600 * 1000000000ULL)
#define START		(10000000000 * GRAIN)	/* after hours of uptime */
#define Q_MAX		6
#define TABLES		100

static u8 naive_aged(u8 metric, u64 age, u64 tage, u8 q)
{
	u8 lost = 0;

	/* age >= (lost + 1) steps of 8 * tage / 2^q */
	while (lost < metric &&
	       (__uint128_t)age << q >=
	       (__uint128_t)(lost + 1) * 8 * tage)
		lost++;
	return metric - lost;
}

static u8 aged(u8 metric, u64 age, u64 tage, u8 q)
{
	struct conga_toleaf table = { 0 };

	conga_toleaf_learn(&table, 0, metric, START);
	return conga_toleaf_metric(&table, 0, START + age, tage, q);
}

static void test_sample(void **state)
{
	int metric;

	(void)state;
	/* the grain that the UAPI header states */
	assert_int_equal(GRAIN, 1024);
	assert_false(conga_sample_valid(0));
	for (metric = 0; metric < 64; metric++) {
		conga_sample_t sample = conga_sample_make(metric, START);

		assert_true(conga_sample_valid(sample));
		assert_int_equal(conga_sample_metric(sample), metric);
		assert_int_equal(conga_sample_age(sample, START + GRAIN - 1), 0);
		assert_int_equal(conga_sample_age(sample, START + GRAIN), GRAIN);
		assert_int_equal(conga_sample_age(sample, START + HOUR),
				 HOUR - HOUR % GRAIN);
		assert_int_equal(conga_sample_age(sample, START - 1), 0);
		assert_int_equal(conga_sample_age(sample, START - HOUR), 0);
	}
	/* a metric too wide spoils neither flag nor time */
	assert_int_equal(conga_sample_make(0xff, START),
			 conga_sample_make(0x3f, START));
	/* centuries of uptime */
	assert_int_equal(conga_sample_age(conga_sample_make(1, 1ULL << 63),
					  (1ULL << 63) + 5 * GRAIN), 5 * GRAIN);
}

/* Section 3.6, Q = 3: one less after every whole Tage, and not before. */
static void test_toleaf_steps(void **state)
{
	int metric, k;

	(void)state;
	for (metric = 0; metric < 8; metric++)
		for (k = 0; k < 20; k++) {
			int want = metric > k ? metric - k : 0;

			assert_int_equal(aged(metric, k * TAGE, TAGE, 3), want);
			assert_int_equal(aged(metric, (k + 1) * TAGE - GRAIN,
					      TAGE, 3), want);
		}
}

/* Half of full scale at every Q is lost after 4 Tage, all of it after 8. */
static void test_toleaf_scale(void **state)
{
	int q;

	(void)state;
	for (q = 1; q <= Q_MAX; q++) {
		int half = 1 << (q - 1);
		int top = (1 << q) - 1;

		assert_int_equal(aged(top, 0, TAGE, q), top);
		assert_int_equal(aged(half, 4 * TAGE - GRAIN, TAGE, q), 1);
		assert_int_equal(aged(half, 4 * TAGE, TAGE, q), 0);
		assert_int_equal(aged(top, 4 * TAGE, TAGE, q), top - half);
		assert_int_equal(aged(top, 8 * TAGE, TAGE, q), 0);
		assert_int_equal(aged(top, 8 * TAGE + GRAIN, TAGE, q), 0);
		assert_int_equal(aged(top, HOUR, TAGE, q), 0);
		/* nor by an age whose product with 2^Q overflows */
		assert_int_equal(aged(top, BIT_ULL(60), TAGE, q), 0);
	}
}

static void test_toleaf_table(void **state)
{
	static const struct {
		u8	q, metric;
		u64	age;	/* in eighths of Tage */
		u8	want;
	} rows[] = {
		{ 1, 1, 0, 1 }, { 1, 1, 31, 1 }, { 1, 1, 32, 0 },
		{ 2, 3, 15, 3 }, { 2, 3, 16, 2 }, { 2, 3, 32, 1 },
		{ 2, 3, 48, 0 }, { 3, 7, 7, 7 }, { 3, 7, 8, 6 },
		{ 3, 5, 20, 3 }, { 3, 7, 56, 0 }, { 4, 15, 3, 15 },
		{ 4, 15, 4, 14 }, { 4, 9, 30, 2 }, { 5, 31, 2, 30 },
		{ 5, 31, 61, 1 }, { 5, 31, 62, 0 }, { 6, 63, 1, 62 },
		{ 6, 63, 62, 1 }, { 6, 63, 63, 0 }, { 6, 10, 9, 1 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		unit_check(aged(rows[i].metric, rows[i].age * TAGE / 8, TAGE,
				rows[i].q) == rows[i].want, "row %zu", i);
}

static void test_toleaf_never_heard(void **state)
{
	struct conga_toleaf table = { 0 };
	int tag;

	(void)state;
	for (tag = 0; tag < CONGA_TAGS_MAX; tag++)
		assert_int_equal(conga_toleaf_metric(&table, tag, 0, TAGE, 3),
				 0);
	/* also just after boot, when 0 would be a recent time */
	conga_toleaf_learn(&table, 5, 7, 0);
	for (tag = 0; tag < CONGA_TAGS_MAX; tag++)
		assert_int_equal(conga_toleaf_metric(&table, tag, 0, TAGE, 3),
				 tag == 5 ? 7 : 0);
}

static void test_toleaf_refresh(void **state)
{
	struct conga_toleaf table = { 0 };

	(void)state;
	conga_toleaf_learn(&table, 2, 7, START);
	assert_int_equal(conga_toleaf_metric(&table, 2, START + 3 * TAGE, TAGE,
					     3), 4);
	conga_toleaf_learn(&table, 2, 7, START + 3 * TAGE);
	assert_int_equal(conga_toleaf_metric(&table, 2, START + 3 * TAGE, TAGE,
					     3), 7);
	/* the last word counts, up or down */
	conga_toleaf_learn(&table, 2, 1, START + 3 * TAGE);
	assert_int_equal(conga_toleaf_metric(&table, 2, START + 3 * TAGE, TAGE,
					     3), 1);
	/* another CPU's clock is a moment behind */
	assert_int_equal(conga_toleaf_metric(&table, 2, START + 3 * TAGE - GRAIN,
					     TAGE, 3), 1);
}

/* Which metrics were more than 0 when last heard; ageing does not change that. */
static void test_toleaf_loaded(void **state)
{
	struct conga_toleaf table = { 0 };

	(void)state;
	conga_toleaf_learn(&table, 3, 1, START);
	conga_toleaf_learn(&table, 15, 63, START);
	conga_toleaf_learn(&table, 0, 0, START);
	assert_int_equal(table.loaded, 1u << 3 | 1u << 15);
	conga_toleaf_learn(&table, 3, 2, START + HOUR);
	assert_int_equal(table.loaded, 1u << 3 | 1u << 15);
	conga_toleaf_learn(&table, 3, 0, START + HOUR);
	assert_int_equal(table.loaded, 1u << 15);
	conga_toleaf_flush(&table);
	assert_int_equal(table.loaded, 0);
}

static void test_toleaf_flush(void **state)
{
	struct conga_toleaf table = { 0 };
	int tag;

	(void)state;
	for (tag = 0; tag < CONGA_TAGS_MAX; tag++)
		conga_toleaf_learn(&table, tag, 7, START);
	conga_toleaf_flush(&table);
	for (tag = 0; tag < CONGA_TAGS_MAX; tag++) {
		assert_int_equal(conga_toleaf_metric(&table, tag, START, TAGE,
						     3), 0);
		assert_false(conga_sample_valid(table.heard[tag]));
	}
}

struct naive_entry {
	bool	heard;
	u8	metric;
	u64	grain;	/* of time */
};

static u8 naive_read(const struct naive_entry *entry, u64 now, u64 tage, u8 q)
{
	u64 grain = now / GRAIN;
	u64 age = grain > entry->grain ? grain - entry->grain : 0;

	return entry->heard ? naive_aged(entry->metric, age * GRAIN, tage, q) :
	       0;
}

/* One table for a hundredth of the steps. */
static void toleaf_random(struct unit_random *random, u64 tage, u8 q)
{
	struct naive_entry naive[CONGA_TAGS_MAX] = { 0 };
	struct conga_toleaf table = { 0 };
	u64 now = unit_random_wide(random, 0, 1ULL << 63);
	int i;

	for (i = 0; i < UNIT_STEPS / TABLES; i++, random->step++) {
		u8 tag = unit_random_below(random, CONGA_TAGS_MAX);
		u8 metric = unit_random_below(random, 1 << q);
		u8 got, want;

		now += unit_random_wide(random, 0, 2 * tage);
		if (i % 3 == 0) {
			conga_toleaf_learn(&table, tag, metric, now);
			naive[tag] = (struct naive_entry) {
				true, metric, now / GRAIN,
			};
		}
		tag = unit_random_below(random, CONGA_TAGS_MAX);
		got = conga_toleaf_metric(&table, tag, now, tage, q);
		want = naive_read(&naive[tag], now, tage, q);
		unit_check_step(random, got == want,
				"tage %llu q %d: %d, not %d", tage, q, got,
				want);
	}
}

static void test_toleaf_random(void **state)
{
	struct unit_random random;
	int i;

	(void)state;
	unit_random_setup(&random, 5);
	for (i = 0; i < TABLES; i++)
		toleaf_random(&random,
			      unit_random_wide(&random, CONGA_FABRIC_AGE_MIN,
					       CONGA_FABRIC_AGE_MAX), 1 + i % Q_MAX);
	toleaf_random(&random, CONGA_FABRIC_AGE_MIN, Q_MAX);
	toleaf_random(&random, CONGA_FABRIC_AGE_MAX, Q_MAX);
}

/* A metric heard long ago does not come back when some of the age's bits are
 * zero again: half an hour, 73 minutes (2^32 grains), days, centuries later.
 */
static void test_toleaf_age_never_wraps(void **state)
{
	int bit;

	(void)state;
	for (bit = 31; bit < 63; bit++) {
		u64 age = BIT_ULL(bit);

		unit_check(aged(7, age, TAGE, 3) == 0, "after 2^%d ns", bit);
		unit_check(aged(7, age + TAGE, TAGE, 3) == 0,
			   "after 2^%d ns and Tage", bit);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sample),
		cmocka_unit_test(test_toleaf_steps),
		cmocka_unit_test(test_toleaf_scale),
		cmocka_unit_test(test_toleaf_table),
		cmocka_unit_test(test_toleaf_never_heard),
		cmocka_unit_test(test_toleaf_refresh),
		cmocka_unit_test(test_toleaf_loaded),
		cmocka_unit_test(test_toleaf_flush),
		cmocka_unit_test(test_toleaf_age_never_wraps),
		cmocka_unit_test(test_toleaf_random),
	};

	return cmocka_run_group_tests_name("toleaf", tests, NULL, NULL);
}
