// SPDX-License-Identifier: GPL-2.0
/* The whole loop of section 3 out of its parts: leaf A sends to leaf B over
 * several paths, links on the way raise CE, B's packets carry it back, A chooses.
 * Time is simulated; what is asserted are the paper's promises about it.
 */
#include <string.h>

#include "unit.h"
#include "paper/dre.h"
#include "paper/feedback.h"
#include "paper/flowlet.h"
#include "policies/policy.h"
#include "paper/toleaf.h"
#include "paper/wire.h"

#define MS		1000000ULL
#define TAGE		CONGA_FABRIC_AGE_DEFAULT
#define TFL		CONGA_FABRIC_FLOWLET_TIMEOUT_USUAL
#define START		(1000 * MS)
#define Q		CONGA_FABRIC_Q_DEFAULT
#define TOP		7	/* the largest metric at that Q */
#define TAGS		CONGA_TAGS_MAX

#define RATE		10000000000ULL	/* bit/s, of every link */
#define PACKET		1500u
#define FLOWS		16
#define BURST		50000ULL	/* ns, of one flow at a time */
#define PATHS		2

#define HEADER		CONGA_VXLAN_FLAG_VNI

struct leaf {
	struct conga_toleaf	to;
	struct conga_fromleaf	from;
};

/* @from sends a packet by its uplink @tag, whose way has links of @metric. */
static void leaf_send(struct leaf *from, struct leaf *to, u8 tag,
		      const u8 *metric, int links, u8 q, u64 now)
{
	struct conga_stamp stamp = { .tag = tag };
	u32 word;

	conga_feedback_pick(&from->from, &stamp, now, TAGE);
	word = conga_wire_stamp(HEADER, &stamp, q);
	while (links--)
		word = conga_wire_raise(word, *metric++, q);
	assert_true(conga_wire_stamped(word, 0));
	conga_wire_read(&stamp, word, q);
	conga_fromleaf_learn(&to->from, stamp.tag, stamp.ce, now);
	if (stamp.feedback)
		conga_toleaf_learn(&to->to, stamp.fb_tag, stamp.fb_metric, now);
}

/* How many of A's uplinks it knows as congested as they are. */
static int leaf_knows(const struct leaf *a, const u8 *ce, int tags, u8 q,
		      u64 now)
{
	int tag, known = 0;

	for (tag = 0; tag < tags; tag++)
		known += conga_toleaf_metric(&a->to, tag, now, TAGE, q) ==
			 ce[tag];
	return known;
}

/* k metrics come back in k packets: not earlier, since each carries one, and not
 * later, wherever the round robin stands: 12 for 12 uplinks, 16 for 16.
 */
static void loop_all_metrics(struct unit_random *random, int tags, u8 q)
{
	struct leaf a = { 0 }, b = { 0 };
	u8 ce[TAGS], none = 0;
	u64 now = START;
	int i;

	b.from.next = unit_random_below(random, TAGS);
	for (i = 0; i < tags; i++) {
		ce[i] = unit_random_between(random, 1, (1 << q) - 1);
		leaf_send(&a, &b, i, &ce[i], 1, q, now);
	}
	for (i = 0; i < tags; i++) {
		now += unit_random_below(random, TAGE / TAGS / 8);
		unit_check_step(random, leaf_knows(&a, ce, tags, q, now) == i,
				"%d packets told %d metrics", i,
				leaf_knows(&a, ce, tags, q, now));
		leaf_send(&b, &a, i % 3, &none, 1, q, now);
	}
	unit_check_step(random, leaf_knows(&a, ce, tags, q, now) == tags,
			"%d packets told %d metrics", tags,
			leaf_knows(&a, ce, tags, q, now));
}

static void test_loop_all_metrics(void **state)
{
	struct unit_random random;

	(void)state;
	unit_random_setup(&random, 28);
	for (; random.step < 20000; random.step++)
		loop_all_metrics(&random, 1 + random.step % TAGS,
				 unit_random_between(&random, CONGA_FABRIC_Q_MIN,
						     CONGA_FABRIC_Q_MAX));
}

