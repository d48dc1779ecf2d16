// SPDX-License-Identifier: GPL-2.0
/* TR: which flows are short, and where they are active. */
#include <pthread.h>
#include <string.h>

#include "policy_scene.h"
#include "naive_tr.h"
#include "tr_scene.h"

#define ACTIVE		5		/* slots, after which a short flow is not active */
#define AHEAD		1024		/* slots; a place that is further ahead is stale */
#define WRAP		BIT_ULL(35)	/* slots */

struct scene {
	struct conga_tr_flow	flow[FLOWS];
	struct conga_tr_counts	counts;
};

static void sends(struct scene *scene, int flow, u64 slot, u8 tag, u32 bytes)
{
	const struct conga_tr_packet packet = packet_of(slot, tag, bytes);

	conga_tr_send(&scene->flow[flow], &scene->counts, &packet);
}

static u32 active(const struct scene *scene, u8 tag, u64 slot)
{
	return conga_tr_short_flows(&scene->counts, tag, slot);
}

/* ---- transitions ---- */

static void test_tr_slots(void **state)
{
	(void)state;
	assert_int_equal(conga_tr_slot(0, RTT), 0);
	assert_int_equal(conga_tr_slot(SLOT_NS - 1, RTT), 0);
	assert_int_equal(conga_tr_slot(SLOT_NS, RTT), 1);
	assert_int_equal(conga_tr_slot(START * 1000, 4000), START);
}

static void test_tr_starts(void **state)
{
	struct scene scene = {};

	(void)state;
	assert_int_equal(active(&scene, 3, START), 0);
	sends(&scene, 0, START, 3, 1500);
	sends(&scene, 0, START, 3, 1500);
	sends(&scene, 1, START, 3, 1500);
	assert_int_equal(active(&scene, 3, START), 2);
	assert_int_equal(active(&scene, 2, START), 0);
}

static void test_tr_moves(void **state)
{
	struct scene scene = {};

	(void)state;
	sends(&scene, 0, START, 3, 1500);
	sends(&scene, 0, START, 4, 1500);
	assert_int_equal(active(&scene, 3, START), 0);
	assert_int_equal(active(&scene, 4, START), 1);
	sends(&scene, 0, START + 2, 5, 1500);
	assert_int_equal(active(&scene, 4, START + 2), 0);
	assert_int_equal(active(&scene, 5, START + 2), 1);
}

static void test_tr_goes_on(void **state)
{
	struct scene scene = {};
	u64 slot;

	(void)state;
	for (slot = START; slot < START + 1000; slot++) {
		sends(&scene, 0, slot, 3, 10);
		assert_int_equal(active(&scene, 3, slot), 1);
	}
}

/* A flow of exactly the limit is short. The packet that crosses the limit is that of a long one. */
static void test_tr_becomes_long(void **state)
{
	struct conga_tr_packet crossing = packet_of(START, 3, 2);
	struct scene scene = {};

	(void)state;
	sends(&scene, 0, START, 3, LIMIT - 1);
	assert_true(is_short(&scene.flow[0], START));
	assert_false(conga_tr_is_short(&scene.flow[0], &crossing));
	sends(&scene, 0, START, 3, 1);
	assert_int_equal(active(&scene, 3, START), 1);
	assert_false(is_short(&scene.flow[0], START));
	sends(&scene, 0, START, 3, 1);
	assert_int_equal(active(&scene, 3, START), 0);
	sends(&scene, 0, START + 1, 4, ~0u);
	assert_int_equal(active(&scene, 4, START + 1), 0);
	assert_false(is_short(&scene.flow[0], START + 1));
	/* one packet may be enough */
	sends(&scene, 1, START, 3, LIMIT + 1);
	assert_int_equal(active(&scene, 3, START), 0);
	assert_false(is_short(&scene.flow[1], START));
}

