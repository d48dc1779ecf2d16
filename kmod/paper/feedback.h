/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_FEEDBACK_H
#define _CONGA_FEEDBACK_H

/* Inline, because conga_tx() picks feedback for every stamped packet, and conga_rx() asks at
 * every one whether it is overdue.
 */
#include <linux/compiler.h>
#include <uapi/linux/conga.h>

#include "paper/sample.h"
#include "paper/wire.h"

#define CONGA_FEEDBACK_OVERDUE	2	/* of Tage, after which feedback has a packet of its own */

/* Congestion-From-Leaf of one leaf: the CEs of its packets, to be fed back */
struct conga_fromleaf {
	conga_sample_t	seen[CONGA_TAGS_MAX];	/* by the leaf's LBTag */
	conga_sample_t	fed[CONGA_TAGS_MAX];	/* value and time of feedback */
	u8		next;	/* round robin, section 3.3: one per leaf */
	u8		last;	/* tag that was fed back last */
	u16		heard;	/* tags that have a sample, a bit each */
	conga_sample_t	owed;	/* time since which no feedback was sent */
};

void conga_fromleaf_learn(struct conga_fromleaf *table, u8 tag, u8 ce, u64 now);
bool conga_fromleaf_changed(const struct conga_fromleaf *table, u8 tag);
void conga_feedback_pick_heard(struct conga_fromleaf *table,
			       struct conga_stamp *stamp, u32 heard, u64 now,
			       u64 tage);
bool conga_fromleaf_overdue_owed(struct conga_fromleaf *table, u64 now, u64 tage);
u8 conga_feedback_collect(struct conga_fromleaf *table,
			  struct conga_stamp *stamps, u8 max, u64 now,
			  u64 tage);
void conga_fromleaf_flush(struct conga_fromleaf *table);

/*
 * conga_fromleaf_overdue - is feedback due that no packet carries?
 *
 * This goes beyond the paper, for a leaf that gets packets and sends none. An entry that
 * was not fed back for Tage / 2 is owed, and overdue if packets keep coming for another
 * Tage / 4 and nothing at all is fed back, since the answer to a packet should have a
 * chance to carry it. A packet that comes more than Tage later begins anew.
 */
static inline bool conga_fromleaf_overdue(struct conga_fromleaf *table, u8 tag, u64 now,
					  u64 tage)
{
	conga_sample_t fed = READ_ONCE(table->fed[tag]);

	if (likely(conga_sample_valid(fed)) &&
	    conga_sample_age(fed, now) <= tage / CONGA_FEEDBACK_OVERDUE)
		return false;
	return conga_fromleaf_overdue_owed(table, now, tage);
}

/**
 * conga_feedback_pick - the feedback for the next packet to the leaf
 * @table: the leaf's
 * @stamp: gets feedback, fb_tag and fb_metric
 * @now: ns
 * @tage: ns
 */
static inline void conga_feedback_pick(struct conga_fromleaf *table,
				       struct conga_stamp *stamp, u64 now,
				       u64 tage)
{
	u32 heard = READ_ONCE(table->heard);

	stamp->feedback = false;
	if (heard)
		conga_feedback_pick_heard(table, stamp, heard, now, tage);
}

#endif /* _CONGA_FEEDBACK_H */
