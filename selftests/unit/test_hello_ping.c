// SPDX-License-Identifier: GPL-2.0
/* Pings: hellos that an operator orders, and their round-trip times. */
#include "unit.h"
#include "hello_scene.h"
#include "paper/hello_ping.h"

#define START	1000000ULL
#define RTT	212000

static bool order(struct scene *scene, struct conga_hello_pings *pings, u8 tag)
{
	return conga_hello_ping_order(&scene->hello, pings, tag);
}

/* A tick, whose pings leave at @now */
static void tick(struct scene *scene, struct conga_hello_pings *pings, u64 now)
{
	int tag;

	scene_tick(scene);
	conga_hello_ping_begin(pings, &scene->hello, scene->step.pinged);
	for (tag = 0; tag < TAGS; tag++)
		if (scene->step.pinged & BIT(tag))
			conga_hello_ping_asked(pings, tag, now);
}

static u64 ping_nonce(const struct scene *scene, u8 tag)
{
	return conga_hello_nonce(&scene->hello, tag, scene->step.main) | CONGA_HELLO_PING;
}

/* The answer is accepted, as control.c does. */
static void answer(struct scene *scene, struct conga_hello_pings *pings, u64 echo, u64 now)
{
	assert_true(scene_answer_to(scene, echo));
	conga_hello_ping_answered(pings, echo, now);
}

static void ping_is(const struct conga_hello_pings *pings, u8 tag, u32 sent, u32 answered,
		    u64 rtt)
{
	const struct conga_hello_ping *ping = &pings->path[tag];

	assert_int_equal(ping->sent, sent);
	assert_int_equal(ping->answered, answered);
	assert_int_equal(ping->rtt, rtt);
}

static bool waits(const struct scene *scene, const struct conga_hello_pings *pings, u8 tag)
{
	return conga_hello_ping_waits(&scene->hello, pings, tag);
}

static void test_the_next_tick_pings_once(void **state)
{
	struct conga_hello_pings pings = {};
	struct scene scene;
	int i;

	(void)state;
	scene_answered(&scene, 0xff);
	scene_run(&scene);
	assert_true(order(&scene, &pings, 5));
	assert_true(waits(&scene, &pings, 5));
	tick(&scene, &pings, START);
	assert_int_equal(scene.step.pinged, BIT(5));
	assert_int_equal(scene.step.ask[scene.step.main], BIT(5));
	answer(&scene, &pings, ping_nonce(&scene, 5), START + RTT);
	ping_is(&pings, 5, 1, 1, RTT);
	assert_false(waits(&scene, &pings, 5));
	for (i = 0; i < 3 * TICKS; i++) {
		scene_run(&scene);
		assert_int_equal(scene.step.pinged, 0);
	}
}

static void test_a_path_that_is_out_is_pinged(void **state)
{
	struct conga_hello_pings pings = {};
	struct scene scene;

	(void)state;
	scene_answered(&scene, 3);
	scene.dead = 2;
	scene_rounds(&scene, 4);
	scene_is(&scene, true, CONGA_LEAF_ANSWERS, 2);
	scene_run(&scene);
	assert_true(order(&scene, &pings, 1));
	tick(&scene, &pings, START);
	assert_int_equal(scene.step.pinged, 2);
	assert_int_equal(scene.step.ask[0], 2);
	/* it was a hello: its answer brings the path back */
	answer(&scene, &pings, ping_nonce(&scene, 1), START + RTT);
	scene_is(&scene, true, CONGA_LEAF_ANSWERS, 0);
}

static void test_a_leaf_that_never_answered_is_pinged(void **state)
{
	struct conga_hello_pings pings = {};
	struct scene scene;

	(void)state;
	scene_setup(&scene, 3);
	scene_run(&scene);
	scene_setup(&scene, 3);
	tick(&scene, &pings, START);
	assert_true(order(&scene, &pings, 1));
	tick(&scene, &pings, START);
	assert_int_equal(scene.step.ask[0], 2);
	answer(&scene, &pings, ping_nonce(&scene, 1), START + RTT);
	ping_is(&pings, 1, 1, 1, RTT);
}

static void test_a_path_is_pinged_once_in_a_round(void **state)
{
	struct conga_hello_pings pings = {};
	struct scene scene;
	int i;

	(void)state;
	scene_answered(&scene, 3);
	assert_true(order(&scene, &pings, 0));
	assert_false(order(&scene, &pings, 0));
	assert_true(order(&scene, &pings, 1));
	for (i = 0; i < TICKS; i++) {
		tick(&scene, &pings, START);
		assert_int_equal(scene.step.pinged, i ? 0 : 3);
		assert_false(order(&scene, &pings, 0));
	}
	tick(&scene, &pings, START);
	assert_true(order(&scene, &pings, 0));
}

