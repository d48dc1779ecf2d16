// SPDX-License-Identifier: GPL-2.0
/* The loss of hellos by a path, beside a list of their fates. */
#include "unit.h"
#include "hello_scene.h"

#define WINDOW	CONGA_HELLO_LOSS_WINDOW
#define STEPS	20000

static void counts_are(const struct conga_hello_loss *loss, int sent, int missed)
{
	assert_int_equal(conga_hello_loss_sent(loss), sent);
	assert_int_equal(conga_hello_loss_missed(loss), missed);
}

static void test_nothing_is_remembered_at_first(void **state)
{
	struct conga_hello_loss loss = { 0 };

	(void)state;
	counts_are(&loss, 0, 0);
	conga_hello_loss_take_back(&loss);
	counts_are(&loss, 0, 0);
}

static void test_the_last_window_counts(void **state)
{
	struct conga_hello_loss loss = { 0 };
	static bool fates[STEPS];
	struct unit_random random;
	int i, j, missed;

	(void)state;
	unit_random_setup(&random, 1);
	for (i = 0; i < STEPS; i++) {
		fates[i] = !unit_random_below(&random, 3);
		conga_hello_loss_add(&loss, fates[i]);
		if (!unit_random_below(&random, 10)) {
			conga_hello_loss_take_back(&loss);
			for (j = i; j >= 0 && j > i - WINDOW && !fates[j]; j--)
				;
			if (j >= 0 && j > i - WINDOW)
				fates[j] = false;
		}
		for (missed = 0, j = i; j >= 0 && j > i - WINDOW; j--)
			missed += fates[j];
		counts_are(&loss, i + 1 < WINDOW ? i + 1 : WINDOW, missed);
	}
}

/* ---- of a leaf ---- */

static void path_is(const struct scene *scene, int tag, int sent, int missed)
{
	counts_are(&scene->hello.path[tag].loss, sent, missed);
}

static void test_answered_hellos_are_no_loss(void **state)
{
	struct scene scene;

	(void)state;
	scene_answered(&scene, 3);
	scene_rounds(&scene, 2 * WINDOW);
	path_is(&scene, 0, WINDOW, 0);
	path_is(&scene, 1, WINDOW, 0);
}

/* Every fifth round nothing comes by path 1, which is never out. */
static void test_loss_is_that_of_its_path(void **state)
{
	struct scene scene;
	int i;

	(void)state;
	scene_answered(&scene, 3);
	for (i = 0; i < 5 * WINDOW; i++) {
		scene.dead = i % 5 ? 0 : 2;
		scene_run(&scene);
		scene.dead = 0;
		scene_run(&scene);
		scene_run(&scene);
		scene_run(&scene);
		assert_int_equal(scene.hello.out, 0);
	}
	path_is(&scene, 0, WINDOW, 0);
	assert_int_equal(conga_hello_loss_sent(&scene.hello.path[1].loss), WINDOW);
	assert_in_range(conga_hello_loss_missed(&scene.hello.path[1].loss), 2, WINDOW / 3);
}

static void test_late_answers_are_no_loss(void **state)
{
	struct scene scene;

	(void)state;
	scene_answered(&scene, 1);
	scene_tick(&scene);
	assert_int_equal(scene.step.ask[0], 1);
	scene_tick(&scene);
	assert_int_equal(conga_hello_loss_missed(&scene.hello.path[0].loss), 1);
	/* the repeated hello is answered, and then the first one */
	assert_true(scene_answer(&scene, 0));
	assert_true(scene_answer(&scene, 0));
	assert_int_equal(conga_hello_loss_missed(&scene.hello.path[0].loss), 0);
}

/* Every answer comes two ticks late, as from a leaf far away or a slow one. */
static void test_a_slow_leaf_loses_nothing(void **state)
{
	bool asked = false, before = false;
	struct scene scene;
	int i;

	(void)state;
	scene_answered(&scene, 1);
	for (i = 0; i < 10 * WINDOW; i++) {
		scene_tick(&scene);
		if (before)
			assert_true(scene_answer(&scene, 0));
		before = asked;
		asked = scene.step.ask[0];
		assert_int_equal(scene.hello.out, 0);
		assert_in_range(conga_hello_loss_missed(&scene.hello.path[0].loss), 0, 2);
	}
	assert_int_equal(conga_hello_loss_sent(&scene.hello.path[0].loss), WINDOW);
}

/* A path that was repaired, and a leaf that returned, begin anew. */
static void test_loss_before_a_repair_is_forgotten(void **state)
{
	struct scene scene;

	(void)state;
	scene_answered(&scene, 3);
	scene.dead = 2;
	scene_rounds(&scene, 4);
	assert_int_equal(scene.hello.out, 2);
	assert_true(conga_hello_loss_missed(&scene.hello.path[1].loss) >= MISSES);
	scene.dead = 0;
	scene_rounds(&scene, 4);
	assert_int_equal(scene.hello.out, 0);
	assert_int_equal(conga_hello_loss_missed(&scene.hello.path[1].loss), 0);
	scene.dead = 3;
	scene_rounds(&scene, 4);
	scene_is(&scene, false, CONGA_LEAF_SILENT, 0);
	scene.dead = 0;
	scene_rounds(&scene, 4);
	scene_is(&scene, true, CONGA_LEAF_ANSWERS, 0);
	assert_int_equal(conga_hello_loss_missed(&scene.hello.path[0].loss), 0);
	assert_int_equal(conga_hello_loss_missed(&scene.hello.path[1].loss), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_is_remembered_at_first),
		cmocka_unit_test(test_the_last_window_counts),
		cmocka_unit_test(test_answered_hellos_are_no_loss),
		cmocka_unit_test(test_loss_is_that_of_its_path),
		cmocka_unit_test(test_late_answers_are_no_loss),
		cmocka_unit_test(test_a_slow_leaf_loses_nothing),
		cmocka_unit_test(test_loss_before_a_repair_is_forgotten),
	};

	return cmocka_run_group_tests_name("hello_loss", tests, NULL, NULL);
}
