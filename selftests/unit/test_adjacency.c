// SPDX-License-Identifier: GPL-2.0
/* What a port knows of the node at the other end of its link, beside a list of all that came. */
#include "unit.h"
#include "paper/adjacency.h"
#include "paper/hello_terms.h"

#define BEGIN	1000000000ULL
#define LOST	CONGA_ADJACENCY_LOST_NS
#define STEPS	100000
#define NODES	3

static const struct conga_adjacency_news good = { .id = 1, .reason = CONGA_LEAF_ANSWERS };
static const struct conga_adjacency_news bad = {
	.id = 2, .reason = CONGA_LEAF_Q, .theirs = { .q = 4 },
};

static void state_is(const struct conga_adjacency *adjacency, u64 now, u8 state)
{
	assert_int_equal(conga_adjacency_state(adjacency, now), state);
}

static void test_nothing_is_known_before_announcements(void **state)
{
	struct conga_adjacency adjacency = { 0 };

	(void)state;
	state_is(&adjacency, BEGIN, 0);
	conga_adjacency_hear(&adjacency, &good, BEGIN);
	state_is(&adjacency, BEGIN, 0);
}

static void test_silence_is_none_after_a_while(void **state)
{
	struct conga_adjacency adjacency = { 0 };

	(void)state;
	conga_adjacency_sent(&adjacency, BEGIN);
	state_is(&adjacency, BEGIN, CONGA_NEIGHBOUR_WAITING);
	conga_adjacency_sent(&adjacency, BEGIN + LOST);
	state_is(&adjacency, BEGIN + LOST, CONGA_NEIGHBOUR_WAITING);
	state_is(&adjacency, BEGIN + LOST + 1, CONGA_NEIGHBOUR_NONE);
}

static void test_a_node_that_falls_silent_is_none(void **state)
{
	struct conga_adjacency adjacency = { 0 };

	(void)state;
	conga_adjacency_sent(&adjacency, BEGIN);
	conga_adjacency_hear(&adjacency, &good, BEGIN + 5);
	state_is(&adjacency, BEGIN + 5 + LOST, CONGA_NEIGHBOUR_CONGA);
	state_is(&adjacency, BEGIN + 5 + LOST + 1, CONGA_NEIGHBOUR_NONE);
	conga_adjacency_hear(&adjacency, &good, BEGIN + 10 + LOST);
	state_is(&adjacency, BEGIN + 10 + LOST, CONGA_NEIGHBOUR_CONGA);
}

static void test_all_is_forgotten_at_a_reset(void **state)
{
	struct conga_adjacency adjacency = { 0 };

	(void)state;
	conga_adjacency_sent(&adjacency, BEGIN);
	conga_adjacency_hear(&adjacency, &bad, BEGIN);
	conga_adjacency_reset(&adjacency);
	state_is(&adjacency, BEGIN, 0);
	conga_adjacency_sent(&adjacency, BEGIN + 1);
	state_is(&adjacency, BEGIN + 1, CONGA_NEIGHBOUR_WAITING);
}

static void test_a_node_that_agrees_again_is_believed(void **state)
{
	struct conga_adjacency_news news = bad;
	struct conga_adjacency adjacency = { 0 };

	(void)state;
	conga_adjacency_sent(&adjacency, BEGIN);
	conga_adjacency_hear(&adjacency, &news, BEGIN);
	state_is(&adjacency, BEGIN, CONGA_NEIGHBOUR_MISMATCH);
	assert_int_equal(conga_hello_terms_value(&adjacency.news.theirs, adjacency.news.reason), 4);
	news.reason = CONGA_LEAF_ANSWERS;
	conga_adjacency_hear(&adjacency, &news, BEGIN + 1);
	state_is(&adjacency, BEGIN + 1, CONGA_NEIGHBOUR_CONGA);
}