/* One path stays saturated, the others change with every packet: while packets
 * go both ways, a packet each for the other tags in Tage / 4, A never takes the
 * saturated one for less.
 */
static void test_loop_saturated_stays_known(void **state)
{
	const u64 gap = TAGE / 4 / TAGS;
	struct leaf a = { 0 }, b = { 0 };
	struct unit_random random;
	u64 now = START;

	(void)state;
	unit_random_setup(&random, 29);
	for (; random.step < 100000; random.step++) {
		u8 tag = random.step % TAGS, none = 0;
		u8 ce = tag == 5 ? TOP : unit_random_below(&random, TOP);

		leaf_send(&a, &b, tag, &ce, 1, Q, now);
		leaf_send(&b, &a, 0, &none, 1, Q, now);
		unit_check_step(&random, random.step < 2 * TAGS ||
				conga_toleaf_metric(&a.to, 5, now, TAGE, Q) ==
				TOP, "the saturated path is taken for %d",
				conga_toleaf_metric(&a.to, 5, now, TAGE, Q));
		now += unit_random_between(&random, 0, gap);
	}
}

/* Nothing returns any more: one step less per Tage, for every uplink. */
static void test_loop_silence(void **state)
{
	struct leaf a = { 0 }, b = { 0 };
	u8 tag, none = 0;
	u64 age;

	(void)state;
	for (tag = 0; tag < TAGS; tag++) {
		u8 ce = tag % (TOP + 1);

		leaf_send(&a, &b, tag, &ce, 1, Q, START);
	}
	for (tag = 0; tag < TAGS; tag++)
		leaf_send(&b, &a, 0, &none, 1, Q, START);
	for (age = MS / 2; age < 12 * TAGE; age += MS)
		for (tag = 0; tag < TAGS; tag++) {
			int lost = age / TAGE, ce = tag % (TOP + 1);

			assert_int_equal(conga_toleaf_metric(&a.to, tag,
							     START + age, TAGE,
							     Q),
					 ce > lost ? ce - lost : 0);
		}
}

/* Two paths of two links each: A's uplink, and the spine's port towards B, where
 * somebody else's traffic may be added. B's own packets meet no load.
 */
struct fabric {
	struct conga_dre_params	dre;
	struct conga_dre_cell	up[PATHS], down[PATHS];
	struct leaf		a, b;
	conga_flowlet_t		flow[FLOWS];
	struct unit_random	*random;
	u64			now, gap;	/* ns */
	int			others;		/* percent, at down[0] */
	bool			new_flows;
	u64			used[PATHS];	/* ns, the last time */
};

static void fabric_setup(struct fabric *fabric, struct unit_random *random,
			 int percent)
{
	*fabric = (struct fabric) { .random = random, .now = START };
	conga_dre_setup(&fabric->dre, RATE, CONGA_TDRE_PAPER,
			CONGA_FABRIC_ALPHA_DEFAULT, Q);
	fabric->gap = PACKET * 8 * 1000000000ULL / RATE * 100 / percent;
	/* idle paths are alike, and then only a new flow draws */
	fabric->new_flows = percent < 25;
}

static u8 fabric_metric(struct fabric *fabric, struct conga_dre_cell *cell,
			u32 bytes)
{
	u64 period = conga_dre_period(&fabric->dre, fabric->now);

	conga_dre_add(&fabric->dre, cell, period, bytes);
	return conga_dre_metric(&fabric->dre,
				conga_dre_at(&fabric->dre, cell, period) +
				conga_dre_own(cell, period));
}

