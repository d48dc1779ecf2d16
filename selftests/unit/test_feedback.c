// SPDX-License-Identifier: GPL-2.0
/* The Congestion-From-Leaf table and the choice of feedback, section 3.3, and
 * the four rules of feedback.c where the paper is silent. Times are in whole
 * grains, so that the model can count plain ns.
 */
#include <string.h>

#include "unit.h"
#include "feedback_calls.h"
#include "naive_feedback.h"

static void test_feedback_nothing(void **state)
{
	struct conga_fromleaf table = { 0 };

	(void)state;
	assert_int_equal(pick(&table, 0), NOTHING);
	assert_int_equal(pick(&table, START), NOTHING);
}

static void test_feedback_round_robin(void **state)
{
	struct conga_fromleaf table = { 0 };
	int round, i;

	(void)state;
	for (round = 0; round < 3; round++) {
		u64 now = START + round * GRAIN;

		for (i = 0; i < TAGS; i++)
			conga_fromleaf_learn(&table, i, round, now);
		for (i = 0; i < TAGS; i++)
			assert_int_equal(pick(&table, now), WORD(i, round));
	}
}

/* It goes on where it was, not at the lowest tag. */
static void test_feedback_continues(void **state)
{
	struct conga_fromleaf table = { 0 };

	(void)state;
	conga_fromleaf_learn(&table, 4, 1, START);
	assert_int_equal(pick(&table, START), WORD(4, 1));
	conga_fromleaf_learn(&table, 2, 2, START);
	conga_fromleaf_learn(&table, 9, 3, START);
	conga_fromleaf_learn(&table, 4, 5, START);
	assert_int_equal(pick(&table, START), WORD(9, 3));
	assert_int_equal(pick(&table, START), WORD(2, 2));
	assert_int_equal(pick(&table, START), WORD(4, 5));
	assert_int_equal(pick(&table, START), WORD(4, 5));
}

/* One index per leaf, not one for all. */
static void test_feedback_per_leaf(void **state)
{
	struct conga_fromleaf one = { 0 }, other = { 0 };
	int tag;

	(void)state;
	for (tag = 0; tag < TAGS; tag++) {
		conga_fromleaf_learn(&one, tag, 1, START);
		conga_fromleaf_learn(&other, tag, 2, START);
	}
	for (tag = 0; tag < TAGS; tag++) {
		assert_int_equal(pick(&one, START), WORD(tag, 1));
		assert_int_equal(pick(&other, START), WORD(tag, 2));
	}
}

/* Packets with the same CE write the word once in 16 grains, a packet with another one at once. */
static void test_learning_writes_seldom(void **state)
{
	struct conga_fromleaf table = { 0 }, before;
	int i;

	(void)state;
	conga_fromleaf_learn(&table, 3, 5, START);
	before = table;
	for (i = 1; i < 16; i++)
		conga_fromleaf_learn(&table, 3, 5, START + i * GRAIN);
	assert_memory_equal(&table, &before, sizeof(table));
	conga_fromleaf_learn(&table, 3, 5, START + 16 * GRAIN);
	assert_memory_not_equal(&table, &before, sizeof(table));
	before = table;
	conga_fromleaf_learn(&table, 3, 6, START + 17 * GRAIN);
	assert_memory_not_equal(&table, &before, sizeof(table));
}

static void test_feedback_changed(void **state)
{
	struct conga_fromleaf table = { 0 };
	int i;

	(void)state;
	conga_fromleaf_learn(&table, 6, 0, START);
	assert_true(conga_fromleaf_changed(&table, 6));
	assert_int_equal(pick(&table, START), WORD(6, 0));
	assert_false(conga_fromleaf_changed(&table, 6));
	/* packets alone change nothing */
	for (i = 0; i < 10; i++)
		conga_fromleaf_learn(&table, 6, 0, START + i * GRAIN);
	assert_false(conga_fromleaf_changed(&table, 6));
	conga_fromleaf_learn(&table, 6, 3, START + i * GRAIN);
	assert_true(conga_fromleaf_changed(&table, 6));
	/* back at what the leaf was told last */
	conga_fromleaf_learn(&table, 6, 0, START + i * GRAIN);
	assert_false(conga_fromleaf_changed(&table, 6));
}

