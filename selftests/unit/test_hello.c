// SPDX-License-Identifier: GPL-2.0
/* Hello with one leaf: scenes with known ends, and the properties that hello.c
 * states.
 */
#include "unit.h"
#include "hello_scene.h"

static void test_hello_first(void **state)
{
	struct scene scene;
	int i;

	(void)state;
	scene_setup(&scene, 0x0ff0);
	scene_is(&scene, false, CONGA_LEAF_SILENT, 0);
	/* no nonce is no nonce of ours */
	for (i = 0; i < TAGS; i++)
		assert_false(conga_hello_echoed(&scene.hello, i));
	assert_false(scene_answer(&scene, 4));
	assert_false(conga_hello_bye(&scene.hello, 0));
	/* one hello per round, by the uplinks in turn */
	for (i = 0; i < 32; i++) {
		scene_tick(&scene);
		assert_int_equal(scene.step.ask,
				 i % TICKS ? 0 : BIT(4 + i / TICKS));
		assert_int_equal(scene.step.silenced, 0);
		scene_is(&scene, false, CONGA_LEAF_SILENT, 0);
	}
}

/* Leaves begin their rounds at different ticks. */
static void test_hello_phase(void **state)
{
	int phase, i;

	(void)state;
	for (phase = 0; phase < 3 * TICKS; phase++) {
		struct scene scene;

		scene_setup(&scene, 1);
		conga_hello_setup(&scene.hello, phase);
		for (i = 0; i < 3 * TICKS; i++) {
			scene_tick(&scene);
			assert_int_equal(scene.step.ask,
					 (i + phase) % TICKS ? 0 : 1);
		}
	}
}

static void test_hello_no_path(void **state)
{
	struct scene scene;
	int i;

	(void)state;
	scene_answered(&scene, 3);
	scene.view.usable = 0;
	for (i = 0; i < 5 * TICKS; i++) {
		scene_tick(&scene);
		assert_int_equal(scene.step.ask, 0);
		assert_int_equal(scene.step.missed, 0);
	}
	/* nobody was asked, so nobody is silent */
	scene_is(&scene, true, CONGA_LEAF_ANSWERS, 0);
}

static void test_hello_nonce(void **state)
{
	struct scene scene;
	u32 first, second;
	int tag, i;

	(void)state;
	scene_setup(&scene, 1);
	scene_tick(&scene);
	first = conga_hello_nonce(&scene.hello, 0);
	assert_int_equal(first, ANY_ROUND + TAGS);
	for (tag = 0; tag < TAGS; tag++) {
		assert_int_equal(conga_hello_nonce(&scene.hello, tag),
				 first + tag);
		assert_true(conga_hello_echoed(&scene.hello, first + tag));
	}
	for (i = 4; i < 32; i++)
		assert_false(conga_hello_echoed(&scene.hello, first ^ BIT(i)));
	for (i = 1; i < TICKS; i++) {
		scene_tick(&scene);
		assert_int_equal(conga_hello_nonce(&scene.hello, 0), first);
	}
	/* this round's, the one before, and no older one */
	scene_tick(&scene);
	second = conga_hello_nonce(&scene.hello, 0);
	assert_int_not_equal(second, first);
	for (i = 1; i <= TICKS; i++) {
		assert_true(conga_hello_echoed(&scene.hello, first));
		assert_true(conga_hello_echoed(&scene.hello, second));
		scene_tick(&scene);
	}
	assert_false(conga_hello_echoed(&scene.hello, first));
	assert_true(conga_hello_echoed(&scene.hello, second));
}

/* Bits that happen to be zero make a nonce nevertheless. */
static void test_hello_nonce_never_zero(void **state)
{
	struct scene scene;
	u32 random;

	(void)state;
	for (random = 0; random < TAGS; random++) {
		scene_setup(&scene, 1);
		scene.view.random = random - TAGS;
		scene_tick(&scene);
		assert_int_equal(conga_hello_nonce(&scene.hello, 3), TAGS + 3);
		assert_true(scene_answer(&scene, 0));
	}
}

