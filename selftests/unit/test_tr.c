// SPDX-License-Identifier: GPL-2.0
/* TR: which flows are short, where they are active, and which uplink a packet takes. */
#include <pthread.h>
#include <string.h>

#include "policy_scene.h"
#include "paper/ahead.h"
#include "naive_tr.h"
#include "paper/queue.h"
#include "paper/tr.h"
#include "paper/wire.h"

#define LIMIT		100000u
#define RTT_US		500u
#define SLOT_NS		(RTT_US * 1000ULL / 4)
#define START		1000000ULL	/* slots */
#define IDLE		5		/* slots, after which a flow is */
#define WRAP		BIT_ULL(35)	/* slots */

struct scene {
	struct conga_tr_flow	flow[FLOWS];
	struct conga_tr_counts	counts;
};

static void sends(struct scene *scene, int flow, u64 slot, u8 tag, u32 bytes)
{
	const struct conga_tr_packet packet = {
		.slot = slot, .bytes = bytes, .limit = LIMIT, .tag = tag,
	};

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
	assert_int_equal(conga_tr_slot(0, RTT_US), 0);
	assert_int_equal(conga_tr_slot(SLOT_NS - 1, RTT_US), 0);
	assert_int_equal(conga_tr_slot(SLOT_NS, RTT_US), 1);
	assert_int_equal(conga_tr_slot(START * 1000, 4), START);
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

/* It is long from the packet on that finds the limit sent. */
static void test_tr_becomes_long(void **state)
{
	struct scene scene = {};

	(void)state;
	sends(&scene, 0, START, 3, LIMIT - 1);
	assert_true(conga_tr_is_short(&scene.flow[0], START, LIMIT));
	sends(&scene, 0, START, 3, 1);
	assert_false(conga_tr_is_short(&scene.flow[0], START, LIMIT));
	assert_int_equal(active(&scene, 3, START), 1);
	sends(&scene, 0, START, 3, 1);
	assert_int_equal(active(&scene, 3, START), 0);
	sends(&scene, 0, START + 1, 4, ~0u);
	assert_int_equal(active(&scene, 4, START + 1), 0);
	assert_false(conga_tr_is_short(&scene.flow[0], START + 1, LIMIT));
}

static void test_tr_goes_idle(void **state)
{
	struct scene scene = {};
	u64 slot;

	(void)state;
	sends(&scene, 0, START, 3, LIMIT);
	sends(&scene, 1, START, 3, 100);
	for (slot = START; slot < START + IDLE; slot++) {
		assert_int_equal(active(&scene, 3, slot), 2);
		assert_false(conga_tr_is_short(&scene.flow[0], slot, LIMIT));
	}
	for (; slot < START + 100; slot++)
		assert_int_equal(active(&scene, 3, slot), 0);
	/* and is a new one then */
	assert_true(conga_tr_is_short(&scene.flow[0], START + IDLE, LIMIT));
	sends(&scene, 0, START + IDLE, 3, 100);
	assert_int_equal(active(&scene, 3, START + IDLE), 1);
}

/* The place of a slot is another's long since: what it says of a flow counts no more. */
static void test_tr_slot_is_over(void **state)
{
	struct scene scene = {};
	u64 later = START + 8;

	(void)state;
	sends(&scene, 0, START, 3, 100);
	sends(&scene, 1, later, 3, 100);
	assert_int_equal(active(&scene, 3, later), 1);
	sends(&scene, 0, later, 4, 100);
	assert_int_equal(active(&scene, 3, later), 1);
	/* a clock that is a round behind finds no place, and that is all */
	sends(&scene, 2, START, 3, 100);
	assert_int_equal(active(&scene, 3, later), 1);
	assert_int_equal(active(&scene, 3, START), 0);
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
	assert_false(conga_tr_is_short(&scene.flow[1], WRAP + IDLE - 2, LIMIT));
	assert_true(conga_tr_is_short(&scene.flow[1], WRAP + IDLE - 1, LIMIT));
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
		u64 slot;

		if (!unit_random_below(&random, 16))
			now += unit_random_wide(&random, 0, 20);
		slot = now - !unit_random_below(&random, 8);
		unit_check_step(&random,
				conga_tr_is_short(&scene.flow[flow], slot, LIMIT) ==
				naive_tr_is_short(&naive.flow[flow], slot, LIMIT),
				"flow %d: another length", flow);
		sends(&scene, flow, slot, tag, bytes);
		naive_tr_send(&naive.flow[flow], slot, tag, bytes, LIMIT);
		check_counts(&random, &scene, &naive, now);
	}
	for (now += IDLE + 1; random.step < UNIT_STEPS + 8; random.step++)
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

		counted += word & 0x10 && race.slot - (word >> 29) < IDLE;
	}
	for (i = 0; i < TAGS; i++)
		sum += active(&race.scene, i, race.slot);
	unit_check(sum == counted, "%u flows are counted, not %u", sum, counted);
	for (i = 0; i < TAGS; i++)
		assert_int_equal(active(&race.scene, i, race.slot + IDLE), 0);
}