/* Changed goes before unchanged that is not yet due. */
static void test_feedback_prefers_changed(void **state)
{
	struct conga_fromleaf table = { 0 };
	int tag;

	(void)state;
	for (tag = 0; tag < 4; tag++)
		conga_fromleaf_learn(&table, tag, 1, START);
	for (tag = 0; tag < 4; tag++)
		pick(&table, START);
	conga_fromleaf_learn(&table, 2, 5, START + GRAIN);
	assert_int_equal(pick(&table, START + GRAIN), WORD(2, 5));
	/* then none is due: the last word again */
	for (tag = 0; tag < 4; tag++)
		assert_int_equal(pick(&table, START + 2 * GRAIN), WORD(2, 5));
}

/* Two constants: the word stands still until the older is Tage / 4 old. */
static void test_feedback_refresh(void **state)
{
	struct conga_fromleaf table = { 0 };
	u64 fed = START;

	(void)state;
	conga_fromleaf_learn(&table, 1, 7, START);
	conga_fromleaf_learn(&table, 8, 3, START);
	assert_int_equal(pick(&table, fed), WORD(1, 7));
	assert_int_equal(pick(&table, fed), WORD(8, 3));
	assert_int_equal(pick(&table, fed + REFRESH / 2), WORD(8, 3));
	assert_int_equal(pick(&table, fed + REFRESH), WORD(8, 3));
	fed += REFRESH + GRAIN;
	assert_int_equal(pick(&table, fed), WORD(1, 7));
	assert_int_equal(pick(&table, fed), WORD(8, 3));
	assert_int_equal(pick(&table, fed + REFRESH), WORD(8, 3));
	assert_int_equal(pick(&table, fed + REFRESH + GRAIN), WORD(1, 7));
}

static void test_feedback_stale(void **state)
{
	struct conga_fromleaf table = { 0 };

	(void)state;
	/* never fed, Tage old: just in time; a grain later: too late */
	conga_fromleaf_learn(&table, 3, 7, START);
	assert_int_equal(pick(&table, START + TAGE + GRAIN), NOTHING);
	assert_int_equal(pick(&table, START + TAGE), WORD(3, 7));
	/* nor is it repeated as the last word */
	assert_int_equal(pick(&table, START + TAGE + GRAIN), NOTHING);
	/* a stale one does not stand before a fresh one */
	conga_fromleaf_learn(&table, 9, 2, START + 2 * TAGE);
	assert_int_equal(pick(&table, START + 2 * TAGE), WORD(9, 2));
	/* a packet brings it back */
	conga_fromleaf_learn(&table, 3, 6, START + 2 * TAGE);
	assert_int_equal(pick(&table, START + 2 * TAGE), WORD(3, 6));
}

static void test_feedback_repeats_while_fresh(void **state)
{
	struct conga_fromleaf table = { 0 };
	u64 now;

	(void)state;
	conga_fromleaf_learn(&table, 12, 4, START);
	for (now = START; now <= START + TAGE; now += 100 * GRAIN)
		assert_int_equal(pick(&table, now), WORD(12, 4));
	assert_int_equal(pick(&table, START + TAGE + GRAIN), NOTHING);
}

/* k metrics come in k packets, and the k-th word is then repeated. */
static void feedback_burst(struct unit_random *random)
{
	struct conga_fromleaf table = { 0 };
	int metric[TAGS], tag, left = 0, word = NOTHING;

	table.next = unit_random_below(random, TAGS);
	for (tag = 0; tag < TAGS; tag++) {
		metric[tag] = unit_random_below(random, 16) - 8;
		if (metric[tag] < 0)
			continue;
		conga_fromleaf_learn(&table, tag, metric[tag], START);
		left++;
	}
	for (; left; left--) {
		word = pick(&table, START);
		unit_check(word >= 0 && metric[word / 100] == word % 100,
			   "seed %llu: word %d", random->seed, word);
		metric[word / 100] = NOTHING;
	}
	unit_check(pick(&table, START) == word, "seed %llu: word %d",
		   random->seed, word);
}

static void test_feedback_burst(void **state)
{
	struct unit_random random;
	int i;

	(void)state;
	unit_random_setup(&random, 6);
	for (i = 0; i < 1000; i++)
		feedback_burst(&random);
}

static u64 later(u64 a, u64 b)
{
	return a > b ? a : b;
}

/* The longest time that a constant 7 is silent among @tags that all change with
 * every packet, while packets to the leaf are at most @gap apart: each time just
 * as far if @steady, else anything.
 */
