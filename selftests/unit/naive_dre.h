/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_NAIVE_DRE_H
#define _UNIT_NAIVE_DRE_H

/* The DRE as section 3.2 has it, period by period, in floating point.
 *
 * Tolerance. Ours is fixed point and rounds down, X and C * tau alike:
 *
 * - X: less than one unit of 2^-8 byte for every period that is decayed, and
 *   less than 2^-31 of X, because powers of (1 - alpha) are 32 bit fractions.
 *   Sixteen such powers may be multiplied at once, each of them at least 2^-32
 *   wrong however small: 2^-28 of the X before. The model lets these errors
 *   decay as X does.
 * - C * tau: less than a unit for a period's bytes at full rate, 1 / alpha units
 *   in all, and one more for the sum.
 *
 * X must be within the first bound, and the metric one that X and C * tau within
 * both bounds can have. That is a single value but at an edge between two, and
 * the tests count how often it is not.
 */
#include <math.h>

#include <linux/types.h>

#define UNIT		(1 / 256.0L)	/* byte */
#define BITS(n)		(1.0L / (1ULL << (n)))	/* 2^-n */
#define MILLION		1000000.0L
#define NS		1000000000ULL

struct naive_dre {
	long double	alpha;
	long double	full;	/* C * tau, bytes */
	long double	x;	/* bytes */
	long double	slack;	/* that ours may be low by */
	u64		tdre;	/* ns */
	u64		next;	/* ns, next decrement */
	int		q;
};

static inline void naive_setup(struct naive_dre *naive, u64 rate, u64 tdre,
			       u32 alpha, int q)
{
	naive->alpha = alpha / MILLION;
	naive->full = rate / 8.0L * tdre / NS / naive->alpha;
	naive->tdre = tdre;
	naive->next = tdre;
	naive->q = q;
	naive->x = 0;
	naive->slack = 0;
}

static inline void naive_decrement(struct naive_dre *naive)
{
	long double keep = 1 - naive->alpha;

	naive->slack = naive->slack * keep + naive->x * BITS(31) + UNIT;
	naive->x *= keep;
}

/* Period by period, until now or until less than a unit is left. */
static inline void naive_advance(struct naive_dre *naive, u64 now)
{
	long double before = naive->x;

	if (now < naive->next)
		return;
	while (naive->next <= now && naive->x >= UNIT / 2) {
		naive_decrement(naive);
		naive->next += naive->tdre;
	}
	naive->slack += before * BITS(28);
	if (naive->next > now)
		return;
	naive->x = 0;
	naive->slack = UNIT;
	naive->next = (now / naive->tdre + 1) * naive->tdre;
}

static inline int naive_metric(const struct naive_dre *naive, long double x,
			       long double full)
{
	long double metric = floorl(ldexpl(x, naive->q) / full);
	int top = (1 << naive->q) - 1;

	return metric < 0 ? 0 : metric > top ? top : (int)metric;
}

/* The slack is that of one cell; a sum has it for each of its own. */
static inline int naive_lowest(const struct naive_dre *naive, int cells)
{
	return naive_metric(naive, naive->x - cells * naive->slack,
			    naive->full);
}

static inline int naive_highest(const struct naive_dre *naive)
{
	return naive_metric(naive, naive->x,
			    naive->full - (1 / naive->alpha + 1) * UNIT);
}

#endif /* _UNIT_NAIVE_DRE_H */