/* The other node's value is reported of the setting that differs, and of nothing else. */
static void test_the_value_that_differs_is_named(void **state)
{
	const struct conga_hello_terms sum = { .q = 5, .byte3 = 2, .sum = true };
	const struct conga_hello_terms max = { .q = 5, .byte3 = 2 };

	(void)state;
	assert_int_equal(conga_hello_terms_value(&sum, CONGA_LEAF_Q), 5);
	assert_int_equal(conga_hello_terms_value(&sum, CONGA_LEAF_BYTE3), 2);
	assert_int_equal(conga_hello_terms_value(&sum, CONGA_LEAF_METRIC), CONGA_METRIC_SUM);
	assert_int_equal(conga_hello_terms_value(&max, CONGA_LEAF_METRIC), CONGA_METRIC_MAX);
	assert_int_equal(conga_hello_terms_value(&sum, CONGA_LEAF_ANSWERS), 0);
	assert_int_equal(conga_hello_terms_value(&sum, CONGA_LEAF_SILENT), 0);
}

static void test_a_node_that_differs_hides_others(void **state)
{
	struct conga_adjacency adjacency = { 0 };

	(void)state;
	conga_adjacency_sent(&adjacency, BEGIN);
	conga_adjacency_hear(&adjacency, &bad, BEGIN);
	conga_adjacency_hear(&adjacency, &good, BEGIN + LOST);
	state_is(&adjacency, BEGIN + LOST, CONGA_NEIGHBOUR_MISMATCH);
	assert_int_equal(adjacency.news.id, bad.id);
	conga_adjacency_hear(&adjacency, &good, BEGIN + LOST + 1);
	state_is(&adjacency, BEGIN + LOST + 1, CONGA_NEIGHBOUR_CONGA);
	assert_int_equal(adjacency.news.id, good.id);
}

/* ---- any order of events ---- */

/* Three nodes come and leave together, and announce themselves together. At most one differs. */
struct group {
	u64 since;		/* our first announcement, 0: none */
	u64 heard;		/* their latest, 0: none */
	bool one_differs;
};

static u8 naive_state(const struct group *group, u64 now)
{
	if (!group->since)
		return 0;
	if (group->heard && now - group->heard <= LOST)
		return group->one_differs ? CONGA_NEIGHBOUR_MISMATCH : CONGA_NEIGHBOUR_CONGA;
	return now - group->since <= LOST ? CONGA_NEIGHBOUR_WAITING : CONGA_NEIGHBOUR_NONE;
}

static void all_announce(struct conga_adjacency *adjacency, struct group *group, u64 now)
{
	struct conga_adjacency_news news;
	int node;

	group->heard = now;
	for (node = 0; node < NODES; node++) {
		news = group->one_differs && node == 1 ? bad : good;
		news.id = node;
		conga_adjacency_hear(adjacency, &news, now);
	}
}

static void test_any_order_of_events(void **state)
{
	struct conga_adjacency adjacency = { 0 };
	struct group group = { 0 };
	struct unit_random random;
	int i, seen[CONGA_NEIGHBOUR_MISMATCH + 1] = { 0 };
	u64 now = BEGIN;

	(void)state;
	unit_random_setup(&random, 1);
	for (i = 0; i < STEPS; i++) {
		now += unit_random_below(&random, LOST / 8);
		switch (unit_random_below(&random, 100)) {
		case 0:
			conga_adjacency_reset(&adjacency);
			group.since = 0;
			group.heard = 0;
			break;
		case 1: case 2: case 3:
			now += LOST + 1;
			group.one_differs = unit_random_below(&random, 2);
			break;
		case 4: case 5: case 6: case 7: case 8: case 9:
			conga_adjacency_sent(&adjacency, now);
			group.since = group.since ? group.since : now;
			break;
		default:
			all_announce(&adjacency, &group, now);
		}
		state_is(&adjacency, now, naive_state(&group, now));
		seen[naive_state(&group, now)]++;
	}
	for (i = 0; i <= CONGA_NEIGHBOUR_MISMATCH; i++)
		assert_true(seen[i] > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_is_known_before_announcements),
		cmocka_unit_test(test_silence_is_none_after_a_while),
		cmocka_unit_test(test_a_node_that_falls_silent_is_none),
		cmocka_unit_test(test_all_is_forgotten_at_a_reset),
		cmocka_unit_test(test_a_node_that_agrees_again_is_believed),
		cmocka_unit_test(test_the_value_that_differs_is_named),
		cmocka_unit_test(test_a_node_that_differs_hides_others),
		cmocka_unit_test(test_any_order_of_events),
	};

	return cmocka_run_group_tests_name("adjacency", tests, NULL, NULL);
}
