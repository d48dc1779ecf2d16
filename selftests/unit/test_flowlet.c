// SPDX-License-Identifier: GPL-2.0
/* Flowlets, section 3.4: a packet starts one if it comes more than Tfl after
 * the last packet of its entry. The model keeps the time whole, in ns; ours may
 * differ from it by the two ends' grain, CONGA_GRAIN_NS.
 */
#include <uapi/linux/conga.h>
#include "unit.h"
#include "paper/flowlet.h"
#include "paper/sample.h"

#define GRAIN		CONGA_GRAIN_NS
#define TFL		CONGA_FABRIC_FLOWLET_TIMEOUT_USUAL
#define TFL_MAX		CONGA_FABRIC_FLOWLET_TIMEOUT_MAX
#define SECOND		1000000000ULL
#define HOUR		(3600 * SECOND)
#define WRAP		BIT_ULL(45)	/* ns: 35 bits of grains */
#define START		(1234567 * GRAIN)
#define LEAF		0x1234
#define PHASES		1000

static enum conga_flowlet_state flowlet_after(u64 start, u64 gap, u64 tfl)
{
	return conga_flowlet_state(conga_flowlet_make(3, LEAF, start), LEAF,
				   start + gap, tfl);
}

static void test_flowlet_empty(void **state)
{
	(void)state;
	assert_int_equal(conga_flowlet_state(0, 0, 0, TFL),
			 CONGA_FLOWLET_EMPTY);
	assert_int_equal(conga_flowlet_state(0, LEAF, START, 0),
			 CONGA_FLOWLET_EMPTY);
	/* an entry of tag 0, leaf 0, time 0 is not empty */
	assert_int_equal(conga_flowlet_state(conga_flowlet_make(0, 0, 0), 0, 0,
					     TFL),
			 CONGA_FLOWLET_LIVE);
}

static void check_fields(conga_flowlet_t entry, u8 tag, u8 draw, u16 leaf, u64 time)
{
	assert_int_equal(conga_flowlet_tag(entry), tag);
	assert_int_equal(conga_flowlet_draw(entry), draw);
	assert_int_equal(conga_flowlet_leaf(entry), leaf);
	assert_int_equal(conga_flowlet_idle(entry, time), 0);
}

/* None runs into another, nor is any lost when the flowlet goes on. */
static void test_flowlet_fields(void **state)
{
	static const u16 leaves[] = { 0, 1, 0x00ff, 0xff00, 0x8000, 0xffff };
	static const u64 times[] = { 0, GRAIN, START, WRAP - 1, WRAP, ~0ULL };
	static const u8 draws[] = { 0, 1, 0x80, 0xff };
	size_t i, j, k;
	u8 tag;

	(void)state;
	for (tag = 0; tag < 16; tag++)
		for (i = 0; i < 6; i++)
			for (j = 0; j < 6; j++)
				for (k = 0; k < 4; k++) {
					conga_flowlet_t entry =
						conga_flowlet_make(tag, leaves[i],
								   times[j]);

					check_fields(entry, tag, 0, leaves[i], times[j]);
					entry = conga_flowlet_with_draw(entry, draws[k]);
					check_fields(entry, tag, draws[k], leaves[i],
						     times[j]);
					entry = conga_flowlet_renew(entry, times[5 - j]);
					check_fields(entry, tag, draws[k], leaves[i],
						     times[5 - j]);
				}
}

static int flowlet_count(struct unit_random *random, u64 gap, u64 tfl,
			 enum conga_flowlet_state state)
{
	int phase, count = 0;

	for (phase = 0; phase < PHASES; phase++) {
		u64 start = unit_random_wide(random, 0, 1ULL << 63);

		count += flowlet_after(start, gap, tfl) == state;
	}
	return count;
}

/* Two grains on either side of Tfl are different facts, every time, wherever in
 * their grain packets come, up to centuries of uptime.
 */
static void test_flowlet_gap(void **state)
{
	static const u64 tfls[] = {
		4 * GRAIN, 100000, TFL, 13000000, TFL_MAX,
	};
	struct unit_random random;
	size_t i;

	(void)state;
	unit_random_setup(&random, 26);
	for (i = 0; i < ARRAY_SIZE(tfls); i++) {
		assert_int_equal(flowlet_count(&random, tfls[i] - 2 * GRAIN,
					       tfls[i], CONGA_FLOWLET_LIVE),
				 PHASES);
		assert_int_equal(flowlet_count(&random, tfls[i] + 2 * GRAIN,
					       tfls[i], CONGA_FLOWLET_EXPIRED),
				 PHASES);
	}
}