static void test_hello_answered(void **state)
{
	struct scene scene;

	(void)state;
	scene_setup(&scene, 3);
	scene_tick(&scene);
	assert_false(conga_hello_answered(&scene.hello, 0xdeadbeef, ID, &terms,
					  &terms));
	scene_is(&scene, false, CONGA_LEAF_SILENT, 0);
	assert_int_equal(scene.hello.waiting, 1);
	assert_true(scene_answer(&scene, 0));
	scene_is(&scene, true, CONGA_LEAF_ANSWERS, 0);
	assert_int_equal(scene.hello.id, ID);
	scene_tick(&scene);
	assert_int_equal(scene.step.missed, 0);
	assert_int_equal(scene.step.ask, 0);
}

static void test_hello_terms(void **state)
{
	static const struct {
		struct conga_hello_terms	ours, theirs;
		u8				reason;
	} rows[] = {
		{ { 3, 0, false }, { 3, 0, false }, CONGA_LEAF_ANSWERS },
		{ { 6, 1, true }, { 6, 1, true }, CONGA_LEAF_ANSWERS },
		{ { 3, 0, false }, { 2, 0, false }, CONGA_LEAF_Q },
		{ { 3, 0, false }, { 4, 1, true }, CONGA_LEAF_Q },
		{ { 3, 0, false }, { 3, 1, false }, CONGA_LEAF_BYTE3 },
		{ { 3, 0, false }, { 3, 2, true }, CONGA_LEAF_BYTE3 },
		{ { 3, 0, false }, { 3, 0, true }, CONGA_LEAF_METRIC },
		{ { 3, 0, true }, { 3, 0, false }, CONGA_LEAF_METRIC },
	};
	struct scene scene;
	size_t i;

	(void)state;
	scene_answered(&scene, 1);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		u32 nonce = conga_hello_nonce(&scene.hello, 0);

		assert_true(conga_hello_answered(&scene.hello, nonce, ID,
						 &rows[i].ours,
						 &rows[i].theirs));
		scene_is(&scene, true, rows[i].reason, 0);
	}
}

/* The last answer is a round old: three misses, no longer than a round. */
static void test_hello_silent(void **state)
{
	struct scene scene;
	int i;

	(void)state;
	scene_answered(&scene, 7);
	scene.dead = 0xffff;
	for (i = 0; i < MISSES; i++) {
		scene_run(&scene);
		scene_is(&scene, true, CONGA_LEAF_ANSWERS, 0);
		/* what missed is asked again, and one that may be better */
		assert_int_equal(hweight16(scene.step.ask), i ? i + 1 : 1);
	}
	scene_run(&scene);
	scene_is(&scene, false, CONGA_LEAF_SILENT, 0);
	assert_int_equal(scene.step.silenced, 0);
	assert_int_equal(scene.step.ask, 0);
	/* all at once again */
	scene.dead = 0;
	for (i = 0; i < TICKS; i++)
		scene_run(&scene);
	scene_is(&scene, true, CONGA_LEAF_ANSWERS, 0);
}

/* A busy path without feedback, while another answers. */
static void test_hello_grey(void **state)
{
	struct scene scene;
	int i;

	(void)state;
	scene_answered(&scene, 3);
	scene.view.busy = 3;
	scene.view.heard = 1;
	scene.dead = 2;
	for (i = 0; i <= MISSES; i++) {
		assert_int_equal(scene.hello.out, 0);
		scene_run(&scene);
	}
	scene_is(&scene, true, CONGA_LEAF_ANSWERS, 2);
	assert_int_equal(scene.step.silenced, 2);
	/* once a round, until it answers */
	for (; i < 10 * TICKS; i++) {
		scene_run(&scene);
		assert_int_equal(scene.step.ask & 2, i % TICKS ? 0 : 2);
		assert_int_equal(scene.step.silenced, 0);
		scene_is(&scene, true, CONGA_LEAF_ANSWERS, 2);
	}
	scene.dead = 0;
	scene_run(&scene);
	scene_is(&scene, true, CONGA_LEAF_ANSWERS, 0);
}

