/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_NAIVE_HULA_H
#define _UNIT_NAIVE_HULA_H

/* HULA's state as hula.c's rules read: every probe that ever came is kept. */
#include <uapi/linux/conga.h>

#include "paper/hula.h"
#include "paper/sample.h"

#define GRAIN	CONGA_GRAIN_NS
#define HOPS	CONGA_TAGS_MAX

struct naive_hula {
	bool	known;
	u8	hop, utilisation;
	u64	heard;			/* when that was said */
	bool	came[HOPS];		/* a probe, ever */
	u64	last[HOPS];		/* the last one by each hop */
	u64	window;
	u16	out;
	u8	said[HOPS];		/* the last one's utilisation */
	u64	tokens_at;		/* pacing: when the next token is there */
};

static inline u64 naive_hula_age(u64 then, u64 now)
{
	return now / GRAIN > then / GRAIN ?
	       (now / GRAIN - then / GRAIN) * GRAIN : 0;
}

static inline int naive_hula_hop(const struct naive_hula *naive, u64 now,
				 u64 tfail)
{
	if (!naive->known || naive_hula_age(naive->heard, now) > tfail)
		return CONGA_TAG_NONE;
	return naive->hop;
}

static inline void naive_hula_window(struct naive_hula *naive,
				     const struct conga_hula_probe *probe)
{
	int hop;

	if (probe->now - naive->window >= probe->tfail) {
		naive->out = 0;
		for (hop = 0; hop < HOPS; hop++)
			if (naive->came[hop] && naive->last[hop] < naive->window)
				naive->out |= 1 << hop;
		naive->window = probe->now;
	}
	naive->came[probe->hop] = true;
	naive->last[probe->hop] = probe->now;
	naive->said[probe->hop] = probe->utilisation;
	naive->out &= ~(1 << probe->hop);
}

/* Is the hop at most so many steps worse than the best? */
static inline bool naive_hula_is_near(const struct naive_hula *naive, int hop, int steps)
{
	return steps && naive->came[hop] && !(naive->out >> hop & 1) &&
	       naive->said[hop] - naive->utilisation <= steps;
}

static inline struct conga_hula_step
naive_hula_hear(struct naive_hula *naive, const struct conga_hula_probe *probe)
{
	int best = naive_hula_hop(naive, probe->now, probe->tfail);
	struct conga_hula_step step = {};

	naive_hula_window(naive, probe);
	if (best == CONGA_TAG_NONE)
		step.taken = true;
	else if (best == probe->hop)
		step.taken = true;
	else if (!(probe->usable >> best & 1))
		step.taken = true;
	else if (probe->utilisation < naive->utilisation)
		step.taken = true;
	if (step.taken) {
		step.moved = !naive->known || naive->hop != probe->hop;
		if (naive->known && step.moved && best == CONGA_TAG_NONE)
			naive->out |= 1 << naive->hop;
		naive->known = true;
		naive->hop = probe->hop;
		naive->utilisation = probe->utilisation;
		naive->heard = probe->now;
	}
	if (probe->now + probe->tp / 2 >= naive->tokens_at) {
		u64 from = probe->now > naive->tokens_at ? probe->now :
							   naive->tokens_at;

		step.hand_on = true;
		naive->tokens_at = from + probe->tp;
	}
	return step;
}

#endif /* _UNIT_NAIVE_HULA_H */