/* With Tfl in whole grains the edge is exact: longer than Tfl, not as long. */
static void test_flowlet_edge(void **state)
{
	u64 tfl;

	(void)state;
	for (tfl = GRAIN; tfl < 2000 * GRAIN; tfl += 7 * GRAIN) {
		assert_int_equal(flowlet_after(START, tfl, tfl),
				 CONGA_FLOWLET_LIVE);
		assert_int_equal(flowlet_after(START, tfl + GRAIN, tfl),
				 CONGA_FLOWLET_EXPIRED);
	}
}

static void test_flowlet_every_packet(void **state)
{
	(void)state;
	assert_int_equal(flowlet_after(START, 0, 0), CONGA_FLOWLET_EXPIRED);
	assert_int_equal(flowlet_after(START, 1, 0), CONGA_FLOWLET_EXPIRED);
	assert_int_equal(flowlet_after(START, HOUR, 0), CONGA_FLOWLET_EXPIRED);
	assert_int_equal(flowlet_after(START, -GRAIN, 0), CONGA_FLOWLET_EXPIRED);
}

static void test_flowlet_idle(void **state)
{
	conga_flowlet_t entry = conga_flowlet_make(0, 0, START);

	(void)state;
	assert_int_equal(conga_flowlet_idle(entry, START + GRAIN - 1), 0);
	assert_int_equal(conga_flowlet_idle(entry, START + GRAIN), GRAIN);
	assert_int_equal(conga_flowlet_idle(entry, START + HOUR),
			 HOUR - HOUR % GRAIN);
}

/* The 35 bit time wraps between the entry and the packet, once or often. */
static void test_flowlet_wrap(void **state)
{
	u64 tfl = 500 * GRAIN;
	u64 wraps;

	(void)state;
	for (wraps = 1; wraps < 8192; wraps *= 2) {
		u64 wrap = wraps * WRAP;
		u64 before;

		for (before = GRAIN; before <= tfl; before += GRAIN) {
			conga_flowlet_t entry =
				conga_flowlet_make(3, LEAF, wrap - before);

			assert_int_equal(conga_flowlet_idle(entry, wrap),
					 before);
			assert_true(conga_flowlet_stale(entry, wrap));
		}
		assert_int_equal(flowlet_after(wrap - GRAIN, tfl, tfl),
				 CONGA_FLOWLET_LIVE);
		assert_int_equal(flowlet_after(wrap - GRAIN, tfl + GRAIN, tfl),
				 CONGA_FLOWLET_EXPIRED);
		/* ahead, across the wrap */
		assert_int_equal(flowlet_after(wrap + GRAIN, -2 * GRAIN, tfl),
				 CONGA_FLOWLET_LIVE);
	}
}

static void test_flowlet_collision(void **state)
{
	u64 tfl = 500 * GRAIN;
	conga_flowlet_t entry = conga_flowlet_make(3, LEAF, START);

	(void)state;
	assert_int_equal(conga_flowlet_state(entry, LEAF + 1, START, tfl),
			 CONGA_FLOWLET_COLLISION);
	assert_int_equal(conga_flowlet_state(entry, LEAF ^ 0x8000, START + tfl,
					     tfl),
			 CONGA_FLOWLET_COLLISION);
	assert_int_equal(conga_flowlet_state(entry, LEAF + 1,
					     START + tfl + GRAIN, tfl),
			 CONGA_FLOWLET_EXPIRED);
	assert_int_equal(conga_flowlet_state(entry, LEAF + 1, START, 0),
			 CONGA_FLOWLET_EXPIRED);
}

/* Another CPU wrote a moment ahead of our clock. */
static void test_flowlet_ahead(void **state)
{
	u64 moment;

	(void)state;
	for (moment = 1; moment < 1000000; moment += 997) {
		conga_flowlet_t entry =
			conga_flowlet_make(3, LEAF, START + moment);

		assert_int_equal(conga_flowlet_idle(entry, START), 0);
		assert_false(conga_flowlet_stale(entry, START));
		assert_int_equal(conga_flowlet_state(entry, LEAF, START, GRAIN),
				 CONGA_FLOWLET_LIVE);
	}
}