static u64 feedback_silence(struct unit_random *random, int tags, u64 gap,
			    bool steady)
{
	struct conga_fromleaf table = { 0 };
	u64 now, last = START, longest = 0;
	int constant = unit_random_below(random, tags), tag;
	u8 value = 0;

	for (now = START; now < START + 20 * TAGE;
	     now += steady ? gap : unit_random_between(random, 0, gap)) {
		value = (value + 1 + unit_random_below(random, 6)) % 8;
		for (tag = 0; tag < tags; tag++)
			conga_fromleaf_learn(&table, tag,
					     tag == constant ? 7 : value, now);
		if (pick(&table, now) != WORD(constant, 7))
			continue;
		longest = later(longest, now - last);
		last = now;
	}
	return later(longest, now - last);
}

/* The due rule: an entry is due again Tage / 4 after it was fed back, to two
 * grains. The next packet is at most a gap later, and the turn may just have
 * passed the entry by: then all other tags but one come first. So, for gaps up
 * to Tage / 4, it is never silent for longer than
 *
 *	Tage / 4 + 2 grains + (tags - 1) * gap
 *
 * which is within Tage / 2 if the leaf is sent a packet for each of the other
 * tags in a little less than Tage / 4: with 16 tags and a Tage of 10 ms, 6,000
 * packets a second.
 */
static void test_feedback_constant_is_heard(void **state)
{
	struct unit_random random;
	int tags;

	(void)state;
	unit_random_setup(&random, 7);
	for (tags = 2; tags <= TAGS; tags++) {
		u64 gap = (TAGE / 4 - 2 * GRAIN) / (tags - 1);

		unit_check(feedback_silence(&random, tags, gap, true) <=
			   TAGE / 2, "silent too long among %d", tags);
		unit_check(feedback_silence(&random, tags, gap, false) <=
			   TAGE / 2, "silent too long among %d at times", tags);
		/* with half as many packets the bound is no longer kept */
		unit_check(feedback_silence(&random, tags, 2 * gap, true) >
			   TAGE / 2, "no need for the condition at %d", tags);
	}
}

/* The bound, at any rate. */
static void test_feedback_silence_bound(void **state)
{
	struct unit_random random;

	(void)state;
	unit_random_setup(&random, 27);
	for (; random.step < 100; random.step++) {
		int tags = unit_random_between(&random, 2, TAGS);
		u64 gap = unit_random_wide(&random, GRAIN, TAGE / 4);
		u64 silence = feedback_silence(&random, tags, gap,
					       random.step % 2);

		unit_check_step(&random, silence <=
				TAGE / 4 + 2 * GRAIN + (tags - 1) * gap,
				"%d tags, a packet per %llu ns: silent %llu ns",
				tags, gap, silence);
	}
}

/* Fluctuating ones keep most of the words while the constant is refreshed. */
static void test_feedback_constant_is_modest(void **state)
{
	struct conga_fromleaf table = { 0 };
	int i, constant = 0;

	(void)state;
	for (i = 0; i < 10000; i++) {
		u64 now = START + i * 10 * GRAIN;

		conga_fromleaf_learn(&table, 5, 7, now);
		conga_fromleaf_learn(&table, 6, i % 8, now);
		constant += pick(&table, now) == WORD(5, 7);
	}
	/* 100,000 grains are 10 Tage: about 40 refreshes */
	assert_in_range(constant, 30, 45);
}

static void test_feedback_flush(void **state)
{
	struct conga_fromleaf table = { 0 };
	int tag;

	(void)state;
	for (tag = 0; tag < TAGS; tag++)
		conga_fromleaf_learn(&table, tag, 7, START);
	for (tag = 0; tag < TAGS / 2; tag++)
		pick(&table, START);
	conga_fromleaf_flush(&table);
	assert_int_equal(table.heard, 0);
	for (tag = 0; tag < TAGS; tag++)
		assert_true(!table.seen[tag] && !table.fed[tag]);
	assert_int_equal(pick(&table, START), NOTHING);
	/* the leaf is told again, although the value is as before */
	conga_fromleaf_learn(&table, 0, 7, START);
	assert_true(conga_fromleaf_changed(&table, 0));
	assert_int_equal(pick(&table, START), WORD(0, 7));
	assert_int_equal(pick(&table, START), WORD(0, 7));
}