static void test_tr_races(void **state)
{
	(void)state;
	check_race(false);
	check_race(true);
}

/* ---- the decision ---- */

struct decision {
	struct conga_view	view;
	struct conga_tr_flow	flow;
	struct conga_tr_counts	counts;
	struct conga_ahead	ahead;
	u32			param[2];
};

static void decision_setup(struct decision *d)
{
	int tag;

	memset(d, 0, sizeof(*d));
	d->param[0] = LIMIT;
	d->param[1] = RTT_US;
	d->view = (struct conga_view) {
		.now = START * SLOT_NS, .usable = 0xf, .bytes = 1500,
		.previous = CONGA_TAG_NONE, .param = d->param, .flow = &d->flow,
		.extension = { .shared = &d->counts, .ahead = &d->ahead,
			       .tage = CONGA_FABRIC_AGE_DEFAULT },
	};
	for (tag = 0; tag < TAGS; tag++)
		d->view.uplink[tag].rate = 1000;
}

static u8 pick(struct decision *d)
{
	return conga_policy_tr.pick(&d->view);
}

/* Another flow's packet */
static void other_sends(struct decision *d, u8 tag)
{
	const struct conga_tr_packet packet = {
		.slot = START, .bytes = 100, .limit = LIMIT, .tag = tag,
	};
	struct conga_tr_flow flow = {};

	conga_tr_send(&flow, &d->counts, &packet);
}

/* It is counted elsewhere for that. */
static void becomes_long(struct decision *d)
{
	const struct conga_tr_packet packet = {
		.slot = START, .bytes = LIMIT, .limit = LIMIT, .tag = 0,
	};
	struct conga_tr_counts counts = {};

	conga_tr_send(&d->flow, &counts, &packet);
	conga_tr_send(&d->flow, &counts, &packet);
}

static void queue_ahead(struct decision *d, u8 tag, u8 code)
{
	conga_ahead_learn(&d->ahead, tag, 0x08000100 | conga_wire_queue(code),
			  d->view.now);
}

/* Here, ahead, and on the way: each of the terms counts, in its own unit. */
static void test_tr_terms(void **state)
{
	struct decision d;

	(void)state;
	assert_int_equal(conga_tr_tnl(1000, 1500, 1000, 20, 3), 1000 + 12000 + 20 + 3);
	assert_int_equal(conga_tr_tnl(0, 1500, 10000, 0, 0), 1200);
	decision_setup(&d);
	d.view.uplink[0].backlog = 3000;	/* 24 us */
	queue_ahead(&d, 1, 13);			/* 24.6 us */
	d.ahead.least[0][2] = 23000;
	d.ahead.least[0][0] = 1;
	d.ahead.least[0][1] = 1;
	d.view.usable = 0x7;
	assert_int_equal(pick(&d), 2);
	d.view.usable = 0x3;
	d.flow.tnl = 0;
	assert_int_equal(pick(&d), 0);
	d.view.uplink[0].rate = 100;
	d.flow.tnl = 0;
	assert_int_equal(pick(&d), 1);
}

/* A path whose delay is not known is as good as the best. */
static void test_tr_unknown_delay(void **state)
{
	struct decision d;

	(void)state;
	decision_setup(&d);
	d.ahead.least[0][0] = 50000;
	d.ahead.least[0][1] = 20000;
	d.view.usable = 0x7;
	d.view.uplink[1].backlog = 100;
	assert_int_equal(pick(&d), 2);
	d.view.uplink[1].backlog = 0;
	d.view.uplink[2].backlog = 100;
	d.flow.tnl = 0;
	assert_int_equal(pick(&d), 1);
	/* nothing is known of any leaf that feeds nothing back */
	d.view.extension.ahead = NULL;
	d.view.usable = 0x5;
	d.flow.tnl = 0;
	assert_int_equal(pick(&d), 0);
}

