// SPDX-License-Identifier: GPL-2.0
/* What is ahead of an uplink: queues that packets tell of, delays that hellos measure. */
#include <string.h>

#include "unit.h"
#include "paper/ahead.h"
#include "paper/hello.h"
#include "paper/queue.h"
#include "paper/wire.h"

#define TAGE	CONGA_FABRIC_AGE_DEFAULT
#define START	1234567890ULL
#define MARKED	0x08000100u
#define ROUND	0x100u		/* from a nonce to the next */
#define KEPT	CONGA_AHEAD_WINDOW

/* ---- queues ---- */

static void test_ahead_queue(void **state)
{
	struct conga_ahead ahead = {};
	int tag;

	(void)state;
	assert_int_equal(conga_ahead_queue(&ahead, 3, START, TAGE), 0);
	assert_true(conga_ahead_learn(&ahead, 3, MARKED | conga_wire_queue(21), START));
	assert_int_equal(conga_ahead_queue(&ahead, 3, START, TAGE), conga_queue_ns(21));
	for (tag = 0; tag < CONGA_TAGS_MAX; tag++)
		assert_true(tag == 3 || !conga_ahead_queue(&ahead, tag, START, TAGE));
	/* one that says it is empty */
	assert_true(conga_ahead_learn(&ahead, 3, MARKED | conga_wire_queue(0), START));
	assert_int_equal(conga_ahead_queue(&ahead, 3, START, TAGE), 0);
}

/* Nothing, bits that nobody writes, a next protocol: what is known stays. */
static void test_ahead_no_mark(void **state)
{
	struct conga_ahead ahead = {}, before;
	static const u32 words[] = {
		MARKED, MARKED | 0x7c, MARKED | 0xff, MARKED | 0x81, 0x0c000180,
	};
	unsigned int i;

	(void)state;
	conga_ahead_learn(&ahead, 3, MARKED | conga_wire_queue(21), START);
	before = ahead;
	for (i = 0; i < ARRAY_SIZE(words); i++) {
		assert_false(conga_ahead_learn(&ahead, 3, words[i], START + i));
		assert_memory_equal(&ahead, &before, sizeof(ahead));
	}
}

/* A quarter of the time per Tage, and nothing after 8 of them. */
static void test_ahead_ages(void **state)
{
	struct conga_ahead ahead = {};
	int age;

	(void)state;
	conga_ahead_learn(&ahead, 0, MARKED | conga_wire_queue(31), START);
	for (age = 1; age < 8; age++)
		assert_int_equal(conga_ahead_queue(&ahead, 0, START + age * TAGE + 2048,
						   TAGE),
				 conga_queue_ns(31 - 4 * age));
	assert_int_equal(conga_ahead_queue(&ahead, 0, START + 8 * TAGE + 2048, TAGE), 0);
}

/* ---- delays ---- */

struct scene {
	struct conga_ahead ahead;
	u32	round;
	u64	now;
};

/* A hello of a round of its own by @tag, and its answer after @rtt */
static void echo(struct scene *scene, u8 tag, u64 rtt, bool there, bool back)
{
	scene->round += ROUND;
	conga_ahead_asked(&scene->ahead, scene->round | tag, scene->now, there);
	scene->now += rtt;
	conga_ahead_answered(&scene->ahead, scene->round | tag, scene->now, back);
}

static void test_ahead_delay(void **state)
{
	struct scene scene = { .now = START };

	(void)state;
	assert_int_equal(conga_ahead_delay(&scene.ahead, 2), 0);
	echo(&scene, 2, 30000, true, true);
	assert_int_equal(conga_ahead_delay(&scene.ahead, 2), 15000);
	assert_int_equal(conga_ahead_delay(&scene.ahead, 3), 0);
	/* one that is not known is not 0, and the longest is not short */
	echo(&scene, 3, 0, true, true);
	assert_int_equal(conga_ahead_delay(&scene.ahead, 3), 1);
	echo(&scene, 4, 1ULL << 40, true, true);
	assert_int_equal(conga_ahead_delay(&scene.ahead, 4), ~0u);
}

static void test_ahead_quiet_only(void **state)
{
	struct scene scene = { .now = START };

	(void)state;
	echo(&scene, 2, 10, false, true);
	assert_int_equal(conga_ahead_delay(&scene.ahead, 2), 0);
	echo(&scene, 2, 10, true, false);
	assert_int_equal(conga_ahead_delay(&scene.ahead, 2), 0);
	echo(&scene, 2, 20, true, true);
	assert_int_equal(conga_ahead_delay(&scene.ahead, 2), 10);
}

/* Which of two hellos with one nonce was answered? And an answer counts once. */
static void test_ahead_ambiguous(void **state)
{
	struct scene scene = { .now = START, .round = ROUND };
	struct conga_ahead *ahead = &scene.ahead;

	(void)state;
	conga_ahead_asked(ahead, ROUND | 2, START, true);
	conga_ahead_asked(ahead, ROUND | 2, START + 1000, true);
	conga_ahead_answered(ahead, ROUND | 2, START + 1010, true);
	assert_int_equal(conga_ahead_delay(ahead, 2), 0);
	echo(&scene, 2, 20, true, true);
	conga_ahead_answered(ahead, scene.round | 2, scene.now + 9, true);
	assert_int_equal(ahead->measured[2], 1);
}

