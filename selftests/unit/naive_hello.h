/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_NAIVE_HELLO_H
#define _UNIT_NAIVE_HELLO_H

/* Hello as its rules read: a record per path and times in plain ticks, where
 * hello.c has bits and counts down.
 */
#include <string.h>

#include "hello.h"

#define NAIVE_TAGS	CONGA_TAGS_MAX
#define NAIVE_ROUND	4	/* ticks */
#define NAIVE_MISSES	3
#define NAIVE_ANSWERS	64
#define NAIVE_CALM	10	/* rounds */
#define NAIVE_NEVER	(-1000000000LL)

struct naive_path {
	bool	sent;		/* a hello by it at the last tick */
	bool	unanswered;	/* since then */
	bool	out;
	int	lost;		/* hellos in a row */
	s64	proven;		/* tick after which the last answer came */
};

struct naive_hello {
	struct naive_path path[NAIVE_TAGS];
	s64	tick;		/* of the next one */
	s64	round;		/* of now */
	u32	nonce, nonce_before, echo;
	s64	bye;		/* round of the last one */
	s64	returned;	/* round in which an earlier id came back */
	u32	id, id_before;
	int	unheard;	/* ticks in a row that asked in vain */
	int	answers_proven, answers_unproven;
	int	turn;
	bool	heard, version;
	u8	reason;
};

static inline void naive_hello_setup(struct naive_hello *naive, int phase)
{
	int tag;

	memset(naive, 0, sizeof(*naive));
	naive->tick = phase;
	naive->bye = NAIVE_NEVER;
	naive->returned = NAIVE_NEVER;
	naive->turn = NAIVE_TAGS - 1;
	naive->reason = CONGA_LEAF_SILENT;
	for (tag = 0; tag < NAIVE_TAGS; tag++)
		naive->path[tag].proven = NAIVE_NEVER;
}

static inline bool naive_has(u16 set, int tag)
{
	return set >> tag & 1;
}

static inline void naive_forget(struct naive_path *path)
{
	*path = (struct naive_path) { .proven = NAIVE_NEVER };
}

static inline void naive_fall_silent(struct naive_hello *naive, u8 reason)
{
	int tag;

	naive->heard = false;
	naive->unheard = 0;
	naive->reason = reason;
	for (tag = 0; tag < NAIVE_TAGS; tag++) {
		bool sent = naive->path[tag].sent;

		naive_forget(&naive->path[tag]);
		naive->path[tag].sent = sent;
	}
}

/* The hellos of the last tick: who answered? */
static inline u16 naive_count_misses(struct naive_hello *naive)
{
	int tag, sent = 0, lost = 0;
	u16 missed = 0;

	for (tag = 0; tag < NAIVE_TAGS; tag++) {
		struct naive_path *path = &naive->path[tag];

		sent += path->sent;
		if (!path->sent || !path->unanswered)
			continue;
		lost++;
		missed += 1 << tag;
		/* of a leaf that is not there no path is better */
		path->lost += naive->heard;
	}
	if (sent && sent == lost)
		naive->unheard++;
	return missed;
}

/* Out are paths that lost three, if not all is lost. */
static inline u16 naive_judge(struct naive_hello *naive)
{
	u16 silenced = 0;
	int tag;

	if (!naive->heard)
		return 0;
	if (naive->unheard >= NAIVE_MISSES) {
		naive_fall_silent(naive, naive->version ? CONGA_LEAF_VERSION :
							  CONGA_LEAF_SILENT);
		return 0;
	}
	for (tag = 0; tag < NAIVE_TAGS; tag++) {
		struct naive_path *path = &naive->path[tag];

		if (path->out || path->lost < NAIVE_MISSES)
			continue;
		path->out = true;
		silenced += 1 << tag;
	}
	return silenced;
}

static inline void naive_new_round(struct naive_hello *naive, u32 random)
{
	naive->nonce_before = naive->bye == naive->round ? 0 : naive->nonce;
	naive->nonce = random - random % NAIVE_TAGS;
	if (!naive->nonce)
		naive->nonce = NAIVE_TAGS;
	naive->round++;
	naive->answers_proven = 0;
	naive->answers_unproven = 0;
	if (naive->reason == CONGA_LEAF_VERSION && !naive->version)
		naive->reason = CONGA_LEAF_SILENT;
	naive->version = false;
}

/* The path after the last turn, among those for which this is true. */
static inline u16 naive_turn(struct naive_hello *naive, u16 among)
{
	int i;

	for (i = 1; i <= NAIVE_TAGS; i++) {
		int tag = (naive->turn + i) % NAIVE_TAGS;

		if (!naive_has(among, tag))
			continue;
		naive->turn = tag;
		return 1 << tag;
	}
	return 0;
}