/* Not earlier than the last one, but as early. */
static void test_tr_in_order(void **state)
{
	struct decision d;

	(void)state;
	decision_setup(&d);
	d.view.usable = 0x3;
	d.view.previous = 0;
	d.view.uplink[0].backlog = 3000;
	d.view.uplink[1].backlog = 1500;
	d.flow.tnl = d.view.now + 12001;
	assert_int_equal(pick(&d), 0);
	assert_int_equal(d.flow.tnl, d.view.now + 24000);
	d.flow.tnl = d.view.now + 12000;
	assert_int_equal(pick(&d), 1);
	assert_int_equal(d.flow.tnl, d.view.now + 12000);
	/* its own queue is shorter than was thought: no reason to leave it */
	d.flow.tnl = d.view.now + 12001;
	d.view.previous = 1;
	assert_int_equal(pick(&d), 1);
	/* if there is none it stays; if it cannot, by the latest */
	d.flow.tnl = d.view.now + 24001;
	d.view.previous = 1;
	assert_int_equal(pick(&d), 1);
	assert_int_equal(d.flow.tnl, d.view.now + 12000);
	d.flow.tnl = d.view.now + 24001;
	d.view.previous = 2;
	assert_int_equal(pick(&d), 0);
}

static void test_tr_long_keeps_clear(void **state)
{
	struct decision d;

	(void)state;
	decision_setup(&d);
	other_sends(&d, 0);
	assert_int_not_equal(pick(&d), CONGA_TAG_NONE);
	decision_setup(&d);
	becomes_long(&d);
	other_sends(&d, 0);
	other_sends(&d, 1);
	other_sends(&d, 1);
	other_sends(&d, 3);
	d.view.uplink[2].backlog = 1000000;
	assert_int_equal(pick(&d), 2);
	/* ties by TNL */
	other_sends(&d, 2);
	d.view.uplink[0].backlog = 100;
	d.flow.tnl = 0;
	assert_int_equal(pick(&d), 3);
	/* and in order, too */
	d.flow.tnl = d.view.now + 1;
	assert_int_equal(pick(&d), 0);
}

/* Who only asks is not counted, and sends nothing. */
static void test_tr_asking(void **state)
{
	struct decision d, before;
	u32 flows = 0;
	u8 tag;

	(void)state;
	decision_setup(&d);
	d.view.extension.asking = true;
	before = d;
	pick(&d);
	assert_memory_equal(&d, &before, sizeof(d));
	d.view.extension.asking = false;
	pick(&d);
	for (tag = 0; tag < 4; tag++)
		flows += conga_policy_tr.extension.flows(&d.counts, tag, d.view.now, d.param);
	assert_int_equal(flows, 1);
}

static void test_tr_ties(void **state)
{
	struct unit_random random;
	u64 count[TAGS] = {};
	struct decision d;
	int i;

	(void)state;
	unit_random_setup(&random, 34);
	for (i = 0; i < DRAWS; i++) {
		decision_setup(&d);
		d.view.usable = 0x8421;
		d.view.random = unit_random_u64(&random);
		count[pick(&d)]++;
	}
	check_uniform(count, 0x8421, random.seed);
	decision_setup(&d);
	d.view.previous = 2;
	for (i = 0; i < 100; i++)
		assert_int_equal(pick(&d), 2);
}

/* ---- at random ---- */

static void random_decision(struct unit_random *random, struct decision *d,
			    bool is_short)
{
	int tag, i;

	decision_setup(d);
	random_view(random, &d->view);
	d->view.now = START * SLOT_NS;
	d->view.param = d->param;
	d->view.flow = &d->flow;
	d->view.extension.shared = &d->counts;
	d->view.extension.ahead = unit_random_below(random, 8) ? &d->ahead : NULL;
	d->view.extension.tage = CONGA_FABRIC_AGE_DEFAULT;
	for (tag = 0; tag < TAGS; tag++) {
		if (unit_random_below(random, 2))
			queue_ahead(d, tag, unit_random_below(random, 6));
		if (unit_random_below(random, 2))
			d->ahead.least[0][tag] = unit_random_between(random, 1, 1000);
		for (i = unit_random_below(random, 3); i; i--)
			other_sends(d, tag);
	}
	if (!is_short)
		becomes_long(d);
	d->flow.tnl = d->view.now + unit_random_wide(random, 0, 4000);
}

