// SPDX-License-Identifier: GPL-2.0
/*
 * The Congestion-From-Leaf table and the choice of feedback (CONGA, section
 * 3.3)
 *
 * Every packet to a leaf carries back one of the CEs heard from it. They are chosen round
 * robin, those that changed first, as in the paper. Where the paper leaves a choice:
 *
 * - "Changed" means that the value differs from the one last fed back, not
 *   that a packet came.
 * - An entry is due if it changed, or was last fed back more than Tage / 4
 *   ago. Otherwise a constant metric would starve among fluctuating ones, and age to zero
 *   at the leaf that needs it. So an entry waits for at most Tage / 4 and one packet for
 *   each other LBTag: within Tage / 2, if the leaf gets that many packets in Tage / 4.
 * - If none is due, the last feedback is repeated, since receivers merge (GRO) only
 *   packets whose VXLAN headers are equal.
 * - Packets with an equal CE renew the time of an entry every 16 grains, not each.
 * - An entry that no packet refreshed for Tage is not fed back. Otherwise an unused path
 *   would be reported as congested for ever.
 *
 * Readers and writers on several CPUs take no lock. A lost race repeats or
 * delays one feedback.
 */
#include <linux/bitops.h>
#include <linux/compiler.h>
#include <linux/kernel.h>

#include "paper/feedback.h"

#define CONGA_FROMLEAF_RENEW	16	/* grains, after which an entry's time is written again */
#define CONGA_FEEDBACK_FRACTION	4	/* of Tage, until an unchanged entry is due */

/* Is the sample worth a write? With the same CE only its time is new. Several CPUs may receive
 * packets of one LBTag, and none of them writes the word for most of its packets. So an entry may
 * seem older than it is, by at most as long as this.
 */
static bool conga_fromleaf_news(conga_sample_t seen, conga_sample_t sample)
{
	const u64 metric = CONGA_SAMPLE_VALID | CONGA_SAMPLE_METRIC;
	s64 age = (sample >> CONGA_SAMPLE_TIME_SHIFT) - (seen >> CONGA_SAMPLE_TIME_SHIFT);

	return (seen ^ sample) & metric || age >= CONGA_FROMLEAF_RENEW;
}

/* conga_fromleaf_learn - a stamped packet came; any CPU, softirq */
void conga_fromleaf_learn(struct conga_fromleaf *table, u8 tag, u8 ce, u64 now)
{
	conga_sample_t sample = conga_sample_make(ce, now);
	u16 heard = READ_ONCE(table->heard);

	if (conga_fromleaf_news(READ_ONCE(table->seen[tag]), sample))
		WRITE_ONCE(table->seen[tag], sample);
	if (!(heard & BIT(tag)))
		WRITE_ONCE(table->heard, heard | BIT(tag));
}

/* conga_fromleaf_changed - does the CE differ from what was last fed back? */
bool conga_fromleaf_changed(const struct conga_fromleaf *table, u8 tag)
{
	conga_sample_t fed = READ_ONCE(table->fed[tag]);

	return !conga_sample_valid(fed) ||
	       conga_sample_metric(fed) !=
	       conga_sample_metric(READ_ONCE(table->seen[tag]));
}

static bool conga_fromleaf_fresh(const struct conga_fromleaf *table, u8 tag,
				 u64 now, u64 tage)
{
	conga_sample_t seen = READ_ONCE(table->seen[tag]);

	return conga_sample_valid(seen) && conga_sample_age(seen, now) <= tage;
}

static bool conga_fromleaf_due(const struct conga_fromleaf *table, u8 tag,
			       u64 now, u64 tage)
{
	conga_sample_t fed = READ_ONCE(table->fed[tag]);

	if (!conga_fromleaf_fresh(table, tag, now, tage))
		return false;
	return conga_fromleaf_changed(table, tag) ||
	       conga_sample_age(fed, now) > tage / CONGA_FEEDBACK_FRACTION;
}

static void conga_feedback_fill(struct conga_stamp *stamp, u8 tag,
				conga_sample_t sample)
{
	stamp->feedback = true;
	stamp->fb_tag = tag;
	stamp->fb_metric = conga_sample_metric(sample);
}

static void conga_feedback_take(struct conga_fromleaf *table, u8 tag,
				struct conga_stamp *stamp, u64 now)
{
	conga_sample_t seen = READ_ONCE(table->seen[tag]);

	WRITE_ONCE(table->fed[tag],
		   conga_sample_make(conga_sample_metric(seen), now));
	WRITE_ONCE(table->next, (tag + 1) % CONGA_TAGS_MAX);
	WRITE_ONCE(table->last, tag);
	conga_feedback_fill(stamp, tag, seen);
}

/* conga_feedback_pick_heard - chooses among @set, a bit per LBTag; each of them has a sample */
void conga_feedback_pick_heard(struct conga_fromleaf *table,
			       struct conga_stamp *stamp, u32 heard, u64 now,
			       u64 tage)
{
	u8 next = READ_ONCE(table->next);
	u8 last = READ_ONCE(table->last);

	/* The set is rotated, so that bit 0 stands for the next tag. */
	heard = (u16)((heard | heard << CONGA_TAGS_MAX) >> next);
	for (; heard; heard &= heard - 1) {
		u8 tag = (next + __ffs(heard)) % CONGA_TAGS_MAX;

		if (conga_fromleaf_due(table, tag, now, tage)) {
			conga_feedback_take(table, tag, stamp, now);
			return;
		}
	}
	if (conga_fromleaf_fresh(table, last, now, tage))
		conga_feedback_fill(stamp, last, READ_ONCE(table->fed[last]));
}

/* Was anything fed back since @then, a sample of metric 0? An answer may come within the
 * same grain. Samples are ordered by their times.
 */
static bool conga_fromleaf_fed_since(const struct conga_fromleaf *table,
				     conga_sample_t then)
{
	return READ_ONCE(table->fed[READ_ONCE(table->last)]) >= then;
}

/* conga_fromleaf_overdue_owed - likewise, of an entry that was not fed back for so long */
bool conga_fromleaf_overdue_owed(struct conga_fromleaf *table, u64 now, u64 tage)
{
	conga_sample_t owed = READ_ONCE(table->owed);
	u64 age = conga_sample_age(owed, now);

	if (!conga_sample_valid(owed) || age > tage ||
	    conga_fromleaf_fed_since(table, owed)) {
		WRITE_ONCE(table->owed, conga_sample_make(0, now));
		return false;
	}
	return age > tage / CONGA_FEEDBACK_FRACTION;
}

/* conga_feedback_collect - collects the entries that are due, at most @max; returns their number */
u8 conga_feedback_collect(struct conga_fromleaf *table,
			  struct conga_stamp *stamps, u8 max, u64 now, u64 tage)
{
	u8 tag, count = 0;

	for (tag = 0; tag < CONGA_TAGS_MAX && count < max; tag++)
		if (conga_fromleaf_due(table, tag, now, tage))
			conga_feedback_take(table, tag, &stamps[count++], now);
	return count;
}

void conga_fromleaf_flush(struct conga_fromleaf *table)
{
	int tag;

	for (tag = 0; tag < CONGA_TAGS_MAX; tag++) {
		WRITE_ONCE(table->seen[tag], 0);
		WRITE_ONCE(table->fed[tag], 0);
	}
	WRITE_ONCE(table->owed, 0);
	WRITE_ONCE(table->heard, 0);
}