/* The most that a clock may be ahead is 2^20 grains, a second; with more, hours have passed. */
static void test_flowlet_most_ahead(void **state)
{
	const u64 most = BIT_ULL(20) * GRAIN;
	conga_flowlet_t ahead = conga_flowlet_make(3, LEAF, START + most);
	conga_flowlet_t old = conga_flowlet_make(3, LEAF, START + most + GRAIN);

	(void)state;
	assert_int_equal(conga_flowlet_idle(ahead, START), 0);
	assert_true(conga_flowlet_idle(old, START) == WRAP - most - GRAIN);
}

/* Written at most once a grain. */
static void test_flowlet_stale(void **state)
{
	conga_flowlet_t entry = conga_flowlet_make(3, LEAF, START);

	(void)state;
	assert_false(conga_flowlet_stale(entry, START));
	assert_false(conga_flowlet_stale(entry, START + GRAIN - 1));
	assert_true(conga_flowlet_stale(entry, START + GRAIN));
	assert_true(conga_flowlet_stale(entry, START + HOUR));
}

struct naive_flowlet {
	bool	used;
	u64	last;	/* ns */
	u16	leaf;
	u8	tag;
};

/* Any state that the model allows within a grain of the edge. */
static bool naive_allows(const struct naive_flowlet *naive, u16 leaf, u64 now,
			 u64 tfl, enum conga_flowlet_state got)
{
	u64 gap = now - naive->last;

	if (!naive->used)
		return got == CONGA_FLOWLET_EMPTY;
	if (!tfl || gap > tfl + GRAIN)
		return got == CONGA_FLOWLET_EXPIRED;
	if (gap + GRAIN > tfl && got == CONGA_FLOWLET_EXPIRED)
		return true;
	return got == (naive->leaf == leaf ? CONGA_FLOWLET_LIVE :
		       CONGA_FLOWLET_COLLISION);
}

/* Until a second before the wrap an entry is old, not ahead of us. */
static void test_flowlet_idle_for_hours(void **state)
{
	u64 start = 720 * HOUR, idle;

	(void)state;
	for (idle = SECOND; idle < WRAP - 2 * SECOND; idle += SECOND / 2) {
		conga_flowlet_t entry = conga_flowlet_make(3, LEAF, start);
		u64 now = start + idle;

		unit_check(conga_flowlet_state(entry, LEAF, now, TFL) ==
			   CONGA_FLOWLET_EXPIRED && conga_flowlet_stale(entry, now),
			   "live and never written again after %llu ns", idle);
	}
}

/* ---- the draw, and the port that it stands for ---- */

/* From any draw to each of the others, as often as to any; never to 0. */
static void test_flowlet_redraw(void **state)
{
	struct unit_random random;
	int previous, draw, i;

	(void)state;
	unit_random_setup(&random, 31);
	for (previous = 0; previous <= CONGA_FLOWLET_DRAWS; previous++) {
		int count[CONGA_FLOWLET_DRAWS + 1] = { 0 };

		for (i = 0; i < 200 * CONGA_FLOWLET_DRAWS; i++)
			count[conga_flowlet_redraw(previous, unit_random_u64(&random))]++;
		assert_int_equal(count[0], 0);
		for (draw = 1; draw <= CONGA_FLOWLET_DRAWS; draw++)
			unit_check(draw == previous ? !count[draw] :
				   count[draw] > 100 && count[draw] < 300,
				   "%d times from %d to %d", count[draw], previous, draw);
	}
	assert_int_not_equal(conga_flowlet_redraw(1, 0), 1);
	assert_int_not_equal(conga_flowlet_redraw(1, ~0u), 1);
	assert_int_not_equal(conga_flowlet_redraw(255, ~0u), 255);
}