static u64 naive_tnl(const struct decision *d, int tag)
{
	const struct conga_view *view = &d->view;
	u64 tnl = view->now + (u64)view->uplink[tag].backlog * 8000 / view->uplink[tag].rate;
	u32 delay, least = 0;
	int other;

	if (!view->extension.ahead)
		return tnl;
	for (other = 0; other < TAGS; other++) {
		delay = view->extension.ahead->least[0][other];
		if (view->usable >> other & 1 && delay && (!least || delay < least))
			least = delay;
	}
	delay = view->extension.ahead->least[0][tag];
	return tnl + (delay ? delay : least) +
	       conga_ahead_queue(view->extension.ahead, tag, view->now, view->extension.tage);
}

/* The set that may be picked. */
static u16 naive_pick(const struct decision *d, bool is_short)
{
	const struct conga_view *view = &d->view;
	u64 best = ~0ULL, latest = 0;
	u16 set = 0, last = 0;
	int tag;

	for (tag = 0; tag < TAGS; tag++) {
		u64 tnl = naive_tnl(d, tag), value;

		if (!(view->usable >> tag & 1))
			continue;
		if (!last || tnl > latest) {
			latest = tnl;
			last = 1 << tag;
		}
		if (tnl < d->flow.tnl && tag != view->previous)
			continue;
		value = tnl - view->now;
		if (!is_short)
			value += (u64)conga_tr_short_flows(&d->counts, tag, START) << 50;
		if (value < best)
			set = 0;
		if (value <= best) {
			set |= 1 << tag;
			best = value;
		}
	}
	if (set && view->previous < TAGS && set >> view->previous & 1)
		return 1 << view->previous;
	return set ? set : last;
}

static void test_tr_pick_random(void **state)
{
	struct unit_random random;

	(void)state;
	unit_random_setup(&random, 35);
	for (; random.step < 200000; random.step++) {
		bool is_short = random.step % 2;
		struct decision d;
		u16 want;
		u8 got;

		random_decision(&random, &d, is_short);
		want = naive_pick(&d, is_short);
		got = pick(&d);
		unit_check_step(&random, want >> got & 1, "uplink %u, not of %#x", got,
				want);
	}
}

/* What a spine writes is what a leaf reads. */
static void test_tr_mark(void **state)
{
	const struct conga_policy_extension *tr = &conga_policy_tr.extension;
	struct conga_ahead ahead = {};

	(void)state;
	assert_true(tr->absorb(&ahead, 1, 0x08000100 | tr->mark(3072, 1000), START));
	assert_int_equal(conga_ahead_queue(&ahead, 1, START, CONGA_FABRIC_AGE_DEFAULT), 24576);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tr_slots),
		cmocka_unit_test(test_tr_starts),
		cmocka_unit_test(test_tr_moves),
		cmocka_unit_test(test_tr_goes_on),
		cmocka_unit_test(test_tr_becomes_long),
		cmocka_unit_test(test_tr_goes_idle),
		cmocka_unit_test(test_tr_slot_is_over),
		cmocka_unit_test(test_tr_never_negative),
		cmocka_unit_test(test_tr_unused),
		cmocka_unit_test(test_tr_wraps),
		cmocka_unit_test(test_tr_random),
		cmocka_unit_test(test_tr_races),
		cmocka_unit_test(test_tr_terms),
		cmocka_unit_test(test_tr_unknown_delay),
		cmocka_unit_test(test_tr_in_order),
		cmocka_unit_test(test_tr_long_keeps_clear),
		cmocka_unit_test(test_tr_asking),
		cmocka_unit_test(test_tr_ties),
		cmocka_unit_test(test_tr_pick_random),
		cmocka_unit_test(test_tr_mark),
	};

	return cmocka_run_group_tests_name("tr", tests, NULL, NULL);
}