static void test_tr_becomes_inactive(void **state)
{
	struct scene scene = {};
	u64 slot;

	(void)state;
	sends(&scene, 0, START, 3, LIMIT);
	sends(&scene, 1, START, 3, 100);
	for (slot = START; slot < START + ACTIVE; slot++)
		assert_int_equal(active(&scene, 3, slot), 2);
	for (; slot < START + 100; slot++)
		assert_int_equal(active(&scene, 3, slot), 0);
}

/* A pause of an RTT makes no new flow: what was sent before it still counts. */
static void test_tr_goes_idle(void **state)
{
	struct scene scene = {};
	u64 slot;

	(void)state;
	sends(&scene, 0, START, 3, LIMIT + 1);
	for (slot = START; slot <= START + IDLE; slot++)
		assert_false(is_short(&scene.flow[0], slot));
	sends(&scene, 0, START + ACTIVE, 3, 100);
	assert_int_equal(active(&scene, 3, START + ACTIVE), 0);
	assert_false(is_short(&scene.flow[0], START + ACTIVE + IDLE));
	/* and is a new one then */
	slot = START + ACTIVE + IDLE + 1;
	assert_true(is_short(&scene.flow[0], slot));
	sends(&scene, 0, slot, 3, 100);
	assert_int_equal(active(&scene, 3, slot), 1);
}

static void test_tr_idle_in_slots(void **state)
{
	(void)state;
	assert_int_equal(conga_tr_idle(RTT, RTT), 4);
	assert_int_equal(conga_tr_idle(10 * RTT, RTT), 40);
	assert_int_equal(conga_tr_idle(SLOT_NS - 1, RTT), 1);
	assert_int_equal(conga_tr_idle(1000000000, 4000), 1000000);
}

/* TCP's acknowledgements may have all options, in IPv6 over IPv6. */
static void test_tr_has_data(void **state)
{
	(void)state;
	assert_false(conga_tr_has_data(102));
	assert_false(conga_tr_has_data(170));
	assert_true(conga_tr_has_data(171));
}

/* The place of a slot is another's long since: what it says of a flow counts no more. */
static void test_tr_slot_is_over(void **state)
{
	struct scene scene = {};
	u64 later = START + 8;
	int i;

	(void)state;
	sends(&scene, 0, START, 3, 100);
	sends(&scene, 1, later, 3, 100);
	assert_int_equal(active(&scene, 3, later), 1);
	sends(&scene, 0, later, 4, 100);
	assert_int_equal(active(&scene, 3, later), 1);
	/* a clock that is a round behind finds no place, and that is all */
	for (i = 0; i < 2; i++) {
		sends(&scene, 2, START, 3, 100);
		assert_int_equal(active(&scene, 3, later), 1);
		assert_int_equal(active(&scene, 3, START), 0);
		assert_false(conga_tr_is_counted(&scene.flow[2], 3, START));
	}
}

/* A clock may be behind by a slot: the flow is what it was, and active. With more it is new. */
static void test_tr_slot_behind(void **state)
{
	struct scene scene = {};

	(void)state;
	sends(&scene, 0, START, 3, LIMIT + 1);
	assert_false(is_short(&scene.flow[0], START - 1));
	assert_true(is_short(&scene.flow[0], START - 2));
	sends(&scene, 1, START, 3, 100);
	assert_int_equal(active(&scene, 3, START - 1), 1);
	assert_int_equal(active(&scene, 3, START - 2), 0);
	assert_true(conga_tr_is_counted(&scene.flow[1], 3, START - 1));
	assert_false(conga_tr_is_counted(&scene.flow[1], 3, START - 2));
}

/* The place of a slot is that of a later one if the latter is at most so far ahead. */
static void test_tr_most_ahead(void **state)
{
	struct scene scene = {}, other = {};

	(void)state;
	sends(&scene, 0, START + AHEAD, 3, 100);
	sends(&scene, 1, START, 3, 100);
	assert_int_equal(active(&scene, 3, START), 0);
	assert_int_equal(active(&scene, 3, START + AHEAD), 1);
	sends(&other, 0, START + AHEAD + 8, 3, 100);
	sends(&other, 1, START, 3, 100);
	assert_int_equal(active(&other, 3, START), 1);
}

