// SPDX-License-Identifier: GPL-2.0
/* DRILL: which queues are looked at, and which uplink a packet takes. */
#include <linux/bitops.h>

#include "policy_scene.h"

static u8 drill_pick(struct unit_random *random, struct conga_view *view,
		     u32 choices)
{
	view->random = unit_random_u64(random);
	view->param = &choices;
	return conga_policy_drill.pick(view);
}

/* With n uplinks of n different backlogs, of d drawn and without memory, the one at
 * place k from the shortest wins if it is drawn, and none of the k shorter ones:
 * C(n-1-k, d-1) / C(n, d).
 */
static double binomial(int n, int k)
{
	double found = 1;
	int i;

	if (k > n)
		return 0;
	for (i = 0; i < k; i++)
		found = found * (n - i) / (i + 1);
	return found;
}

static void drill_draws(struct unit_random *random, int n, int d)
{
	struct conga_view view = {
		.usable = random_set(random, n), .recent = CONGA_TAG_NONE,
	};
	double count[TAGS] = { 0 }, chi = 0, expected;
	int draw, tag, place = 0, freedom = 0;
	int place_of[TAGS];

	for (tag = TAGS - 1; tag >= 0; tag--)
		if (view.usable >> tag & 1) {
			view.uplink[tag].backlog = 1000 * place;
			place_of[tag] = place++;
		}
	for (draw = 0; draw < DRAWS; draw++) {
		tag = drill_pick(random, &view, d);
		unit_check(view.usable >> tag & 1, "tag %d is not usable", tag);
		count[place_of[tag]]++;
	}
	for (place = 0; place < n; place++) {
		expected = DRAWS * binomial(n - 1 - place, d - 1) /
			   binomial(n, d);
		if (expected < 5) {
			unit_check(count[place] < 60, "place %d: %g draws",
				   place, count[place]);
			continue;
		}
		chi += (count[place] - expected) * (count[place] - expected) /
		       expected;
		freedom++;
	}
	unit_check(freedom < 2 || chi < chi_square_bound(freedom),
		   "seed %llu: %d of %d: chi-square %g", random->seed, d, n, chi);
}

static void test_drill_draws(void **state)
{
	struct unit_random random;
	int n, d;

	(void)state;
	unit_random_setup(&random, 29);
	for (n = 1; n <= TAGS; n++)
		for (d = 1; d <= (n < 4 ? n : 4); d++)
			drill_draws(&random, n, d);
}

/* How long its queue is, for a port of that part of its rate */
static u64 naive_wait(const struct conga_view *view, int tag)
{
	u64 backlog = view->uplink[tag].backlog;

	return view->uneven ? backlog * 256 / view->uplink[tag].weight : backlog;
}

/* The one of last time wins if it is strictly better, and usable. */
static void test_drill_memory(void **state)
{
	struct unit_random random;

	(void)state;
	unit_random_setup(&random, 30);
	for (; random.step < UNIT_STEPS; random.step++) {
		u32 choices = unit_random_between(&random, 1, TAGS);
		struct conga_view view;
		u8 drawn, got, recent;

		random_view(&random, &view);
		random_weights(&random, &view);
		view.param = &choices;
		recent = view.recent;
		view.recent = CONGA_TAG_NONE;
		drawn = conga_policy_drill.pick(&view);
		view.recent = recent;
		got = conga_policy_drill.pick(&view);
		if (recent < TAGS && view.usable >> recent & 1 &&
		    naive_wait(&view, recent) < naive_wait(&view, drawn))
			drawn = recent;
		unit_check_step(&random, got == drawn, "tag %d, not %d", got,
				drawn);
	}
}

/* As many choices as uplinks: always the shortest. Idle: all alike, whoever was last. */
static void test_drill_limits(void **state)
{
	struct unit_random random;
	u64 count[TAGS] = { 0 };
	int draw;

	(void)state;
	unit_random_setup(&random, 31);
	for (; random.step < 100000; random.step++) {
		struct conga_view view;
		int tag;
		u8 got;

		random_view(&random, &view);
		random_weights(&random, &view);
		got = drill_pick(&random, &view, TAGS);
		for (tag = 0; tag < TAGS; tag++)
			unit_check_step(&random, !(view.usable >> tag & 1) ||
					naive_wait(&view, tag) >= naive_wait(&view, got),
					"%d is shorter than %d", tag, got);
	}
	for (draw = 0; draw < DRAWS; draw++) {
		struct conga_view view = { .usable = 0xf0f0, .recent = 5 };

		count[drill_pick(&random, &view, 2)]++;
	}
	check_uniform(count, 0xf0f0, random.seed);
}

/* Looks at queues, which cost something. */
struct drill_scene {
	struct conga_view	view;
	u16			looked;	/* a bit per LBTag */
};

static u32 drill_look(const struct conga_view *view, u8 tag)
{
	struct drill_scene *scene = (struct drill_scene *)view;

	scene->looked |= 1u << tag;
	return view->uplink[tag].backlog;
}

/* Queues of uplinks that were not drawn are not looked at, but for the last one's; and what
 * is looked up counts as what is known does.
 */
static void test_drill_looks(void **state)
{
	struct unit_random random;

	(void)state;
	unit_random_setup(&random, 35);
	for (; random.step < UNIT_STEPS; random.step++) {
		u32 choices = unit_random_between(&random, 1, TAGS);
		struct drill_scene scene = {};
		u8 known, got;

		random_view(&random, &scene.view);
		scene.view.param = &choices;
		known = conga_policy_drill.pick(&scene.view);
		scene.view.look = drill_look;
		got = conga_policy_drill.pick(&scene.view);
		unit_check_step(&random, got == known, "tag %d, not %d", got, known);
		unit_check_step(&random, set_size(scene.looked) <= (int)choices + 1,
				"%d looks for %u choices", set_size(scene.looked),
				choices);
		unit_check_step(&random, !(scene.looked & ~scene.view.usable),
				"looked at 0x%04x of 0x%04x", scene.looked,
				scene.view.usable);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_drill_draws),
		cmocka_unit_test(test_drill_memory),
		cmocka_unit_test(test_drill_limits),
		cmocka_unit_test(test_drill_looks),
	};

	return cmocka_run_group_tests_name("drill", tests, NULL, NULL);
}