static void feedback_collect_step(struct unit_random *random,
				  struct conga_fromleaf *table,
				  struct naive_table *naive, u64 now)
{
	int max = unit_random_below(random, TAGS + 1);
	int got[TAGS], want[TAGS];
	int count = collect(table, got, max, now);
	int expected = naive_collect(naive, want, max, now);

	unit_check_step(random, count == expected &&
			!memcmp(got, want, count * sizeof(*got)),
			"collected %d, not %d", count, expected);
}

/* What a packet that comes, or one that goes, does to both. */
static void feedback_explicit_step(struct unit_random *random,
				   struct conga_fromleaf *table,
				   struct naive_table *naive, u64 now)
{
	int tag = unit_random_below(random, TAGS);
	bool got = overdue(table, tag, now);
	bool want = naive_overdue(naive, tag, now);

	unit_check_step(random, got == want, "tag %d overdue: %d, not %d", tag,
			got, want);
	if (got && unit_random_below(random, 2))
		feedback_collect_step(random, table, naive, now);
}

static u64 feedback_gap(struct unit_random *random)
{
	static const u64 gaps[] = {
		GRAIN, 100 * GRAIN, TAGE / 16, TAGE / 4 + GRAIN, TAGE, 3 * TAGE,
	};
	int i = unit_random_below(random, 40);

	return unit_random_below(random, gaps[i < 6 ? i : 1] / GRAIN + 1) * GRAIN;
}

/* As after a change of Q, on a machine that has been up for a moment or for
 * centuries. Whose turn it is stays.
 */
static u64 feedback_restart(struct unit_random *random,
			    struct conga_fromleaf *table,
			    struct naive_table *naive)
{
	conga_fromleaf_flush(table);
	memset(naive->row, 0, sizeof(naive->row));
	naive->word = NOTHING;
	naive->owing = false;
	return unit_random_wide(random, START, 1ULL << 63) / GRAIN * GRAIN;
}

/* Phases of many and of few tags, of quiet and of restless metrics; clocks that
 * are a moment behind.
 */
static void test_feedback_random(void **state)
{
	struct conga_fromleaf table = { 0 };
	struct naive_table naive = { .word = NOTHING };
	struct unit_random random;
	int tags = TAGS, metrics = 8;
	u64 now = START;

	(void)state;
	unit_random_setup(&random, 8);
	for (; random.step < UNIT_STEPS; random.step++) {
		u64 mine;
		int got, want;

		if (random.step % 50000 == 49999)
			now = feedback_restart(&random, &table, &naive);
		mine = now - unit_random_below(&random, 3) * GRAIN;
		if (random.step % 1000 == 0) {
			tags = unit_random_between(&random, 1, TAGS);
			metrics = unit_random_between(&random, 1, 64);
		}
		if (!unit_random_below(&random, 4)) {
			feedback_explicit_step(&random, &table, &naive, mine);
		} else if (unit_random_below(&random, 2)) {
			int tag = unit_random_below(&random, tags);
			int metric = unit_random_below(&random, metrics);

			conga_fromleaf_learn(&table, tag, metric, mine);
			naive_learn(&naive, tag, metric, mine);
		} else {
			got = pick(&table, mine);
			want = naive_pick(&naive, mine);
			unit_check_step(&random, got == want,
					"word %d, not %d", got, want);
		}
		now += feedback_gap(&random);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_feedback_nothing),
		cmocka_unit_test(test_feedback_round_robin),
		cmocka_unit_test(test_feedback_continues),
		cmocka_unit_test(test_feedback_per_leaf),
		cmocka_unit_test(test_learning_writes_seldom),
		cmocka_unit_test(test_feedback_changed),
		cmocka_unit_test(test_feedback_prefers_changed),
		cmocka_unit_test(test_feedback_refresh),
		cmocka_unit_test(test_feedback_stale),
		cmocka_unit_test(test_feedback_repeats_while_fresh),
		cmocka_unit_test(test_feedback_burst),
		cmocka_unit_test(test_feedback_constant_is_heard),
		cmocka_unit_test(test_feedback_silence_bound),
		cmocka_unit_test(test_feedback_constant_is_modest),
		cmocka_unit_test(test_feedback_flush),
		cmocka_unit_test(test_feedback_random),
	};

	return cmocka_run_group_tests_name("feedback", tests, NULL, NULL);
}
