// SPDX-License-Identifier: GPL-2.0
/* A queue in five bits: the code, what it stands for, and where it stands in byte 3. */
#include "unit.h"
#include "naive_wire.h"
#include "paper/queue.h"

#define CODES		32
#define UNIT		256ULL		/* ns */
#define FIFTH		5
#define LARGEST		(49152 * UNIT)
#define BIT_VALID	7
#define BIT_CODE	6

/* In units, as the table in queue.c has them. */
static const u32 golden[CODES] = {
	0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768,
	1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152,
};

static void test_queue_golden(void **state)
{
	int code;

	(void)state;
	for (code = 0; code < CODES; code++)
		assert_int_equal(conga_queue_ns(code), golden[code] * UNIT);
}

/* A code is that of the time that it stands for. */
static void test_queue_round_trip(void **state)
{
	int code;

	(void)state;
	for (code = 0; code < CODES; code++)
		assert_int_equal(conga_queue_code(golden[code] * UNIT), code);
}

/* All are looked at; of two that are as near the larger one. */
static int naive_code(u64 ns)
{
	int code, best = 0;

	for (code = 0; code < CODES; code++) {
		u64 off = llabs((long long)(ns - golden[code] * UNIT));
		u64 least = llabs((long long)(ns - golden[best] * UNIT));

		if (off <= least)
			best = code;
	}
	return best;
}

static void check_error(struct unit_random *random, u64 ns)
{
	u64 said = conga_queue_ns(conga_queue_code(ns));
	u64 off = said > ns ? said - ns : ns - said;

	unit_check_step(random, off <= UNIT / 2 || off * FIFTH <= ns ||
			(ns > LARGEST && said == LARGEST),
			"%llu ns reads as %llu", ns, said);
}

static void test_queue_random(void **state)
{
	struct unit_random random;

	(void)state;
	unit_random_setup(&random, 31);
	for (; random.step < UNIT_STEPS; random.step++) {
		u64 ns = unit_random_wide(&random, 0, 2 * LARGEST);
		u64 more = ns + unit_random_wide(&random, 0, LARGEST);
		int code = conga_queue_code(ns);

		unit_check_step(&random, code == naive_code(ns), "%llu ns: code %d, not %d",
				ns, code, naive_code(ns));
		unit_check_step(&random, conga_queue_code(more) >= code,
				"%llu ns has a smaller code than %llu", more, ns);
		check_error(&random, ns);
	}
}

/* The largest queue at the least rate is long, and not nothing. */
static void test_queue_edges(void **state)
{
	(void)state;
	assert_int_equal(conga_queue_code(0), 0);
	assert_int_equal(conga_queue_code(~0ULL >> 1), CODES - 1);
	assert_int_equal(conga_queue_code(conga_queue_time(~0u, 1)), CODES - 1);
	assert_int_equal(conga_queue_time(1500, 1000), 12000);
	assert_int_equal(conga_queue_time(~0u, 1), 8000ULL * ~0u);
}

/* ---- byte 3 ---- */

static void test_queue_on_the_wire(void **state)
{
	u32 word = 0x08a5a500;
	int code;

	(void)state;
	for (code = 0; code < CODES; code++) {
		u32 expected = model_put(model_put(word, BIT_VALID, 1, 1), BIT_CODE, 5,
					 code);
		u32 got = conga_wire_with_byte3(word, conga_wire_queue(code));

		assert_int_equal(got, expected);
		assert_true(conga_wire_has_queue(got));
		assert_int_equal(conga_wire_queue_code(got), code);
		assert_int_equal(conga_wire_with_byte3(got, 0), word);
	}
}

/* Whatever byte 3 was, all of it is replaced. */
static void test_queue_over_any_byte3(void **state)
{
	u32 word = 0x08a5a500, old;

	(void)state;
	for (old = 0; old < 256; old++) {
		assert_int_equal(conga_wire_with_byte3(word | old, 0), word);
		assert_int_equal(conga_wire_with_byte3(word | old, 0x5a), word | 0x5a);
	}
}

/* Neither without the valid bit, nor with one that nobody wrote. */
static void test_queue_unknown(void **state)
{
	u32 byte3;

	(void)state;
	for (byte3 = 0; byte3 < 256; byte3++)
		assert_int_equal(conga_wire_has_queue(0x08000100 | byte3),
				 byte3 / 128 == 1 && byte3 % 4 == 0);
}

/* Byte 3 of GPE is its next protocol: not read, not written. */
static void test_queue_gpe(void **state)
{
	(void)state;
	assert_false(conga_wire_has_queue(0x0c000180));
	assert_int_equal(conga_wire_with_byte3(0x0c000103, conga_wire_queue(31)),
			 0x0c000103);
}

/* A box that knows nothing of queues leaves a mark as it is or makes it none. */
static void test_queue_raised_over(void **state)
{
	int q, ce, metric, code;

	(void)state;
	for (q = 1; q <= 3; q++)
		for (ce = 0; ce < 8; ce++)
			for (metric = 0; metric < 1 << q; metric++)
				for (code = 0; code < CODES; code++) {
					u32 word = 0x08000100 | ce << CONGA_WIRE_CE_SHIFT |
						   conga_wire_queue(code);
					u32 raised = conga_wire_raise(word, metric, q);

					assert_true(raised == word ||
						    !conga_wire_has_queue(raised));
				}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_queue_golden),
		cmocka_unit_test(test_queue_round_trip),
		cmocka_unit_test(test_queue_random),
		cmocka_unit_test(test_queue_edges),
		cmocka_unit_test(test_queue_on_the_wire),
		cmocka_unit_test(test_queue_over_any_byte3),
		cmocka_unit_test(test_queue_unknown),
		cmocka_unit_test(test_queue_gpe),
		cmocka_unit_test(test_queue_raised_over),
	};

	return cmocka_run_group_tests_name("queue", tests, NULL, NULL);
}
