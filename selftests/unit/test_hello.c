// SPDX-License-Identifier: GPL-2.0
/* Hello with one leaf: nonces, answers, limits and goodbye messages. Scenes with known ends,
 * and the properties that hello.c states.
 */
#include "unit.h"
#include "hello_scene.h"

static void test_hello_first(void **state)
{
	struct scene scene;
	int i;

	(void)state;
	scene_setup(&scene, 0x0ff0);
	scene_is(&scene, false, CONGA_LEAF_WAITING, 0);
	/* no nonce is no nonce of ours */
	for (i = 0; i < WAYS; i++)
		assert_false(conga_hello_echoed(&scene.hello, i));
	assert_false(scene_answer(&scene, 4));
	assert_false(conga_hello_bye(&scene.hello, 0));
	/* one hello per round, by the uplinks in turn */
	for (i = 0; i < 32; i++) {
		scene_tick(&scene);
		assert_int_equal(scene.step.ask[0],
				 i % TICKS ? 0 : BIT(4 + i / TICKS));
		assert_int_equal(scene.step.silenced, 0);
		/* the third hello was in vain */
		scene_is(&scene, false, i <= 2 * TICKS ? CONGA_LEAF_WAITING :
							 CONGA_LEAF_SILENT, 0);
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
		conga_hello_setup(&scene.hello, phase, one_port);
		for (i = 0; i < 3 * TICKS; i++) {
			scene_tick(&scene);
			assert_int_equal(scene.step.ask[0],
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
		assert_int_equal(scene.step.ask[0], 0);
		assert_int_equal(scene.step.missed[0], 0);
	}
	/* nobody was asked, so nobody is silent */
	scene_is(&scene, true, CONGA_LEAF_ANSWERS, 0);
}

static void test_hello_nonce(void **state)
{
	struct scene scene;
	u64 first, second;
	int tag, i;

	(void)state;
	scene_setup(&scene, 1);
	scene_tick(&scene);
	first = conga_hello_nonce(&scene.hello, 0, 0);
	assert_true(first == ANY_ROUND + WAYS);
	for (tag = 0; tag < TAGS; tag++) {
		assert_true(conga_hello_nonce(&scene.hello, tag, 0) == first + tag);
		assert_true(conga_hello_nonce(&scene.hello, tag, 3) == first + 48 + tag);
		assert_true(conga_hello_echoed(&scene.hello, first + tag));
	}
	for (i = 0; i < 8; i++)
		assert_true(conga_hello_echoed(&scene.hello, first ^ BIT_ULL(i)));
	for (; i < 64; i++)
		assert_false(conga_hello_echoed(&scene.hello, first ^ BIT_ULL(i)));
	for (i = 1; i < TICKS; i++) {
		scene_tick(&scene);
		assert_true(conga_hello_nonce(&scene.hello, 0, 0) == first);
	}
	/* this round's, the one before, and no older one */
	scene_tick(&scene);
	second = conga_hello_nonce(&scene.hello, 0, 0);
	assert_true(second != first);
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
	for (random = 0; random < WAYS; random++) {
		scene_setup(&scene, 1);
		scene.view.random = random - (u64)WAYS;
		scene_tick(&scene);
		assert_true(conga_hello_nonce(&scene.hello, 3, 0) == WAYS + 3);
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
	scene_is(&scene, false, CONGA_LEAF_WAITING, 0);
	assert_int_equal(scene.hello.waiting[0], 1);
	assert_true(scene_answer(&scene, 0));
	scene_is(&scene, true, CONGA_LEAF_ANSWERS, 0);
	assert_int_equal(scene.hello.id, ID);
	scene_tick(&scene);
	assert_int_equal(scene.step.missed[0], 0);
	assert_int_equal(scene.step.ask[0], 0);
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
		u64 nonce = conga_hello_nonce(&scene.hello, 0, 0);

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
		assert_int_equal(hweight16(scene.step.ask[0]), i ? i + 1 : 1);
	}
	scene_run(&scene);
	scene_is(&scene, false, CONGA_LEAF_SILENT, 0);
	assert_int_equal(scene.step.silenced, 0);
	assert_int_equal(scene.step.ask[0], 0);
	/* all at once again */
	scene.dead = 0;
	for (i = 0; i < TICKS; i++)
		scene_run(&scene);
	scene_is(&scene, true, CONGA_LEAF_ANSWERS, 0);
}

static void ids_are(struct scene *scene, const u32 *ids, int count, u8 reason)
{
	int i;

	for (i = 0; i < count; i++) {
		u64 nonce = conga_hello_nonce(&scene->hello, 0, 0);

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
static void scene_limit(struct scene *scene, u64 echo)
{
	int i;

	for (i = 1; i <= CONGA_HELLO_ANSWERS; i++) {
		assert_true(conga_hello_asked(&scene->hello, PORT, i, echo));
		assert_int_equal(scene->hello.echo, i);
	}
	for (i = 0; i < TICKS; i++) {
		assert_false(conga_hello_asked(&scene->hello, PORT, 1000, echo));
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
		scene_limit(&scene, conga_hello_nonce(&scene.hello, 0, 0));
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
	assert_true(conga_hello_asked(&scene.hello, PORT, 99, scene.hello.nonce[0]));
	for (i = 0; i < 1000; i++) {
		assert_int_equal(conga_hello_asked(&scene.hello, PORT, i, i << 8),
				 i < CONGA_HELLO_ANSWERS);
		assert_int_equal(scene.hello.echo, 99);
	}
	assert_true(conga_hello_asked(&scene.hello, PORT, 98, scene.hello.nonce[1]));
	assert_int_equal(scene.hello.echo, 98);
}

static void test_hello_bye(void **state)
{
	struct scene scene;
	u64 nonce;
	int i;

	(void)state;
	scene_answered(&scene, 3);
	conga_hello_asked(&scene.hello, PORT, 99, scene.hello.nonce[0]);
	assert_false(conga_hello_bye(&scene.hello, 0xdeadbeef));
	scene_is(&scene, true, CONGA_LEAF_ANSWERS, 0);
	scene_tick(&scene);
	nonce = conga_hello_nonce(&scene.hello, 0, 0);
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
		assert_int_equal(scene.step.missed[0], 0);
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
	scene_is(&scene, false, CONGA_LEAF_WAITING, 0);
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

/* After so many they are counted otherwise; a right one is believed all the same. */
static void test_hello_wrong(void **state)
{
	struct scene scene;
	int i;

	(void)state;
	scene_answered(&scene, 1);
	scene_tick(&scene);
	for (i = 0; i < 1000; i++) {
		assert_false(scene_answer_to(&scene, (u64)(i + 1) << 7));
		assert_int_equal(conga_hello_wrong(&scene.hello), i < CONGA_HELLO_WRONG);
	}
	assert_true(scene_answer(&scene, 0));
	assert_true(conga_hello_bye(&scene.hello, conga_hello_nonce(&scene.hello, 0, 0)));
	for (i = 0; i < TICKS; i++)
		scene_tick(&scene);
	assert_true(conga_hello_wrong(&scene.hello));
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
		cmocka_unit_test(test_hello_ids),
		cmocka_unit_test(test_hello_limit),
		cmocka_unit_test(test_hello_storm),
		cmocka_unit_test(test_hello_bye),
		cmocka_unit_test(test_hello_version),
		cmocka_unit_test(test_hello_wrong),
	};

	return cmocka_run_group_tests_name("hello", tests, NULL, NULL);
}