/* In its range, which is used to its ends, and another for each draw. */
static void test_flowlet_port(void **state)
{
	static const struct { u16 min, max; } ranges[] = {
		{ 32768, 60999 }, { 49152, 65535 }, { 1, 65535 }, { 5000, 5700 },
	};
	struct unit_random random;
	size_t i;

	(void)state;
	unit_random_setup(&random, 32);
	for (i = 0; i < ARRAY_SIZE(ranges); i++) {
		int least = 65536, most = 0, flow, draw;

		for (flow = 0; flow < 2000; flow++) {
			u32 hash = unit_random_u64(&random);
			bool seen[65536] = { false };

			for (draw = 1; draw <= CONGA_FLOWLET_DRAWS; draw++) {
				u16 port = conga_flowlet_port(hash, draw, ranges[i].min,
							      ranges[i].max);

				unit_check(!seen[port], "port %d again", port);
				seen[port] = true;
				least = port < least ? port : least;
				most = port > most ? port : most;
			}
		}
		assert_in_range(least, ranges[i].min, ranges[i].min + 10);
		assert_in_range(most, ranges[i].max - 10, ranges[i].max - 1);
	}
	assert_int_equal(conga_flowlet_port(~0u, 200, 7, 8), 7);
}

/* Of two flows with equal draws in a row each goes its own way. */
static void test_flowlet_port_by_flow(void **state)
{
	struct unit_random random;
	int same = 0, i;

	(void)state;
	unit_random_setup(&random, 33);
	for (i = 0; i < 10000; i++)
		same += conga_flowlet_port(unit_random_u64(&random), 9, 32768, 60999) ==
			conga_flowlet_port(unit_random_u64(&random), 9, 32768, 60999);
	assert_in_range(same, 0, 10);
}

/* The next packet's time: about Tfl later, now and then after hours. */
static u64 flowlet_next(struct unit_random *random, u64 now, u64 tfl)
{
	if (random->step % 64)
		return now + unit_random_below(random, 2 * tfl + 1);
	return now + unit_random_below(random, 9 * HOUR);
}

/* One entry, shared by flows to three leaves, on machines that have been up for
 * a moment or for centuries.
 */
static void test_flowlet_random(void **state)
{
	struct naive_flowlet naive = { .used = false };
	u64 seen[CONGA_FLOWLET_COLLISION + 1] = { 0 };
	struct unit_random random;
	conga_flowlet_t entry = 0;
	u64 now = WRAP - HOUR;
	int i;

	(void)state;
	unit_random_setup(&random, 4);
	for (; random.step < UNIT_STEPS; random.step++) {
		u64 tfl = random.step % 16 ? TFL :
			  unit_random_wide(&random, 0, TFL_MAX);
		u16 leaf = unit_random_below(&random, 3);
		enum conga_flowlet_state got;

		now = flowlet_next(&random, now, tfl);
		if (random.step % 10000 == 0) {
			naive.used = false;
			entry = 0;
			now = unit_random_wide(&random, 0, 1ULL << 63);
		}
		got = conga_flowlet_state(entry, leaf, now, tfl);
		unit_check_step(&random,
				naive_allows(&naive, leaf, now, tfl, got),
				"state %d after %llu ns, tfl %llu", got,
				now - naive.last, tfl);
		unit_check_step(&random, conga_flowlet_is_live(entry, now, tfl) ==
				(got >= CONGA_FLOWLET_LIVE), "live");
		unit_check_step(&random, !naive.used ||
				conga_flowlet_tag(entry) == naive.tag, "tag");
		seen[got]++;
		naive = (struct naive_flowlet) {
			true, now, leaf, unit_random_below(&random, 16),
		};
		entry = conga_flowlet_make(naive.tag, leaf, now);
	}
	for (i = CONGA_FLOWLET_EXPIRED; i <= CONGA_FLOWLET_COLLISION; i++)
		assert_true(seen[i] > UNIT_STEPS / 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_flowlet_empty),
		cmocka_unit_test(test_flowlet_fields),
		cmocka_unit_test(test_flowlet_gap),
		cmocka_unit_test(test_flowlet_edge),
		cmocka_unit_test(test_flowlet_every_packet),
		cmocka_unit_test(test_flowlet_idle),
		cmocka_unit_test(test_flowlet_wrap),
		cmocka_unit_test(test_flowlet_collision),
		cmocka_unit_test(test_flowlet_ahead),
		cmocka_unit_test(test_flowlet_most_ahead),
		cmocka_unit_test(test_flowlet_stale),
		cmocka_unit_test(test_flowlet_idle_for_hours),
		cmocka_unit_test(test_flowlet_redraw),
		cmocka_unit_test(test_flowlet_port),
		cmocka_unit_test(test_flowlet_port_by_flow),
		cmocka_unit_test(test_flowlet_random),
	};

	return cmocka_run_group_tests_name("flowlet", tests, NULL, NULL);
}