/* Packets without feedback ask; feedback, or an answer of this round, tells. */
static void test_hello_unproven(void **state)
{
	struct scene scene;
	int i;

	(void)state;
	scene_answered(&scene, 7);
	scene_run(&scene);
	assert_int_equal(scene.step.ask, 2);
	scene.view.busy = 4;
	scene.view.heard = 4;
	for (i = 1; i < TICKS; i++) {
		scene_run(&scene);
		assert_int_equal(scene.step.ask, 0);
	}
	scene_run(&scene);
	assert_int_equal(scene.step.ask, 4);
	scene.view.heard = 0;
	/* proven by that answer */
	for (i = 1; i < TICKS; i++) {
		scene_run(&scene);
		assert_int_equal(scene.step.ask, 0);
	}
	/* and asked anew when it is a round old, beside the one in turn */
	scene_run(&scene);
	assert_int_equal(scene.step.ask, 4 | 1);
	/* idle ones are not asked between rounds */
	scene.view.busy = 0;
	for (i = 1; i < TICKS; i++) {
		scene_run(&scene);
		assert_int_equal(scene.step.ask, 0);
	}
	/* a busy one at once */
	scene_run(&scene);
	scene.view.busy = 1;
	scene_run(&scene);
	assert_int_equal(scene.step.ask, 1);
}

/* When nobody answers any more, none is out: there is nothing to choose by. */
static void test_hello_silent_has_no_out(void **state)
{
	struct scene scene;
	int i;

	(void)state;
	scene_answered(&scene, 7);
	scene.view.busy = 7;
	scene.dead = 2;
	for (i = 0; i < 2 * TICKS; i++)
		scene_run(&scene);
	scene_is(&scene, true, CONGA_LEAF_ANSWERS, 2);
	scene.dead = 7;
	for (i = 0; i < 2 * TICKS; i++)
		scene_run(&scene);
	scene_is(&scene, false, CONGA_LEAF_SILENT, 0);
}

/* The route of a path that is out goes and comes: it begins anew. */
static void test_hello_route_gone(void **state)
{
	struct scene scene;
	int i;

	(void)state;
	scene_answered(&scene, 3);
	scene.view.busy = 3;
	scene.dead = 2;
	for (i = 0; i < 2 * TICKS; i++)
		scene_run(&scene);
	scene_is(&scene, true, CONGA_LEAF_ANSWERS, 2);
	scene.view.usable = 1;
	scene_run(&scene);
	scene_is(&scene, true, CONGA_LEAF_ANSWERS, 0);
	assert_int_equal(scene.step.missed, 0);
	scene.view.usable = 3;
	/* out again only by three new misses */
	for (i = 0; i < MISSES; i++) {
		scene_run(&scene);
		assert_int_equal(scene.hello.out, 0);
		assert_true(scene.step.ask & 2);
	}
	scene_run(&scene);
	scene_is(&scene, true, CONGA_LEAF_ANSWERS, 2);
}

/* rounds_asked: the hellos of so many rounds, and how often by each uplink */
static int rounds_asked(struct scene *scene, int rounds, int times[TAGS])
{
	int i, tag, sum = 0;

	memset(times, 0, TAGS * sizeof(*times));
	for (i = 0; i < rounds * TICKS; i++) {
		scene_run(scene);
		sum += hweight16(scene->step.ask);
		for (tag = 0; tag < TAGS; tag++)
			times[tag] += !!(scene->step.ask & BIT(tag));
	}
	return sum;
}

/* The hello that goes round visits every usable path, none twice before all. */
static void test_hello_turn(void **state)
{
	struct unit_random random;
	int times[TAGS], tag;

	(void)state;
	unit_random_setup(&random, 41);
	for (; random.step < 2000; random.step++) {
		u16 usable = unit_random_between(&random, 1, 0xffff);
		int paths = hweight16(usable);
		struct scene scene;

		scene_answered(&scene, usable);
		unit_check_step(&random,
				rounds_asked(&scene, paths, times) == paths,
				"usable %04x: not one hello per round", usable);
		for (tag = 0; tag < TAGS; tag++)
			unit_check_step(&random,
					times[tag] == !!(usable & BIT(tag)),
					"usable %04x: tag %d asked %d times",
					usable, tag, times[tag]);
	}
}

