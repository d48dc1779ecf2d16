// SPDX-License-Identifier: GPL-2.0
/* Hello with one leaf about several UDP ports. */
#include "unit.h"
#include "hello_scene.h"

static const __be16 two_ports[PORTS] = { PORT, PORT_B };

/* A leaf that answers about the ports that are not @deaf */
static void scene_ports(struct scene *scene, u16 usable, u8 deaf)
{
	scene_setup(scene, usable);
	conga_hello_setup(&scene->hello, 0, two_ports);
	scene->deaf = deaf;
	scene_rounds(scene, 2);
}

/* A further port costs one hello per round, whether it is answered about or not. */
static void test_hello_ports_cost(void **state)
{
	u8 deaf;

	(void)state;
	for (deaf = 0; deaf < 4; deaf++) {
		struct scene scene;
		int i, sum[2] = {};

		scene_ports(&scene, 0xf, deaf);
		assert_int_equal(scene.hello.agreed, 3 & ~deaf);
		for (i = 0; i < 10 * TICKS; i++) {
			scene_run(&scene);
			sum[0] += hweight16(scene.step.ask[0]);
			sum[1] += hweight16(scene.step.ask[1]);
			assert_int_equal(scene.step.ask[2] | scene.step.ask[3], 0);
		}
		assert_int_equal(sum[0], 10);
		assert_int_equal(sum[1], 10);
	}
}

/* The nonce says about which port; an answer about one is none about another. */
static void test_hello_port_of_nonce(void **state)
{
	struct scene scene;

	(void)state;
	scene_setup(&scene, 1);
	conga_hello_setup(&scene.hello, 0, two_ports);
	scene_tick(&scene);
	assert_true(scene_answer_to(&scene, conga_hello_nonce(&scene.hello, 0, 1)));
	assert_int_equal(scene.hello.agreed, 2);
	assert_int_equal(scene.hello.waiting[0], 1);
	assert_int_equal(scene.hello.waiting[1], 0);
	/* one that is not listed */
	assert_false(scene_answer_to(&scene, conga_hello_nonce(&scene.hello, 0, 2)));
	assert_int_equal(scene.hello.agreed, 2);
}

/* Three misses, within a round, while the leaf answers about the other: no path is out
 * because of them, whichever of the ports it was.
 */
static void test_hello_port_lost(void **state)
{
	int lost;

	(void)state;
	for (lost = 0; lost < 2; lost++) {
		struct scene scene;
		int i;

		scene_ports(&scene, 3, 0);
		scene.deaf = BIT(lost);
		for (i = 0; i <= MISSES; i++) {
			assert_int_equal(scene.hello.agreed, 3);
			scene_run(&scene);
			assert_int_equal(scene.step.silenced, 0);
		}
		assert_int_equal(scene.hello.agreed, 3 & ~BIT(lost));
		scene_is(&scene, true, CONGA_LEAF_ANSWERS, 0);
		scene_rounds(&scene, 5);
		scene_is(&scene, true, CONGA_LEAF_ANSWERS, 0);
		/* and back by one answer */
		scene.deaf = 0;
		scene_rounds(&scene, 1);
		assert_int_equal(scene.hello.agreed, 3);
	}
}

/* A dead path is no reason to give up a port: it is asked about by another one. */
static void test_hello_port_by_other_path(void **state)
{
	int dead, i;

	(void)state;
	for (dead = 0; dead < 3; dead++) {
		struct scene scene;

		scene_ports(&scene, 7, 0);
		scene.dead = BIT(dead);
		for (i = 0; i < 20 * TICKS; i++) {
			scene_run(&scene);
			assert_int_equal(scene.hello.agreed, 3);
		}
		scene_is(&scene, true, CONGA_LEAF_ANSWERS, scene.dead);
	}
}

static void test_hello_bye_ends_all_ports(void **state)
{
	struct scene scene;

	(void)state;
	scene_ports(&scene, 3, 0);
	assert_true(conga_hello_bye(&scene.hello, conga_hello_nonce(&scene.hello, 0, 1)));
	assert_int_equal(scene.hello.agreed, 0);
	scene_is(&scene, false, CONGA_LEAF_BYE, 0);
}

/* scene_list: the ports become these, and hellos go on in between. */
static void scene_list(struct scene *scene, const __be16 *ports)
{
	conga_hello_hold(&scene->hello, ports);
	scene_tick(scene);
	scene->view.random += WAYS;
	conga_hello_bind(&scene->hello, ports, scene->view.random);
}