/* A short flow is counted at the uplink of its last packet alone, for an RTT. */
static void test_tr_is_counted(void **state)
{
	int tag, other;

	(void)state;
	for (tag = 0; tag < CONGA_TAGS_MAX; tag++) {
		struct scene scene = {};

		assert_false(conga_tr_is_counted(&scene.flow[0], tag, START));
		sends(&scene, 0, START, tag, 100);
		for (other = 0; other < CONGA_TAGS_MAX; other++)
			assert_int_equal(conga_tr_is_counted(&scene.flow[0], other, START),
					 other == tag);
		assert_true(conga_tr_is_counted(&scene.flow[0], tag, START + ACTIVE - 1));
		assert_false(conga_tr_is_counted(&scene.flow[0], tag, START + ACTIVE));
		sends(&scene, 0, START, tag, LIMIT);
		assert_false(conga_tr_is_counted(&scene.flow[0], tag, START));
	}
}

/* A token that no count has: as after 2^35 slots. */
static void test_tr_never_negative(void **state)
{
	struct scene scene = {};

	(void)state;
	sends(&scene, 0, START, 3, 100);
	scene.flow[1] = scene.flow[0];
	sends(&scene, 0, START, 4, 100);
	sends(&scene, 1, START, 4, 100);
	assert_int_equal(active(&scene, 3, START), 0);
	assert_int_equal(active(&scene, 4, START), 2);
}

/* A count that nobody used for half of the wrap, or ever, is not one of the future. */
static void test_tr_unused(void **state)
{
	struct scene scene = {};

	(void)state;
	sends(&scene, 0, WRAP / 2 + 1, 3, 100);
	assert_int_equal(active(&scene, 3, WRAP / 2 + 1), 1);
	sends(&scene, 1, WRAP + WRAP / 4 + 1, 3, 100);
	assert_int_equal(active(&scene, 3, WRAP + WRAP / 4 + 1), 1);
}

/* What is short, long or idle is so across the wrap, too. */
static void test_tr_wraps(void **state)
{
	struct scene scene = {};
	u64 slot;

	(void)state;
	for (slot = WRAP - 2000; slot < WRAP + 2000; slot++) {
		sends(&scene, 0, slot, 3, 10);
		assert_int_equal(active(&scene, 3, slot), 1);
	}
	memset(&scene, 0, sizeof(scene));
	sends(&scene, 1, WRAP - 2000, 4, LIMIT);
	sends(&scene, 1, WRAP - 1, 4, LIMIT);
	assert_false(is_short(&scene.flow[1], WRAP + IDLE - 1));
	assert_true(is_short(&scene.flow[1], WRAP + IDLE));
	/* another CPU's clock has wrapped already */
	sends(&scene, 2, WRAP, 5, 100);
	assert_int_equal(active(&scene, 5, WRAP - 1), 1);
}

static void check_counts(struct unit_random *random, const struct scene *scene,
			 const struct naive_tr *naive, u64 slot)
{
	int tag;

	for (tag = 0; tag < TAGS; tag++)
		unit_check_step(random, active(scene, tag, slot) ==
				naive_tr_short_flows(naive, tag, slot),
				"uplink %d: %u flows, not %u", tag,
				active(scene, tag, slot),
				naive_tr_short_flows(naive, tag, slot));
}