static void test_a_ping_that_could_not_be_sent_may_be_repeated(void **state)
{
	struct conga_hello_pings pings = {};
	struct scene scene;

	(void)state;
	scene_answered(&scene, 3);
	assert_true(order(&scene, &pings, 0));
	tick(&scene, &pings, START);
	conga_hello_ping_unsent(&pings, 0);
	assert_false(waits(&scene, &pings, 0));
	ping_is(&pings, 0, 0, 0, 0);
	assert_true(order(&scene, &pings, 0));
}

static void test_an_answer_counts_for_its_path(void **state)
{
	struct conga_hello_pings pings = {};
	struct scene scene;

	(void)state;
	scene_answered(&scene, 3);
	assert_true(order(&scene, &pings, 0) && order(&scene, &pings, 1));
	tick(&scene, &pings, START);
	answer(&scene, &pings, ping_nonce(&scene, 1), START + RTT);
	ping_is(&pings, 0, 1, 0, 0);
	ping_is(&pings, 1, 1, 1, RTT);
	assert_true(waits(&scene, &pings, 0));
	assert_false(waits(&scene, &pings, 1));
}

/* The path was asked in the round before, and that hello is answered after the ping left. */
static void test_another_hello_is_no_ping(void **state)
{
	struct conga_hello_pings pings = {};
	struct scene scene;

	(void)state;
	scene_answered(&scene, 1);
	tick(&scene, &pings, START);
	assert_int_equal(scene.step.ask[0], 1);
	assert_true(order(&scene, &pings, 0));
	tick(&scene, &pings, START);
	answer(&scene, &pings, conga_hello_nonce(&scene.hello, 0, 0), START + 1);
	answer(&scene, &pings, conga_hello_nonce(&scene.hello, 0, 0) | CONGA_HELLO_LARGE,
	       START + 1);
	ping_is(&pings, 0, 1, 0, 0);
	assert_true(waits(&scene, &pings, 0));
	answer(&scene, &pings, ping_nonce(&scene, 0), START + RTT);
	ping_is(&pings, 0, 1, 1, RTT);
}

static void test_only_the_first_answer_counts(void **state)
{
	struct conga_hello_pings pings = {};
	struct scene scene;

	(void)state;
	scene_answered(&scene, 1);
	assert_true(order(&scene, &pings, 0));
	tick(&scene, &pings, START);
	answer(&scene, &pings, ping_nonce(&scene, 0), START);
	ping_is(&pings, 0, 1, 1, 1);	/* 0 would mean that it was not answered */
	answer(&scene, &pings, ping_nonce(&scene, 0), START + RTT);
	ping_is(&pings, 0, 1, 1, 1);
}

static void test_a_lost_ping_has_no_time(void **state)
{
	struct conga_hello_pings pings = {};
	struct scene scene;
	u64 lost;
	int i;

	(void)state;
	scene_answered(&scene, 1);
	assert_true(order(&scene, &pings, 0));
	tick(&scene, &pings, START);
	answer(&scene, &pings, ping_nonce(&scene, 0), START + RTT);
	for (i = 0; i < TICKS; i++)
		tick(&scene, &pings, START);
	assert_true(order(&scene, &pings, 0));
	tick(&scene, &pings, START);
	lost = ping_nonce(&scene, 0);
	ping_is(&pings, 0, 2, 1, 0);
	/* it is waited for until its nonce ends */
	for (i = 2; i < 2 * TICKS; i++) {
		assert_true(waits(&scene, &pings, 0));
		tick(&scene, &pings, START);
	}
	assert_true(waits(&scene, &pings, 0));
	tick(&scene, &pings, START);
	assert_false(waits(&scene, &pings, 0));
	assert_false(scene_answer_to(&scene, lost));
	ping_is(&pings, 0, 2, 1, 0);
}

static void test_a_late_answer_is_not_that_of_the_next_ping(void **state)
{
	struct conga_hello_pings pings = {};
	struct scene scene;
	u64 late;
	int i;

	(void)state;
	scene_answered(&scene, 1);
	assert_true(order(&scene, &pings, 0));
	tick(&scene, &pings, START);
	late = ping_nonce(&scene, 0);
	for (i = 0; i < TICKS; i++)
		tick(&scene, &pings, START);
	assert_true(order(&scene, &pings, 0));
	tick(&scene, &pings, START);
	answer(&scene, &pings, late, START + 1);
	ping_is(&pings, 0, 2, 0, 0);
	answer(&scene, &pings, ping_nonce(&scene, 0), START + RTT);
	ping_is(&pings, 0, 2, 1, RTT);
}

/* An order is for the next tick; a path without a route then is not pinged later. */
static void test_a_path_without_route_is_not_pinged(void **state)
{
	struct conga_hello_pings pings = {};
	struct scene scene;

	(void)state;
	scene_answered(&scene, 3);
	assert_true(order(&scene, &pings, 1));
	scene.view.usable = 1;
	tick(&scene, &pings, START);
	assert_int_equal(scene.step.pinged, 0);
	assert_false(waits(&scene, &pings, 1));
	scene.view.usable = 3;
	tick(&scene, &pings, START);
	assert_int_equal(scene.step.pinged, 0);
	ping_is(&pings, 1, 0, 0, 0);
}

