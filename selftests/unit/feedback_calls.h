/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FEEDBACK_CALLS_H
#define FEEDBACK_CALLS_H

/* What packets do to a from-leaf table, as short calls with the tests' Tage. */
#include "unit.h"
#include "naive_feedback.h"

#define REFRESH		(TAGE / 4)	/* a constant metric is due again */
#define START		(1234567 * GRAIN)

/* pick - the word that a packet feeds back, or NOTHING */
static inline int pick(struct conga_fromleaf *table, u64 now)
{
	struct conga_stamp stamp = { .feedback = true, .fb_tag = 99 };

	conga_feedback_pick(table, &stamp, now, TAGE);
	return stamp.feedback ? WORD(stamp.fb_tag, stamp.fb_metric) : NOTHING;
}

/* overdue - is a packet of its own due? */
static inline bool overdue(struct conga_fromleaf *table, int tag, u64 now)
{
	return conga_fromleaf_overdue(table, tag, now, TAGE);
}

/* collect - the words of such a packet, at most max; returns how many */
static inline int collect(struct conga_fromleaf *table, int *words, int max, u64 now)
{
	struct conga_stamp stamps[TAGS + 1] = { { 0 } };
	int i, count = conga_feedback_collect(table, stamps, max, now, TAGE);

	for (i = 0; i < count; i++) {
		assert_true(stamps[i].feedback);
		words[i] = WORD(stamps[i].fb_tag, stamps[i].fb_metric);
	}
	/* nothing is written beyond */
	assert_false(stamps[count].feedback);
	return count;
}

#endif