/* An agreement is about a number, not about a place in the list. */
static void test_hello_list(void **state)
{
	static const __be16 turned[PORTS] = { PORT_B, PORT };
	static const __be16 other[PORTS] = { PORT, PORT_C };
	static const __be16 moved[PORTS] = { PORT_C, PORT };
	static const __be16 none[PORTS] = { PORT_C };
	struct scene scene;

	(void)state;
	scene_ports(&scene, 1, 2);
	assert_int_equal(scene.hello.agreed, 1);
	scene_list(&scene, turned);
	assert_int_equal(scene.hello.agreed, 2);
	scene_list(&scene, two_ports);
	assert_int_equal(scene.hello.agreed, 1);
	scene_ports(&scene, 1, 0);
	scene_list(&scene, other);
	assert_int_equal(scene.hello.agreed, 1);
	scene_list(&scene, moved);
	assert_int_equal(scene.hello.agreed, 2);
	scene_list(&scene, none);
	scene_is(&scene, false, CONGA_LEAF_WAITING, 0);
}

/* Answers about the port that had the place before come too late. */
static void test_hello_list_nonces(void **state)
{
	static const __be16 other[PORTS] = { PORT, PORT_C };
	static const __be16 more[PORTS] = { PORT, PORT_C, PORT_B };
	struct scene scene;
	u64 nonce;

	(void)state;
	scene_ports(&scene, 1, 0);
	scene_tick(&scene);
	nonce = conga_hello_nonce(&scene.hello, 0, 1);
	scene.view.random += WAYS;
	conga_hello_hold(&scene.hello, other);
	assert_false(scene_answer_to(&scene, nonce));
	assert_true(scene_answer(&scene, 0));
	assert_false(conga_hello_asked(&scene.hello, PORT_B, 5, 0));
	assert_false(conga_hello_asked(&scene.hello, PORT_C, 5, 0));
	assert_true(conga_hello_asked(&scene.hello, PORT, 5, 0));
	conga_hello_bind(&scene.hello, other, scene.view.random);
	assert_false(conga_hello_echoed(&scene.hello, nonce));
	assert_int_equal(scene.hello.agreed, 1);
	/* where nothing moved they stay good */
	nonce = conga_hello_nonce(&scene.hello, 0, 1);
	conga_hello_hold(&scene.hello, more);
	conga_hello_bind(&scene.hello, more, 0);
	assert_true(scene_answer_to(&scene, nonce));
	assert_int_equal(scene.hello.agreed, 3);
}

/* What is told to the leaf goes to a port that is agreed, or by which it asked. */
static void test_hello_port(void **state)
{
	struct scene scene;

	(void)state;
	scene_setup(&scene, 1);
	conga_hello_setup(&scene.hello, 0, two_ports);
	scene_tick(&scene);
	assert_true(conga_hello_asked(&scene.hello, PORT_B, 7, 0));
	assert_int_equal(conga_hello_port(&scene.hello), 1);
	assert_true(scene_answer(&scene, 0));
	assert_int_equal(conga_hello_port(&scene.hello), 0);
}

/* The port by which the leaf asked remains the same number when the list changes. */
static void test_hello_port_in_new_list(void **state)
{
	static const __be16 turned[PORTS] = { PORT_B, PORT };
	struct scene scene;

	(void)state;
	scene_setup(&scene, 1);
	conga_hello_setup(&scene.hello, 0, two_ports);
	assert_true(conga_hello_asked(&scene.hello, PORT_B, 7, 0));
	assert_int_equal(conga_hello_port(&scene.hello), 1);
	scene_list(&scene, turned);
	assert_int_equal(conga_hello_port(&scene.hello), 0);
	scene_list(&scene, two_ports);
	assert_int_equal(conga_hello_port(&scene.hello), 1);
	/* and is any port if it is not listed any more */
	scene_list(&scene, one_port);
	assert_int_equal(conga_hello_port(&scene.hello), 0);
}

/* Hellos that were sent with the old list are neither missed nor counted as losses. */
static void test_hello_list_forgets_hellos(void **state)
{
	struct scene scene;
	int port;

	(void)state;
	scene_ports(&scene, 1, 0);
	scene_tick(&scene);
	scene.view.random += WAYS;
	conga_hello_bind(&scene.hello, two_ports, scene.view.random);
	for (port = 0; port < PORTS; port++) {
		assert_int_equal(scene.hello.asked[port], 0);
		assert_int_equal(scene.hello.waiting[port], 0);
	}
	assert_int_equal(scene.hello.large, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hello_ports_cost),
		cmocka_unit_test(test_hello_port_of_nonce),
		cmocka_unit_test(test_hello_port_lost),
		cmocka_unit_test(test_hello_port_by_other_path),
		cmocka_unit_test(test_hello_bye_ends_all_ports),
		cmocka_unit_test(test_hello_list),
		cmocka_unit_test(test_hello_list_nonces),
		cmocka_unit_test(test_hello_port),
		cmocka_unit_test(test_hello_port_in_new_list),
		cmocka_unit_test(test_hello_list_forgets_hellos),
	};

	return cmocka_run_group_tests_name("hello_ports", tests, NULL, NULL);
}