static void test_tr_random(void **state)
{
	struct naive_tr naive = {};
	struct scene scene = {};
	struct unit_random random;
	u64 now = START;

	(void)state;
	unit_random_setup(&random, 33);
	for (; random.step < UNIT_STEPS; random.step++) {
		int flow = unit_random_below(&random, FLOWS);
		u8 tag = unit_random_below(&random, TAGS);
		u32 bytes = unit_random_wide(&random, 0, 2 * LIMIT);
		struct conga_tr_packet packet;

		if (!unit_random_below(&random, 16))
			now += unit_random_wide(&random, 0, 3 * IDLE);
		packet = packet_of(now - !unit_random_below(&random, 8), tag, bytes);
		unit_check_step(&random,
				conga_tr_is_short(&scene.flow[flow], &packet) ==
				naive_tr_is_short(&naive.flow[flow], &packet),
				"flow %d: another length", flow);
		conga_tr_send(&scene.flow[flow], &scene.counts, &packet);
		naive_tr_send(&naive.flow[flow], &packet);
		check_counts(&random, &scene, &naive, now);
	}
	for (now += ACTIVE + 1; random.step < UNIT_STEPS + 8; random.step++)
		check_counts(&random, &scene, &naive, now++);
}

/* ---- several CPUs ---- */

#define CPUS		4
#define RACES		200000

struct race {
	struct scene	scene;
	u64		slot;	/* the time of all */
	bool		stands;	/* it does, so that what goes wrong adds up */
};

struct racer {
	struct race	*race;
	int		number;
	pthread_t	thread;
};

static void *race_run(void *data)
{
	struct racer *racer = data;
	struct race *race = racer->race;
	struct unit_random random = { .state = racer->number };
	int i;

	for (i = 0; i < RACES; i++) {
		if (!racer->number && !(i % 64) && !race->stands)
			__atomic_fetch_add(&race->slot, 1, __ATOMIC_RELAXED);
		sends(&race->scene, unit_random_below(&random, 4),
		      __atomic_load_n(&race->slot, __ATOMIC_RELAXED),
		      unit_random_below(&random, 3), race->stands ? 0 : 1500);
	}
	return NULL;
}

/* Each of four flows was sent by all: whoever is still counted is so once. */
static void check_race(bool stands)
{
	struct race race = { .slot = START, .stands = stands };
	struct racer racer[CPUS];
	u32 counted = 0, sum = 0;
	int i;

	for (i = 0; i < CPUS; i++) {
		racer[i] = (struct racer) { .race = &race, .number = i };
		pthread_create(&racer[i].thread, NULL, race_run, &racer[i]);
	}
	for (i = 0; i < CPUS; i++)
		pthread_join(racer[i].thread, NULL);
	for (i = 0; i < 4; i++) {
		u64 word = atomic64_read(&race.scene.flow[i].word);

		counted += word & 0x10 && race.slot - (word >> 29) < ACTIVE;
	}
	for (i = 0; i < TAGS; i++)
		sum += active(&race.scene, i, race.slot);
	unit_check(sum == counted, "%u flows are counted, not %u", sum, counted);
	for (i = 0; i < TAGS; i++)
		assert_int_equal(active(&race.scene, i, race.slot + ACTIVE), 0);
}

static void test_tr_races(void **state)
{
	(void)state;
	check_race(false);
	check_race(true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tr_slots),
		cmocka_unit_test(test_tr_starts),
		cmocka_unit_test(test_tr_moves),
		cmocka_unit_test(test_tr_goes_on),
		cmocka_unit_test(test_tr_becomes_long),
		cmocka_unit_test(test_tr_becomes_inactive),
		cmocka_unit_test(test_tr_goes_idle),
		cmocka_unit_test(test_tr_idle_in_slots),
		cmocka_unit_test(test_tr_has_data),
		cmocka_unit_test(test_tr_slot_is_over),
		cmocka_unit_test(test_tr_slot_behind),
		cmocka_unit_test(test_tr_most_ahead),
		cmocka_unit_test(test_tr_is_counted),
		cmocka_unit_test(test_tr_never_negative),
		cmocka_unit_test(test_tr_unused),
		cmocka_unit_test(test_tr_wraps),
		cmocka_unit_test(test_tr_random),
		cmocka_unit_test(test_tr_races),
	};

	return cmocka_run_group_tests_name("tr", tests, NULL, NULL);
}
