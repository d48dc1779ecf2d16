/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_NAIVE_FEEDBACK_H
#define _UNIT_NAIVE_FEEDBACK_H

/* The Congestion-From-Leaf table as feedback.c's rules read: a record per LBTag,
 * and times in plain ns.
 */
#include "paper/feedback.h"

#define GRAIN		CONGA_GRAIN_NS
#define TAGE		(10000 * GRAIN)
#define TAGS		CONGA_TAGS_MAX
#define NOTHING		(-1)

/* The next feedback as 100 * tag + metric, so that one number says it all. */
#define WORD(tag, metric)	(100 * (tag) + (metric))

struct naive_row {
	bool	heard, told;
	int	metric, told_metric;
	u64	heard_at, told_at;
};

struct naive_table {
	struct naive_row	row[TAGS];
	int			turn;	/* whose turn it is */
	int			word;	/* last, NOTHING before the first */
	u64			word_at;
	bool			owing;	/* nothing was fed back since */
	u64			owing_at;
};

static inline u64 naive_age(u64 then, u64 now)
{
	return now > then ? now - then : 0;
}

static inline bool naive_fresh(const struct naive_row *row, u64 now)
{
	return row->heard && naive_age(row->heard_at, now) <= TAGE;
}

static inline bool naive_due(const struct naive_row *row, u64 now)
{
	if (!naive_fresh(row, now))
		return false;
	if (!row->told || row->told_metric != row->metric)
		return true;
	return naive_age(row->told_at, now) > TAGE / 4;
}

/* How long a tag has to wait for its turn. */
static inline int naive_wait(const struct naive_table *table, int tag)
{
	return tag >= table->turn ? tag - table->turn :
	       tag - table->turn + TAGS;
}

static inline int naive_choose(const struct naive_table *table, u64 now)
{
	int tag, chosen = NOTHING;

	for (tag = 0; tag < TAGS; tag++) {
		if (!naive_due(&table->row[tag], now))
			continue;
		if (chosen == NOTHING ||
		    naive_wait(table, tag) < naive_wait(table, chosen))
			chosen = tag;
	}
	return chosen;
}

static inline int naive_tell(struct naive_table *table, int tag, u64 now)
{
	struct naive_row *row = &table->row[tag];

	row->told = true;
	row->told_metric = row->metric;
	row->told_at = now;
	table->turn = tag == TAGS - 1 ? 0 : tag + 1;
	table->word = WORD(tag, row->metric);
	table->word_at = now;
	return table->word;
}

static inline int naive_pick(struct naive_table *table, u64 now)
{
	int tag = naive_choose(table, now);

	if (tag == NOTHING) {
		bool again = table->word != NOTHING &&
			     naive_fresh(&table->row[table->word / 100], now);

		return again ? table->word : NOTHING;
	}
	return naive_tell(table, tag, now);
}

static inline void naive_learn(struct naive_table *table, int tag, int metric, u64 now)
{
	struct naive_row *row = &table->row[tag];

	row->heard = true;
	row->metric = metric;
	row->heard_at = now;
}

/* By a packet of its own: all that is due, lowest tags first. */
static inline int naive_collect(struct naive_table *table, int *words, int max,
				u64 now)
{
	int tag, count = 0;

	for (tag = 0; tag < TAGS && count < max; tag++)
		if (naive_due(&table->row[tag], now))
			words[count++] = naive_tell(table, tag, now);
	return count;
}

/* Nothing of this tag for half of Tage, and nothing at all for another quarter,
 * with packets coming in between.
 */
static inline bool naive_overdue(struct naive_table *table, int tag, u64 now)
{
	const struct naive_row *row = &table->row[tag];

	if (row->told && naive_age(row->told_at, now) <= TAGE / 2)
		return false;
	if (table->owing && naive_age(table->owing_at, now) <= TAGE &&
	    (table->word == NOTHING || table->word_at < table->owing_at))
		return naive_age(table->owing_at, now) > TAGE / 4;
	table->owing = true;
	table->owing_at = now;
	return false;
}

#endif /* _UNIT_NAIVE_FEEDBACK_H */