/* (1 + silent paths) per round of a leaf that answers, one of one that does not,
 * whatever is busy and known to work.
 */
static void test_hello_cost(void **state)
{
	struct unit_random random;
	int times[TAGS], i;

	(void)state;
	unit_random_setup(&random, 42);
	for (; random.step < 2000; random.step++) {
		u16 usable = unit_random_between(&random, 1, 0xffff);
		struct scene scene;
		unsigned int out;
		int sum;

		scene_answered(&scene, usable);
		scene.view.busy = usable;
		scene.dead = usable & unit_random_u64(&random);
		for (i = 0; i < 2 * TAGS * TICKS; i++)
			scene_run(&scene);
		scene.view.heard = usable & ~scene.dead;
		rounds_asked(&scene, 1, times);
		sum = rounds_asked(&scene, 100, times);
		out = scene.dead == usable ? 0 : hweight16(scene.dead);
		unit_check_step(&random, hweight16(scene.hello.out) == out,
				"usable %04x dead %04x: %04x are out", usable,
				scene.dead, scene.hello.out);
		unit_check_step(&random, sum == 100 * (1 + (int)out),
				"usable %04x dead %04x: %d in 100 rounds",
				usable, scene.dead, sum);
	}
}

static void ids_are(struct scene *scene, const u32 *ids, int count, u8 reason)
{
	int i;

	for (i = 0; i < count; i++) {
		u32 nonce = conga_hello_nonce(&scene->hello, 0);

		assert_true(conga_hello_answered(&scene->hello, nonce, ids[i],
						 &terms, &terms));
	}
	scene_is(scene, true, reason, 0);
}

/* A box that is restarted has a new id each time; two boxes come back to theirs.
 */
static void test_hello_ids(void **state)
{
	static const u32 restarts[] = { 1, 1, 2, 2, 2, 3, 4, 4, 5 };
	static const u32 one[] = { 5 };
	static const u32 back[] = { 4 };
	struct scene scene;
	int i;

	(void)state;
	scene_answered(&scene, 1);
	ids_are(&scene, restarts, ARRAY_SIZE(restarts), CONGA_LEAF_ANSWERS);
	ids_are(&scene, back, 1, CONGA_LEAF_ALTERNATES);
	/* one of them is gone: believed after ten rounds */
	for (i = 0; i < CONGA_HELLO_CALM * TICKS; i++) {
		scene_tick(&scene);
		if (i % TICKS == 0)
			ids_are(&scene, back, 1, i / TICKS + 1 < CONGA_HELLO_CALM ?
				CONGA_LEAF_ALTERNATES : CONGA_LEAF_ANSWERS);
	}
	/* and not while both are there */
	for (i = 0; i < 2 * CONGA_HELLO_CALM * TICKS; i++) {
		scene_tick(&scene);
		if (i % TICKS == 0)
			ids_are(&scene, i / TICKS % 2 ? back : one, 1,
				CONGA_LEAF_ALTERNATES);
	}
}

/* Whoever asks, no more are answered in a round. */
static void scene_limit(struct scene *scene, u32 echo)
{
	int i;

	for (i = 1; i <= CONGA_HELLO_ANSWERS; i++) {
		assert_true(conga_hello_asked(&scene->hello, i, echo));
		assert_int_equal(scene->hello.echo, i);
	}
	for (i = 0; i < TICKS; i++) {
		assert_false(conga_hello_asked(&scene->hello, 1000, echo));
		assert_int_equal(scene->hello.echo, CONGA_HELLO_ANSWERS);
		scene_tick(scene);
	}
}

static void test_hello_limit(void **state)
{
	struct scene scene;
	int round;

	(void)state;
	scene_setup(&scene, 1);
	scene_tick(&scene);
	for (round = 0; round < 3; round++)
		scene_limit(&scene, 0);
	for (round = 0; round < 3; round++)
		scene_limit(&scene, conga_hello_nonce(&scene.hello, 0));
}