static u8 fabric_pick(struct fabric *fabric, u8 previous)
{
	struct conga_view view = {
		.now = fabric->now,
		.random = unit_random_u64(fabric->random),
		.usable = (1 << PATHS) - 1,
		.previous = previous,
	};
	u8 tag;

	for (tag = 0; tag < PATHS; tag++) {
		view.uplink[tag].local = fabric_metric(fabric, &fabric->up[tag],
						       0);
		view.uplink[tag].remote = conga_toleaf_metric(&fabric->a.to, tag,
							      fabric->now, TAGE,
							      Q);
		if (view.uplink[tag].local || view.uplink[tag].remote)
			view.loaded |= 1u << tag;
	}
	return conga_policy_conga.pick(&view);
}

/* As the sending leaf does it: a live flowlet stays, another is chosen for. */
static u8 fabric_choose(struct fabric *fabric, conga_flowlet_t *flow)
{
	u8 tag = conga_flowlet_tag(*flow), previous = CONGA_TAG_NONE;
	enum conga_flowlet_state state;

	state = conga_flowlet_state(*flow, 0, fabric->now, TFL);
	if (state == CONGA_FLOWLET_EXPIRED && !fabric->new_flows)
		previous = tag;
	if (state != CONGA_FLOWLET_LIVE)
		tag = fabric_pick(fabric, previous);
	*flow = conga_flowlet_make(tag, 0, fabric->now);
	return tag;
}

/* A packet of A's, and B's answer. The flows take turns, a burst each. */
static u8 fabric_step(struct fabric *fabric)
{
	int flow = fabric->now / BURST % FLOWS;
	u8 metric[2], none = 0, tag;

	fabric_metric(fabric, &fabric->down[0], fabric->gap * fabric->others /
		      100 * (RATE / 1000000000ULL) / 8);
	tag = fabric_choose(fabric, &fabric->flow[flow]);
	metric[0] = fabric_metric(fabric, &fabric->up[tag], PACKET);
	metric[1] = fabric_metric(fabric, &fabric->down[tag], PACKET);
	leaf_send(&fabric->a, &fabric->b, tag, metric, 2, Q, fabric->now);
	leaf_send(&fabric->b, &fabric->a, unit_random_below(fabric->random, 2),
		  &none, 1, Q, fabric->now);
	fabric->used[tag] = fabric->now;
	fabric->now += fabric->gap;
	return tag;
}

static void fabric_run(struct fabric *fabric, u64 duration)
{
	u64 end = fabric->now + duration;

	while (fabric->now < end)
		fabric_step(fabric);
}

/* Path 0 is congested once, until all flows have left it. That is over, but A
 * cannot know, and nobody tells: B, which still has the old CE, must stop to
 * report it, and A must forget it, so that it tries again.
 */
static u64 loop_unused_for(struct unit_random *random, int percent)
{
	struct fabric fabric;
	u64 left;

	fabric_setup(&fabric, random, percent);
	fabric_run(&fabric, 20 * MS);
	fabric.others = 200;
	fabric_run(&fabric, TAGE / 2);
	fabric.others = 0;
	left = fabric.used[0];
	unit_check_step(random, left + TAGE / 4 < fabric.now,
			"load %d %%: path 0 is used though congested", percent);
	while (fabric.used[0] == left && fabric.now < left + 20 * TAGE)
		fabric_step(&fabric);
	return fabric.now - left;
}

static void test_loop_probed_again(void **state)
{
	struct unit_random random;

	(void)state;
	unit_random_setup(&random, 30);
	for (; random.step < 40; random.step++) {
		int percent = unit_random_between(&random, 2, 80);
		u64 unused = loop_unused_for(&random, percent);

		unit_check_step(&random, unused <= 10 * TAGE,
				"load %d %%: path 0 not probed after %llu us",
				percent, unused / 1000);
		/* nor as if it had never been congested */
		unit_check_step(&random, unused > TAGE,
				"load %d %%: path 0 probed after %llu us",
				percent, unused / 1000);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_loop_all_metrics),
		cmocka_unit_test(test_loop_saturated_stays_known),
		cmocka_unit_test(test_loop_silence),
		cmocka_unit_test(test_loop_probed_again),
	};

	return cmocka_run_group_tests_name("loop", tests, NULL, NULL);
}
