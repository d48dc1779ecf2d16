// SPDX-License-Identifier: GPL-2.0
/* Hello with one leaf: full-size hellos, and paths that are narrow. */
#include "unit.h"
#include "hello_scene.h"
#include "paper/hello_large.h"

/* A leaf that answers, on paths that all take more than a small hello */
static void scene_large(struct scene *scene, u16 usable)
{
	scene_answered(scene, usable);
	scene->view.large = usable;
}

/* Each path once in so many rounds, with no small one beside. */
static void test_hello_large_cost(void **state)
{
	struct scene scene;
	int i, sum = 0, small = 0;

	(void)state;
	scene_large(&scene, 0xf0f);
	scene_rounds(&scene, EVERY);
	for (i = 0; i < 10 * EVERY * TICKS; i++) {
		scene_run(&scene);
		sum += hweight16(scene.step.large);
		small += hweight16(scene.step.ask[0]);
	}
	assert_int_equal(sum, 10 * 8);
	assert_int_equal(small, 10 * EVERY);
	assert_int_equal(scene.hello.narrow, 0);
}

/* Nobody that is not conga, nor a path that takes no more, is asked. */
static void test_hello_large_not_asked(void **state)
{
	struct scene scene;
	int i;

	(void)state;
	scene_setup(&scene, 3);
	scene.view.large = 3;
	for (i = 0; i < 10 * TICKS; i++) {
		scene_tick(&scene);
		assert_int_equal(scene.step.large, 0);
	}
	scene_answered(&scene, 3);
	scene.view.large = 2;
	for (i = 0; i < 10 * TICKS; i++) {
		scene_run(&scene);
		assert_int_equal(scene.step.large & ~2, 0);
	}
}

/* Narrow after a doubt and three misses, tick after tick; asked once a round; back by an
 * answer.
 */
static void test_hello_narrow(void **state)
{
	struct scene scene;
	int i;

	(void)state;
	scene_large(&scene, 3);
	scene.small = 2;
	while (!(scene.step.large & 2))
		scene_run(&scene);
	for (i = 0; i < MISSES; i++) {
		scene_run(&scene);
		assert_int_equal(scene.step.large & 2, 2);
		assert_int_equal(scene.step.ask[0] & 2, 2);
		assert_int_equal(scene.step.narrowed, 0);
	}
	scene_run(&scene);
	assert_int_equal(scene.step.narrowed, 2);
	assert_int_equal(scene.hello.narrow, 2);
	scene_is(&scene, true, CONGA_LEAF_ANSWERS, 0);
	assert_int_equal(conga_hello_shut(&scene.hello, 0), 2);
	for (i = 0; i < 3 * TICKS; i++) {
		scene_run(&scene);
		assert_int_equal(scene.step.large & 2, (scene.hello.tick - 1) % TICKS == 1 ?
				 2 : 0);
		assert_int_equal(scene.step.narrowed, 0);
	}
	scene.small = 0;
	scene_rounds(&scene, 1);
	assert_int_equal(scene.hello.narrow, 0);
	assert_int_equal(conga_hello_shut(&scene.hello, 0), 0);
}

/* Where all are narrow, or the others are closed, there is nothing to choose by. */
static void test_hello_narrow_all(void **state)
{
	struct scene scene;

	(void)state;
	scene_large(&scene, 7);
	scene.small = 7;
	scene_rounds(&scene, 10);
	assert_int_equal(scene.hello.narrow, 7);
	assert_int_equal(conga_hello_shut(&scene.hello, 0), 0);
	scene.small = 6;
	scene_rounds(&scene, 1);
	assert_int_equal(scene.hello.narrow, 6);
	assert_int_equal(conga_hello_shut(&scene.hello, 0), 6);
	assert_int_equal(conga_hello_shut(&scene.hello, 1), 0);
	/* the wide one falls silent */
	scene.view.busy = 1;
	scene.dead = 1;
	scene_rounds(&scene, 3);
	scene_is(&scene, true, CONGA_LEAF_ANSWERS, 1);
	assert_int_equal(conga_hello_shut(&scene.hello, 0), 1);
	/* or loses its route */
	scene.view.usable = 6;
	scene_run(&scene);
	assert_int_equal(conga_hello_shut(&scene.hello, 0), 0);
}

/* Where small ones are lost, too, the path is silent, and not narrow. */
static void test_hello_narrow_is_not_silent(void **state)
{
	struct scene scene;

	(void)state;
	scene_large(&scene, 3);
	scene.view.busy = 2;
	scene_rounds(&scene, EVERY);
	scene.dead = 2;
	while (!scene.step.silenced) {
		scene_run(&scene);
		assert_int_equal(scene.hello.narrow, 0);
	}
	scene_is(&scene, true, CONGA_LEAF_ANSWERS, 2);
	scene_rounds(&scene, EVERY);
	assert_int_equal(scene.hello.narrow, 0);
}

/* Misses count whose small hello was answered, beside others or not. */
static void test_hello_narrow_counts_pairs(void **state)
{
	struct scene scene;
	int i, pairs = 0;

	(void)state;
	scene_large(&scene, 3);
	scene.small = 2;
	while (!(scene.step.large & 2))
		scene_run(&scene);
	scene_run(&scene);
	for (i = 0; !scene.step.narrowed; i++) {
		assert_true(pairs < MISSES);
		scene.dead = i % 2 ? 0 : 2;
		scene_run(&scene);
		pairs += !scene.dead && !scene.step.narrowed;
		assert_in_range(i, 0, 3 * MISSES);
	}
	assert_true(i > MISSES);
}

/* A leaf that nobody answers for any more has no narrow path, either. */
static void test_hello_narrow_forgotten(void **state)
{
	struct scene scene;

	(void)state;
	scene_large(&scene, 3);
	scene.small = 2;
	scene_rounds(&scene, 3);
	assert_int_equal(scene.hello.narrow, 2);
	scene.dead = 3;
	scene_rounds(&scene, 3);
	scene_is(&scene, false, CONGA_LEAF_SILENT, 0);
	assert_int_equal(scene.hello.narrow, 0);
}

/* A full-size hello that could not be sent is not missed. */
static void test_hello_unsent(void **state)
{
	struct scene scene;
	int i;

	(void)state;
	scene_large(&scene, 3);
	scene.small = 2;
	for (i = 0; i < 3 * EVERY * TICKS; i++) {
		scene_run(&scene);
		conga_hello_large_unsent(&scene.hello, 1);
		assert_int_equal(scene.step.missed_large, 0);
	}
	assert_int_equal(scene.hello.narrow, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hello_large_cost),
		cmocka_unit_test(test_hello_large_not_asked),
		cmocka_unit_test(test_hello_narrow),
		cmocka_unit_test(test_hello_narrow_all),
		cmocka_unit_test(test_hello_narrow_is_not_silent),
		cmocka_unit_test(test_hello_narrow_counts_pairs),
		cmocka_unit_test(test_hello_narrow_forgotten),
		cmocka_unit_test(test_hello_unsent),
	};

	return cmocka_run_group_tests_name("hello_large", tests, NULL, NULL);
}
