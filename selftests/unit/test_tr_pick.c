// SPDX-License-Identifier: GPL-2.0
/* TR: which uplink a packet takes. */
#include <string.h>

#include "policy_scene.h"
#include "tr_scene.h"
#include "paper/ahead.h"
#include "paper/queue.h"
#include "paper/wire.h"

struct decision {
	struct conga_view	view;
	struct conga_tr_flow	flow;
	struct conga_tr_counts	counts;
	struct conga_ahead	ahead;
	u32			param[CONGA_POLICY_PARAMS];
};

enum { SHORT_BYTES, RTT_NS, IDLE_NS, MARGIN_NS, WAIT_NS };

#define FAR_LONGER	1000000000	/* ns: queues do not matter to a long flow */

static void decision_setup(struct decision *d)
{
	int tag;

	memset(d, 0, sizeof(*d));
	d->param[SHORT_BYTES] = LIMIT;
	d->param[RTT_NS] = RTT;
	d->param[IDLE_NS] = IDLE * SLOT_NS;
	d->param[WAIT_NS] = FAR_LONGER;
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
	const struct conga_tr_packet packet = packet_of(START, tag, 100);
	struct conga_tr_flow flow = {};

	conga_tr_send(&flow, &d->counts, &packet);
}

/* It is counted elsewhere for that. */
static void becomes_long(struct decision *d)
{
	const struct conga_tr_packet packet = packet_of(START, 0, LIMIT + 1);
	struct conga_tr_counts counts = {};

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
	assert_int_equal(conga_tr_wait(1500, 1000, 20), 12000 + 20);
	assert_int_equal(conga_tr_wait(1500, 10000, 0), 1200);
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

/* A long flow that was idle for longer than its limit is short again, and counted as such. */
static void test_tr_idle(void **state)
{
	struct decision d;
	u64 slot = START + IDLE;

	(void)state;
	decision_setup(&d);
	becomes_long(&d);
	d.view.usable = 0x1;
	d.view.now = slot * SLOT_NS;
	assert_int_equal(pick(&d), 0);
	assert_int_equal(conga_tr_short_flows(&d.counts, 0, slot), 0);
	slot += IDLE + 1;
	d.view.now = slot * SLOT_NS;
	assert_int_equal(pick(&d), 0);
	assert_int_equal(conga_tr_short_flows(&d.counts, 0, slot), 1);
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

/* Another uplink must be later by the margin, the flow's own need not. */
static void test_tr_margin(void **state)
{
	struct decision d;

	(void)state;
	decision_setup(&d);
	d.param[MARGIN_NS] = 5000;
	d.view.usable = 0x3;
	d.view.previous = 0;
	d.view.uplink[0].backlog = 3000;
	d.view.uplink[1].backlog = 1500;
	d.flow.tnl = d.view.now + 7001;
	assert_int_equal(pick(&d), 0);
	d.flow.tnl = d.view.now + 7000;
	assert_int_equal(pick(&d), 1);
	assert_int_equal(d.flow.tnl, d.view.now + 12000);
	/* a new flow has no order to keep */
	d.flow.tnl = 0;
	d.view.previous = CONGA_TAG_NONE;
	assert_int_equal(pick(&d), 1);
}

/* A long flow prefers few short flows only where queues are nearly the shortest. */
static void test_tr_long_wait(void **state)
{
	struct decision d;

	(void)state;
	decision_setup(&d);
	d.param[WAIT_NS] = 4000;
	becomes_long(&d);
	other_sends(&d, 0);
	other_sends(&d, 0);
	other_sends(&d, 1);
	d.view.usable = 0x7;
	d.view.uplink[1].backlog = 500;		/* 4 us */
	d.view.uplink[2].backlog = 501;
	assert_int_equal(pick(&d), 1);
	d.view.uplink[1].backlog = 501;
	d.flow.tnl = 0;
	assert_int_equal(pick(&d), 0);
	/* whatever the delays are */
	d.ahead.least[0][0] = 50000;
	d.ahead.least[0][2] = 1;
	d.flow.tnl = 0;
	assert_int_equal(pick(&d), 0);
	/* a short flow goes where it is early */
	memset(&d.flow, 0, sizeof(d.flow));
	d.view.usable = 0x5;
	assert_int_equal(pick(&d), 2);
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
	/* ties by queues, here and ahead, whatever the delay is */
	other_sends(&d, 2);
	d.view.uplink[0].backlog = 100;
	d.ahead.least[0][0] = 1;
	d.ahead.least[0][3] = 50000;
	d.flow.tnl = 0;
	assert_int_equal(pick(&d), 3);
	queue_ahead(&d, 3, 13);
	d.flow.tnl = 0;
	assert_int_equal(pick(&d), 0);
	/* and in order, too */
	d.flow.tnl = d.view.now + 50000;
	assert_int_equal(pick(&d), 3);
}

static u32 counted(const struct decision *d)
{
	u32 flows = 0;
	u8 tag;

	for (tag = 0; tag < 4; tag++)
		flows += conga_policy_tr.extension.flows(&d->counts, tag, d->view.now, d->param);
	return flows;
}

/* A packet that crosses the limit is judged with its own bytes. */
static void test_tr_crossing(void **state)
{
	const struct conga_tr_packet almost = packet_of(START, 0, LIMIT - 1500);
	struct decision d;

	(void)state;
	decision_setup(&d);
	d.view.usable = 0x3;
	conga_tr_send(&d.flow, &d.counts, &almost);
	other_sends(&d, 1);
	d.view.uplink[0].backlog = 3000;
	assert_int_equal(pick(&d), 1);
	d.flow.tnl = 0;
	assert_int_equal(pick(&d), 0);
}

/* Acknowledgements are neither counted nor ever long. */
static void test_tr_acknowledgements(void **state)
{
	struct decision d;
	unsigned int i;

	(void)state;
	decision_setup(&d);
	d.view.usable = 0x3;
	d.view.bytes = CONGA_TR_EMPTY;
	other_sends(&d, 1);
	for (i = 0; i <= LIMIT / CONGA_TR_EMPTY; i++)
		pick(&d);
	assert_int_equal(counted(&d), 1);
	assert_true(is_short(&d.flow, START));
}

/* Acknowledgements take long and busy uplinks as often as others, but in order. */
static void test_tr_acknowledgements_everywhere(void **state)
{
	struct unit_random random;
	u64 count[TAGS] = {};
	struct decision d;
	int i;

	(void)state;
	unit_random_setup(&random, 36);
	for (i = 0; i < DRAWS; i++) {
		decision_setup(&d);
		d.view.usable = 0x8421;
		d.view.bytes = CONGA_TR_EMPTY;
		d.view.uplink[5].backlog = 3000;
		d.ahead.least[0][0] = 1;
		d.ahead.least[0][10] = 50000;
		other_sends(&d, 15);
		d.view.random = unit_random_u64(&random);
		count[pick(&d)]++;
	}
	check_uniform(count, 0x8421, random.seed);
	d.view.uplink[5].backlog = 3000;
	d.view.previous = 0;
	d.flow.tnl = d.view.now + 24002;
	for (i = 0; i < 100; i++) {
		u8 tag = pick(&d);

		assert_true(tag == 0 || tag == 10);
		d.flow.tnl = d.view.now + 24002;
		d.view.random = unit_random_u64(&random);
	}
}

/* Who only asks is not counted, and sends nothing. */
static void test_tr_asking(void **state)
{
	struct decision d, before;

	(void)state;
	decision_setup(&d);
	d.view.extension.asking = true;
	before = d;
	pick(&d);
	assert_memory_equal(&d, &before, sizeof(d));
	d.view.extension.asking = false;
	pick(&d);
	assert_int_equal(counted(&d), 1);
}

/* The answer is the uplink that a packet would take. */
static void test_tr_asking_tells_the_choice(void **state)
{
	struct unit_random random;
	u16 told = 0;
	int i;

	(void)state;
	unit_random_setup(&random, 31);
	for (i = 0; i < 1000; i++) {
		struct decision d;
		u8 tag;

		decision_setup(&d);
		d.view.random = unit_random_u64(&random);
		d.view.extension.asking = true;
		tag = pick(&d);
		d.view.extension.asking = false;
		assert_int_equal(pick(&d), tag);
		told |= BIT(tag);
	}
	assert_int_equal(told, 0xf);
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
	d->view.bytes = unit_random_between(random, 1, 1500);
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
	d->param[MARGIN_NS] = unit_random_below(random, 2) * unit_random_wide(random, 0, 2000);
	d->param[WAIT_NS] = unit_random_wide(random, 0, 8000);
}

static u64 naive_wait(const struct decision *d, int tag)
{
	const struct conga_view *view = &d->view;
	u64 wait = (u64)view->uplink[tag].backlog * 8000 / view->uplink[tag].rate;

	return view->extension.ahead ?
	       wait + conga_ahead_queue(view->extension.ahead, tag, view->now,
					view->extension.tage) : wait;
}

static u64 naive_tnl(const struct decision *d, int tag)
{
	const struct conga_view *view = &d->view;
	u64 tnl = view->now + naive_wait(d, tag);
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
	return tnl + (delay ? delay : least);
}

static bool naive_in_order(const struct decision *d, int tag)
{
	return tag == d->view.previous ||
	       naive_tnl(d, tag) >= d->flow.tnl + d->param[MARGIN_NS];
}

static u64 naive_least_wait(const struct decision *d)
{
	u64 least = ~0ULL;
	int tag;

	for (tag = 0; tag < TAGS; tag++)
		if (d->view.usable >> tag & 1 && naive_in_order(d, tag) &&
		    naive_wait(d, tag) < least)
			least = naive_wait(d, tag);
	return least;
}

/* The set that may be picked. */
static u16 naive_pick(const struct decision *d, bool has_data, bool is_short)
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
		if (!naive_in_order(d, tag))
			continue;
		if (!has_data)
			value = 0;
		else if (is_short)
			value = tnl - view->now;
		else if (naive_wait(d, tag) > naive_least_wait(d) + d->param[WAIT_NS])
			continue;
		else
			value = naive_wait(d, tag) +
				((u64)conga_tr_short_flows(&d->counts, tag, START) << 50);
		if (value < best)
			set = 0;
		if (value <= best) {
			set |= 1 << tag;
			best = value;
		}
	}
	if (has_data && set && view->previous < TAGS && set >> view->previous & 1)
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
		want = naive_pick(&d, d.view.bytes > CONGA_TR_EMPTY, is_short);
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
		cmocka_unit_test(test_tr_terms),
		cmocka_unit_test(test_tr_unknown_delay),
		cmocka_unit_test(test_tr_idle),
		cmocka_unit_test(test_tr_in_order),
		cmocka_unit_test(test_tr_margin),
		cmocka_unit_test(test_tr_long_wait),
		cmocka_unit_test(test_tr_long_keeps_clear),
		cmocka_unit_test(test_tr_crossing),
		cmocka_unit_test(test_tr_acknowledgements),
		cmocka_unit_test(test_tr_acknowledgements_everywhere),
		cmocka_unit_test(test_tr_asking),
		cmocka_unit_test(test_tr_asking_tells_the_choice),
		cmocka_unit_test(test_tr_ties),
		cmocka_unit_test(test_tr_pick_random),
		cmocka_unit_test(test_tr_mark),
	};

	return cmocka_run_group_tests_name("tr_pick", tests, NULL, NULL);
}
