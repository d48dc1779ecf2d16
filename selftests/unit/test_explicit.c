// SPDX-License-Identifier: GPL-2.0
/* Explicit feedback: a packet of its own, when a leaf sends none that could carry what it
 * learnt.
 */
#include "unit.h"
#include "feedback_calls.h"
#include "naive_feedback.h"

/* Packets come and none goes: overdue a quarter of Tage after the first. */
static void test_overdue_one_way(void **state)
{
	struct conga_fromleaf table = { 0 };
	u64 now = START + 7 * TAGE;
	int word;

	(void)state;
	conga_fromleaf_learn(&table, 2, 5, now);
	assert_false(overdue(&table, 2, now));
	assert_false(overdue(&table, 2, now + TAGE / 4));
	assert_true(overdue(&table, 2, now + TAGE / 4 + GRAIN));
	assert_true(overdue(&table, 2, now + TAGE / 2));
	now += TAGE / 2;
	assert_int_equal(collect(&table, &word, 1, now), 1);
	assert_int_equal(word, WORD(2, 5));
	/* then owed after half of Tage, and overdue a quarter later */
	conga_fromleaf_learn(&table, 2, 5, now + TAGE);
	assert_false(overdue(&table, 2, now + TAGE / 2));
	assert_false(overdue(&table, 2, now + TAGE / 2 + GRAIN));
	assert_false(overdue(&table, 2, now + 3 * TAGE / 4 + GRAIN));
	assert_true(overdue(&table, 2, now + 3 * TAGE / 4 + 2 * GRAIN));
}

/* Packets further apart than Tage teach nothing that lasts, answered or not. */
static void test_overdue_rare(void **state)
{
	struct conga_fromleaf table = { 0 };
	u64 now;

	(void)state;
	for (now = START; now < START + 100 * TAGE; now += TAGE + GRAIN)
		assert_false(overdue(&table, 2, now));
	for (; now < START + 200 * TAGE; now += 2 * TAGE) {
		assert_false(overdue(&table, 2, now));
		assert_false(overdue(&table, 2, now + TAGE / 4));
		assert_true(overdue(&table, 2, now + TAGE));
	}
}

/* As a ping, however rare: every answer carries what the question brought, even
 * one that takes no time.
 */
static void test_overdue_answered(void **state)
{
	struct conga_fromleaf table = { 0 };
	u64 now, gap, late;

	(void)state;
	for (gap = GRAIN; gap < 100 * TAGE; gap *= 3)
		for (late = 0; late < gap && late <= TAGE;
		     late = 2 * late + GRAIN)
			for (now = START; now < START + 10 * gap; now += gap) {
				conga_fromleaf_learn(&table, 2, 5, now);
				assert_false(overdue(&table, 2, now));
				assert_int_equal(pick(&table, now + late),
						 WORD(2, 5));
			}
}

/* Something else is fed back: there are packets that will carry this one too. */
static void test_overdue_other(void **state)
{
	struct conga_fromleaf table = { 0 };
	u64 now;

	(void)state;
	conga_fromleaf_learn(&table, 1, 1, START);
	assert_int_equal(pick(&table, START), WORD(1, 1));
	conga_fromleaf_learn(&table, 2, 5, START + GRAIN);
	for (now = START + GRAIN; now < START + 10 * TAGE; now += TAGE / 8) {
		assert_false(overdue(&table, 2, now));
		conga_fromleaf_learn(&table, 1, now % 7, now);
		table.next = 1;
		assert_true(pick(&table, now + GRAIN) / 100 == 1);
	}
}

static void test_overdue_flush(void **state)
{
	struct conga_fromleaf table = { 0 };

	(void)state;
	assert_false(overdue(&table, 0, START));
	conga_fromleaf_flush(&table);
	assert_false(overdue(&table, 0, START + TAGE));
	assert_true(overdue(&table, 0, START + 2 * TAGE));
}

static void test_feedback_collect(void **state)
{
	struct conga_fromleaf table = { 0 };
	int words[TAGS], i;

	(void)state;
	assert_int_equal(collect(&table, words, TAGS, START), 0);
	for (i = 0; i < TAGS; i++)
		conga_fromleaf_learn(&table, i, i % 8, START);
	assert_int_equal(collect(&table, words, 0, START), 0);
	/* as many as there is room for, the others next time */
	assert_int_equal(collect(&table, words, 5, START), 5);
	for (i = 0; i < 5; i++)
		assert_int_equal(words[i], WORD(i, i % 8));
	assert_int_equal(collect(&table, words, TAGS, START), TAGS - 5);
	for (i = 5; i < TAGS; i++)
		assert_int_equal(words[i - 5], WORD(i, i % 8));
	/* none is due; what changes is */
	assert_int_equal(collect(&table, words, TAGS, START + REFRESH), 0);
	conga_fromleaf_learn(&table, 9, 7, START + REFRESH);
	assert_int_equal(collect(&table, words, TAGS, START + REFRESH), 1);
	assert_int_equal(words[0], WORD(9, 7));
	/* packets go on where this ended: none is due, the last word again */
	assert_int_equal(pick(&table, START + REFRESH), WORD(9, 7));
	/* after a quarter of Tage again, after Tage no more */
	assert_int_equal(collect(&table, words, TAGS, START + REFRESH + GRAIN),
			 TAGS - 1);
	assert_int_equal(collect(&table, words, TAGS, START + 2 * TAGE), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_overdue_one_way),
		cmocka_unit_test(test_overdue_rare),
		cmocka_unit_test(test_overdue_answered),
		cmocka_unit_test(test_overdue_other),
		cmocka_unit_test(test_overdue_flush),
		cmocka_unit_test(test_feedback_collect),
	};

	return cmocka_run_group_tests_name("explicit feedback", tests, NULL, NULL);
}