/* Of another round, by an uplink that nothing was asked by, of no hello at all */
static void test_ahead_unasked(void **state)
{
	struct conga_ahead ahead = {}, before;

	(void)state;
	conga_ahead_answered(&ahead, 2, START, true);
	assert_int_equal(conga_ahead_delay(&ahead, 2), 0);
	conga_ahead_asked(&ahead, ROUND | 2, START, true);
	conga_ahead_asked(&ahead, 2 * ROUND | 3, START, true);
	before = ahead;
	conga_ahead_answered(&ahead, ROUND | 2, START + 20, true);
	conga_ahead_answered(&ahead, ROUND | 3, START + 20, true);
	conga_ahead_answered(&ahead, 2 * ROUND | 2, START + 20, true);
	conga_ahead_answered(&ahead, 3 * ROUND | 3, START + 20, true);
	assert_memory_equal(&ahead, &before, sizeof(ahead));
}

/* A queue now and then adds nothing; a path that became longer is known in time. */
static void test_ahead_least(void **state)
{
	struct scene scene = { .now = START };
	int i;

	(void)state;
	for (i = 0; i < 100; i++) {
		echo(&scene, 1, i % 4 ? 90000 : 20000, true, true);
		assert_int_equal(conga_ahead_delay(&scene.ahead, 1), 10000);
	}
	for (i = 0; i < 2 * KEPT; i++)
		echo(&scene, 1, 50000, true, true);
	assert_int_equal(conga_ahead_delay(&scene.ahead, 1), 25000);
}

static void test_ahead_forget(void **state)
{
	struct scene scene = { .now = START };

	(void)state;
	conga_ahead_learn(&scene.ahead, 1, MARKED | conga_wire_queue(9), START);
	echo(&scene, 1, 2000, true, true);
	echo(&scene, 2, 2000, true, true);
	conga_ahead_forget(&scene.ahead, 1);
	assert_int_equal(conga_ahead_delay(&scene.ahead, 1), 0);
	assert_int_equal(conga_ahead_queue(&scene.ahead, 1, START, TAGE), 0);
	assert_int_equal(scene.ahead.queue.heard[1], 0);
	assert_int_equal(conga_ahead_delay(&scene.ahead, 2), 1000);
}

/* Also a delay of the previous window, and a hello that is not answered yet */
static void test_ahead_forget_all(void **state)
{
	struct scene scene = { .now = START };
	int i;

	(void)state;
	for (i = 0; i <= KEPT; i++)
		echo(&scene, 1, 2000, true, true);
	conga_ahead_asked(&scene.ahead, scene.round + ROUND + 1, scene.now, true);
	conga_ahead_forget(&scene.ahead, 1);
	assert_int_equal(conga_ahead_delay(&scene.ahead, 1), 0);
	conga_ahead_answered(&scene.ahead, scene.round + ROUND + 1, scene.now + 2000, true);
	assert_int_equal(conga_ahead_delay(&scene.ahead, 1), 0);
	/* the first measurement on the new uplink counts, although it is longer */
	scene.round += ROUND;
	echo(&scene, 1, 8000, true, true);
	assert_int_equal(conga_ahead_delay(&scene.ahead, 1), 4000);
}

/* ---- at random, beside a model that keeps every measurement ---- */

#define HISTORY		200000

static u32 history[CONGA_TAGS_MAX][HISTORY];
static int measured[CONGA_TAGS_MAX];

/* The minimum of the running window and of the full one before it. */
static u32 naive_delay(u8 tag)
{
	int n = measured[tag], from = n ? (n - 1) / KEPT * KEPT - KEPT : 0, i;
	u32 least = 0;

	for (i = from < 0 ? 0 : from; i < n; i++)
		if (!least || history[tag][i] < least)
			least = history[tag][i];
	return least;
}

static void test_ahead_random(void **state)
{
	struct scene scene = { .now = START };
	struct unit_random random;

	(void)state;
	unit_random_setup(&random, 32);
	for (; random.step < UNIT_STEPS; random.step++) {
		u64 rtt = unit_random_wide(&random, 2, 1000000);
		u8 tag = unit_random_below(&random, CONGA_TAGS_MAX);
		bool there = unit_random_below(&random, 4);
		bool back = unit_random_below(&random, 4);

		echo(&scene, tag, rtt, there, back);
		if (there && back)
			history[tag][measured[tag]++] = rtt / 2;
		unit_check_step(&random, conga_ahead_delay(&scene.ahead, tag) ==
				naive_delay(tag), "tag %u: %u, not %u", tag,
				conga_ahead_delay(&scene.ahead, tag), naive_delay(tag));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ahead_queue),
		cmocka_unit_test(test_ahead_no_mark),
		cmocka_unit_test(test_ahead_ages),
		cmocka_unit_test(test_ahead_delay),
		cmocka_unit_test(test_ahead_quiet_only),
		cmocka_unit_test(test_ahead_ambiguous),
		cmocka_unit_test(test_ahead_unasked),
		cmocka_unit_test(test_ahead_least),
		cmocka_unit_test(test_ahead_forget),
		cmocka_unit_test(test_ahead_forget_all),
		cmocka_unit_test(test_ahead_random),
	};

	return cmocka_run_group_tests_name("ahead", tests, NULL, NULL);
}
