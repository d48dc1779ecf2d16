// SPDX-License-Identifier: GPL-2.0
/*
 * The Congestion-To-Leaf table (CONGA, section 3.3)
 *
 * The table has one metric per LBTag, as the leaf fed it back. A metric that is not
 * refreshed decays gradually, so that a path once congested is tried again: by an eighth of
 * full scale per Tage, computed when it is read,
 *
 *	max(0, m - floor(2^Q * age / (8 * Tage)))
 *
 * which at Q = 3 is one step per Tage. After 8 Tage nothing is left, so the
 * product is only formed for ages below 8 * 10 s: 37 bits and Q = 6 more.
 */
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/string.h>

#include "paper/toleaf.h"

#define CONGA_TOLEAF_AGES	8	/* Tage from full scale to nothing */

/* When two CPUs race for the word, a lost bit comes back with the next feedback for its LBTag. */
static void conga_toleaf_note_load(struct conga_toleaf *table, u8 tag,
				   bool loaded)
{
	u16 all = READ_ONCE(table->loaded);

	if (!(all & BIT(tag)) == loaded)
		WRITE_ONCE(table->loaded, all ^ BIT(tag));
}

/* conga_toleaf_learn - feedback came; any CPU, softirq */
void conga_toleaf_learn(struct conga_toleaf *table, u8 tag, u8 metric, u64 now)
{
	conga_sample_t sample = conga_sample_make(metric, now);

	if (READ_ONCE(table->heard[tag]) != sample)
		WRITE_ONCE(table->heard[tag], sample);
	conga_toleaf_note_load(table, tag, metric);
}

/* conga_toleaf_metric - the aged metric, 0 if none was fed back */
u8 conga_toleaf_metric(const struct conga_toleaf *table, u8 tag, u64 now,
		       u64 tage, u8 q)
{
	conga_sample_t sample = READ_ONCE(table->heard[tag]);
	u64 age = conga_sample_age(sample, now);
	u64 lost;

	if (!conga_sample_valid(sample) || age >= CONGA_TOLEAF_AGES * tage)
		return 0;
	lost = div64_u64(age << q, CONGA_TOLEAF_AGES * tage);
	return conga_sample_metric(sample) > lost ?
	       conga_sample_metric(sample) - lost : 0;
}

void conga_toleaf_flush(struct conga_toleaf *table)
{
	int tag;

	for (tag = 0; tag < CONGA_TAGS_MAX; tag++)
		WRITE_ONCE(table->heard[tag], 0);
	WRITE_ONCE(table->loaded, 0);
}
