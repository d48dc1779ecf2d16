/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_NAIVE_ECN_H
#define _UNIT_NAIVE_ECN_H

/* The fraction of marked packets as ecn.c's first comment reads: sums of real numbers. */
#include "paper/ecn.h"
#include "paper/sample.h"

#define NAIVE_FORGOTTEN	(1.0 / 16)	/* by one pause, at most */
#define NAIVE_NEW	16		/* packets without a mark, to begin with */
#define NAIVE_MOST	(65535.0 / 128)	/* packets */

struct naive_ecn {
	double	marked, packets;	/* with exponential weights */
	u64	grain;			/* of the last packets */
};

/* Reals never get to 0: the fraction that is kept in 16 bits does, and counts from then on anew. */
static inline void naive_ecn_forget(struct naive_ecn *naive)
{
	*naive = (struct naive_ecn) { 0 };
}

static inline double naive_ecn_learn(struct naive_ecn *naive, bool marked, u32 packets, u64 now,
				     double tau, u64 tage)
{
	u64 grain = now >> CONGA_GRAIN_SHIFT;
	double pause = (double)(grain - naive->grain) * CONGA_GRAIN_NS;
	double keep = 1 - (pause / tau < NAIVE_FORGOTTEN ? pause / tau : NAIVE_FORGOTTEN);

	if (!naive->packets && !marked)
		return 0;
	if (naive->packets && grain == naive->grain)
		return naive->marked / naive->packets;
	if (!naive->packets || pause > tage) {
		naive->packets = NAIVE_NEW;
		naive->marked = 0;
		keep = 1;
	}
	naive->grain = grain;
	naive->packets = naive->packets * keep + packets;
	naive->marked = naive->marked * keep + (marked ? packets : 0);
	if (naive->packets > NAIVE_MOST) {
		naive->marked *= NAIVE_MOST / naive->packets;
		naive->packets = NAIVE_MOST;
	}
	return naive->marked / naive->packets;
}

#endif /* _UNIT_NAIVE_ECN_H */
