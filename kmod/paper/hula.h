/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_HULA_H
#define _CONGA_HULA_H

#include <linux/types.h>

#include "paper/wire.h"

#define CONGA_PROBE_HOPS	8		/* boxes that a probe passes, at most */
#define CONGA_HULA_FAIL		3	/* probe intervals, until a hop is given up */
#define CONGA_PROBE_FULL	0xff		/* utilisation of a full link, or more */

/* What probes say of the way to one leaf, in one word that packets read without a
 * lock; 0: nothing was ever said.
 *
 *   63..16 time in grains | 15..8 utilisation | 7 valid | 3..0 hop
 */
typedef u64 conga_best_t;

/* One leaf's. Guarded by its user's lock, but best, which packets read, and out, which
 * those read who tell of paths.
 */
struct conga_hula {
	conga_best_t	best;
	u64		next;	/* ns, the next probe to be handed on is due */
	u64		window;	/* ns, the begin of the time that heard is about */
	u16		heard;	/* hops that a probe came by in it, a bit each */
	u16		known;	/* hops that one ever came by */
	u16		out;	/* of these, none came by for a whole window */
};

/* A probe that came by a hop. */
struct conga_hula_probe {
	u64	now;		/* ns */
	u64	tp;		/* ns, the interval of probes */
	u64	tfail;		/* ns, without a probe for that long a hop is given up */
	u16	usable;		/* hops that lead to the leaf now, a bit each */
	u8	hop;
	u8	utilisation;	/* of the path by it, 0 to CONGA_PROBE_FULL */
};

/* What became of it. */
struct conga_hula_step {
	bool	taken;		/* it tells what is best now */
	bool	moved;		/* that is another hop than before */
	u8	before;		/* that one, or CONGA_TAG_NONE */
	bool	hand_on;	/* the box hands on what it knows, now */
};

void conga_hula_reset(struct conga_hula *hula);
void conga_hula_hear(struct conga_hula *hula,
		     const struct conga_hula_probe *probe,
		     struct conga_hula_step *step);
bool conga_hula_due(struct conga_hula *hula,
		    const struct conga_hula_probe *probe);
u8 conga_hula_hop(conga_best_t best, u64 now, u64 tfail);
u64 conga_hula_age(conga_best_t best, u64 now);

u8 conga_hula_utilisation(conga_best_t best);

#endif /* _CONGA_HULA_H */