/* A storm of what may be forged: the leaf, which echoes our nonce, is answered
 * all the same, and it is its nonce that we echo.
 */
static void test_hello_storm(void **state)
{
	struct scene scene;
	int i;

	(void)state;
	scene_answered(&scene, 1);
	scene_tick(&scene);
	assert_true(conga_hello_asked(&scene.hello, 99, scene.hello.nonce[0]));
	for (i = 0; i < 1000; i++) {
		assert_int_equal(conga_hello_asked(&scene.hello, i, i << 8),
				 i < CONGA_HELLO_ANSWERS);
		assert_int_equal(scene.hello.echo, 99);
	}
	assert_true(conga_hello_asked(&scene.hello, 98, scene.hello.nonce[1]));
	assert_int_equal(scene.hello.echo, 98);
}

static void test_hello_bye(void **state)
{
	struct scene scene;
	u32 nonce;
	int i;

	(void)state;
	scene_answered(&scene, 3);
	conga_hello_asked(&scene.hello, 99, scene.hello.nonce[0]);
	assert_false(conga_hello_bye(&scene.hello, 0xdeadbeef));
	scene_is(&scene, true, CONGA_LEAF_ANSWERS, 0);
	scene_tick(&scene);
	nonce = conga_hello_nonce(&scene.hello, 0);
	assert_true(conga_hello_bye(&scene.hello, nonce));
	scene_is(&scene, false, CONGA_LEAF_BYE, 0);
	assert_int_equal(scene.hello.echo, 0);
	/* again by another uplink; an answer that was under way does not count */
	assert_true(conga_hello_bye(&scene.hello, nonce | 1));
	assert_false(scene_answer(&scene, 1));
	/* nor in the next round, when this round's nonce is the one before */
	for (i = 0; i < TICKS; i++) {
		scene_tick(&scene);
		scene_is(&scene, false, CONGA_LEAF_BYE, 0);
		assert_int_equal(scene.step.missed, 0);
	}
	assert_false(conga_hello_echoed(&scene.hello, nonce));
	assert_true(scene_answer(&scene, 0));
	scene_is(&scene, true, CONGA_LEAF_ANSWERS, 0);
}

static void test_hello_version(void **state)
{
	struct scene scene;
	int i;

	(void)state;
	scene_setup(&scene, 1);
	conga_hello_version(&scene.hello);
	scene_is(&scene, false, CONGA_LEAF_VERSION, 0);
	/* forgotten after a round without */
	scene_tick(&scene);
	scene_is(&scene, false, CONGA_LEAF_VERSION, 0);
	for (i = 0; i < TICKS; i++)
		scene_tick(&scene);
	scene_is(&scene, false, CONGA_LEAF_SILENT, 0);
	/* one that answers is believed, until it does not */
	scene_answered(&scene, 1);
	scene.dead = 1;
	for (i = 0; i <= MISSES; i++) {
		conga_hello_version(&scene.hello);
		scene_is(&scene, true, CONGA_LEAF_ANSWERS, 0);
		scene_run(&scene);
	}
	scene_is(&scene, false, CONGA_LEAF_VERSION, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hello_first),
		cmocka_unit_test(test_hello_phase),
		cmocka_unit_test(test_hello_no_path),
		cmocka_unit_test(test_hello_nonce),
		cmocka_unit_test(test_hello_nonce_never_zero),
		cmocka_unit_test(test_hello_answered),
		cmocka_unit_test(test_hello_terms),
		cmocka_unit_test(test_hello_silent),
		cmocka_unit_test(test_hello_grey),
		cmocka_unit_test(test_hello_unproven),
		cmocka_unit_test(test_hello_silent_has_no_out),
		cmocka_unit_test(test_hello_route_gone),
		cmocka_unit_test(test_hello_turn),
		cmocka_unit_test(test_hello_cost),
		cmocka_unit_test(test_hello_ids),
		cmocka_unit_test(test_hello_limit),
		cmocka_unit_test(test_hello_storm),
		cmocka_unit_test(test_hello_bye),
		cmocka_unit_test(test_hello_version),
	};

	return cmocka_run_group_tests_name("hello", tests, NULL, NULL);
}
