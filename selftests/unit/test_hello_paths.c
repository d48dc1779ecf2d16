// SPDX-License-Identifier: GPL-2.0
/* Hello with one leaf: which paths are asked, and which are out. */
#include "unit.h"
#include "hello_scene.h"

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
		assert_int_equal(scene.step.ask[0] & 2, i % TICKS ? 0 : 2);
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
	assert_int_equal(scene.step.ask[0], 2);
	scene.view.busy = 4;
	scene.view.heard = 4;
	for (i = 1; i < TICKS; i++) {
		scene_run(&scene);
		assert_int_equal(scene.step.ask[0], 0);
	}
	scene_run(&scene);
	assert_int_equal(scene.step.ask[0], 4);
	scene.view.heard = 0;
	/* proven by that answer */
	for (i = 1; i < TICKS; i++) {
		scene_run(&scene);
		assert_int_equal(scene.step.ask[0], 0);
	}
	/* and asked anew when it is a round old, beside the one in turn */
	scene_run(&scene);
	assert_int_equal(scene.step.ask[0], 4 | 1);
	/* idle ones are not asked between rounds */
	scene.view.busy = 0;
	for (i = 1; i < TICKS; i++) {
		scene_run(&scene);
		assert_int_equal(scene.step.ask[0], 0);
	}
	/* a busy one at once */
	scene_run(&scene);
	scene.view.busy = 1;
	scene_run(&scene);
	assert_int_equal(scene.step.ask[0], 1);
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
	assert_int_equal(scene.step.missed[0], 0);
	scene.view.usable = 3;
	/* out again only by three new misses */
	for (i = 0; i < MISSES; i++) {
		scene_run(&scene);
		assert_int_equal(scene.hello.out, 0);
		assert_true(scene.step.ask[0] & 2);
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
		sum += hweight16(scene->step.ask[0]);
		for (tag = 0; tag < TAGS; tag++)
			times[tag] += !!(scene->step.ask[0] & BIT(tag));
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hello_grey),
		cmocka_unit_test(test_hello_unproven),
		cmocka_unit_test(test_hello_silent_has_no_out),
		cmocka_unit_test(test_hello_route_gone),
		cmocka_unit_test(test_hello_turn),
		cmocka_unit_test(test_hello_cost),
	};

	return cmocka_run_group_tests_name("hello_paths", tests, NULL, NULL);
}