/* No nonce before the first round, a goodbye message, no port that stays: the order waits. */
static void test_no_ping_leaves_while_no_answer_would_count(void **state)
{
	static const __be16 other_port[PORTS] = { PORT_B };
	struct conga_hello_pings pings = {};
	struct scene scene;

	(void)state;
	scene_setup(&scene, 1);
	conga_hello_setup(&scene.hello, 3, one_port);
	assert_true(order(&scene, &pings, 0));
	tick(&scene, &pings, START);
	assert_int_equal(scene.step.pinged, 0);
	tick(&scene, &pings, START);
	assert_int_equal(scene.step.pinged, 1);
	answer(&scene, &pings, ping_nonce(&scene, 0), START + RTT);

	scene_answered(&scene, 1);
	scene_run(&scene);
	assert_true(conga_hello_bye(&scene.hello, ping_nonce(&scene, 0)));
	assert_true(order(&scene, &pings, 0));
	tick(&scene, &pings, START);
	assert_int_equal(scene.step.pinged, 0);
	tick(&scene, &pings, START);
	tick(&scene, &pings, START);
	assert_int_equal(scene.step.pinged, 0);
	tick(&scene, &pings, START);
	assert_int_equal(scene.step.pinged, 1);

	scene_answered(&scene, 1);
	conga_hello_hold(&scene.hello, other_port);
	assert_true(order(&scene, &pings, 0));
	tick(&scene, &pings, START);
	assert_int_equal(scene.step.pinged, 0);
	assert_int_equal(scene.step.ask[0], 0);
	conga_hello_bind(&scene.hello, other_port, scene.view.random + WAYS);
	tick(&scene, &pings, START);
	assert_int_equal(scene.step.pinged, 1);
}

static void test_a_leaf_that_starts_again_waits_for_no_ping(void **state)
{
	struct conga_hello_pings pings = {};
	struct scene scene;

	(void)state;
	scene_answered(&scene, 3);
	assert_true(order(&scene, &pings, 0));
	tick(&scene, &pings, START);
	assert_true(order(&scene, &pings, 1));
	conga_hello_setup(&scene.hello, 0, one_port);
	assert_false(waits(&scene, &pings, 0));
	assert_false(waits(&scene, &pings, 1));
}

static void test_a_new_uplink_was_never_pinged(void **state)
{
	struct conga_hello_pings pings = {};
	struct scene scene;

	(void)state;
	scene_answered(&scene, 3);
	assert_true(order(&scene, &pings, 0) && order(&scene, &pings, 1));
	tick(&scene, &pings, START);
	scene_rounds(&scene, 1);
	assert_true(order(&scene, &pings, 0));
	conga_hello_ping_forget(&scene.hello, &pings, 0);
	ping_is(&pings, 0, 0, 0, 0);
	ping_is(&pings, 1, 1, 0, 0);
	assert_false(waits(&scene, &pings, 0));
	tick(&scene, &pings, START);
	assert_int_equal(scene.step.pinged, 0);
}

/* A missed ping is a missed hello. */
static void test_missed_pings_make_a_path_silent(void **state)
{
	struct conga_hello_pings pings = {};
	struct scene scene;
	int i;

	(void)state;
	scene_answered(&scene, 3);
	scene_run(&scene);
	scene.dead = 2;
	assert_true(order(&scene, &pings, 1));
	tick(&scene, &pings, START);
	for (i = 1; i < MISSES; i++) {
		scene_run(&scene);
		assert_true(scene.step.ask[0] & 2);
	}
	scene_run(&scene);
	scene_is(&scene, true, CONGA_LEAF_ANSWERS, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_next_tick_pings_once),
		cmocka_unit_test(test_a_path_that_is_out_is_pinged),
		cmocka_unit_test(test_a_leaf_that_never_answered_is_pinged),
		cmocka_unit_test(test_a_path_is_pinged_once_in_a_round),
		cmocka_unit_test(test_a_ping_that_could_not_be_sent_may_be_repeated),
		cmocka_unit_test(test_an_answer_counts_for_its_path),
		cmocka_unit_test(test_another_hello_is_no_ping),
		cmocka_unit_test(test_only_the_first_answer_counts),
		cmocka_unit_test(test_a_lost_ping_has_no_time),
		cmocka_unit_test(test_a_late_answer_is_not_that_of_the_next_ping),
		cmocka_unit_test(test_a_path_without_route_is_not_pinged),
		cmocka_unit_test(test_no_ping_leaves_while_no_answer_would_count),
		cmocka_unit_test(test_a_leaf_that_starts_again_waits_for_no_ping),
		cmocka_unit_test(test_a_new_uplink_was_never_pinged),
		cmocka_unit_test(test_missed_pings_make_a_path_silent),
	};

	return cmocka_run_group_tests_name("hello_ping", tests, NULL, NULL);
}