/* Is this path asked, whoever's turn it is? */
static inline bool naive_is_asked(const struct naive_hello *naive, int tag,
				  const struct conga_hello_view *view,
				  bool begins)
{
	const struct naive_path *path = &naive->path[tag];

	if (!naive_has(view->usable, tag))
		return false;
	if (path->out)
		return begins;
	if (path->lost)
		return true;
	return naive_has(view->busy, tag) && !naive_has(view->heard, tag) &&
	       naive->tick - path->proven >= NAIVE_ROUND;
}

static inline u16 naive_ask(struct naive_hello *naive,
			    const struct conga_hello_view *view, bool begins)
{
	u16 ask = 0, others = 0;
	int tag;

	if (!naive->heard)
		return begins ? naive_turn(naive, view->usable) : 0;
	for (tag = 0; tag < NAIVE_TAGS; tag++) {
		if (naive_is_asked(naive, tag, view, begins))
			ask += 1 << tag;
		else if (naive_has(view->usable, tag) && !naive->path[tag].out)
			others += 1 << tag;
	}
	if (!begins && !naive->unheard)
		return ask;
	return ask | naive_turn(naive, others ? others : view->usable);
}

static inline void naive_hello_tick(struct naive_hello *naive,
				    const struct conga_hello_view *view,
				    struct conga_hello_step *step)
{
	bool begins = naive->tick % NAIVE_ROUND == 0;
	int tag;

	for (tag = 0; tag < NAIVE_TAGS; tag++)
		if (!naive_has(view->usable, tag))
			naive_forget(&naive->path[tag]);
	step->missed = naive_count_misses(naive);
	step->silenced = naive_judge(naive);
	if (begins)
		naive_new_round(naive, view->random);
	step->ask = naive_ask(naive, view, begins);
	for (tag = 0; tag < NAIVE_TAGS; tag++) {
		naive->path[tag].sent = naive_has(step->ask, tag);
		naive->path[tag].unanswered = naive->path[tag].sent;
	}
	naive->tick++;
}

/* A nonce ends with the round after its own, or with the round of a bye. */
static inline bool naive_hello_echoed(const struct naive_hello *naive, u32 echo)
{
	u32 nonce = echo - echo % NAIVE_TAGS;

	return nonce && (nonce == naive->nonce || nonce == naive->nonce_before);
}

static inline void naive_meet(struct naive_hello *naive, u32 id)
{
	if (id == naive->id)
		return;
	if (id == naive->id_before)
		naive->returned = naive->round;
	naive->id_before = naive->id;
	naive->id = id;
}

static inline u8 naive_agrees(const struct conga_hello_terms *a,
			      const struct conga_hello_terms *b)
{
	return a->q != b->q ? CONGA_LEAF_Q :
	       a->byte3 != b->byte3 ? CONGA_LEAF_BYTE3 :
	       a->sum != b->sum ? CONGA_LEAF_METRIC : CONGA_LEAF_ANSWERS;
}

static inline bool naive_hello_answered(struct naive_hello *naive, u32 echo,
					u32 id,
					const struct conga_hello_terms *ours,
					const struct conga_hello_terms *theirs)
{
	struct naive_path *path = &naive->path[echo % NAIVE_TAGS];

	if (!naive_hello_echoed(naive, echo) || naive->bye == naive->round)
		return false;
	path->unanswered = false;
	path->out = false;
	path->lost = 0;
	path->proven = naive->tick - 1;
	naive->unheard = 0;
	naive->heard = true;
	naive_meet(naive, id);
	naive->reason = naive->round - naive->returned < NAIVE_CALM ?
			CONGA_LEAF_ALTERNATES : naive_agrees(ours, theirs);
	return true;
}

static inline bool naive_hello_bye(struct naive_hello *naive, u32 echo)
{
	if (!naive_hello_echoed(naive, echo))
		return false;
	naive_fall_silent(naive, CONGA_LEAF_BYE);
	naive->bye = naive->round;
	naive->echo = 0;
	return true;
}

/* Who echoes a nonce of ours is the leaf; others may be. */
static inline bool naive_hello_asked(struct naive_hello *naive, u32 nonce,
				     u32 echo)
{
	if (naive_hello_echoed(naive, echo)) {
		if (++naive->answers_proven > NAIVE_ANSWERS)
			return false;
		naive->echo = nonce;
		return true;
	}
	if (++naive->answers_unproven > NAIVE_ANSWERS)
		return false;
	if (!naive->heard)
		naive->echo = nonce;
	return true;
}

static inline void naive_hello_version(struct naive_hello *naive)
{
	naive->version = true;
	if (!naive->heard)
		naive->reason = CONGA_LEAF_VERSION;
}

static inline u16 naive_out(const struct naive_hello *naive)
{
	u16 out = 0;
	int tag;

	for (tag = 0; tag < NAIVE_TAGS; tag++)
		out += naive->path[tag].out << tag;
	return out;
}

#endif /* _UNIT_NAIVE_HELLO_H */
