/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_HULA_H
#define _CONGA_HULA_H

#include <uapi/linux/conga.h>
#include <linux/types.h>

#include "paper/wire.h"

#define CONGA_PROBE_HOPS	8		/* nodes that a probe passes, at most */
#define CONGA_HULA_FAIL		3	/* probe intervals, until a hop is given up */
#define CONGA_PROBE_FULL	0xff		/* utilisation of a full link, or more */

/* The best path to one leaf by its probes, in one word that packets read without a lock; 0:
 * no probe came yet.
 *
 *   63..16 time in grains | 15..8 utilisation | 7 valid | 3..0 hop
 */
typedef u64 conga_best_t;

/* The state of one leaf. The user's lock guards it, but packets read best and near, and those
 * that report paths read out, without the lock.
 */
struct conga_hula {
	conga_best_t	best;
	u64		next;	/* ns, when the next probe is due to be handed on */
	u64		window;	/* ns, begin of the window that heard is about */
	u16		heard;	/* hops by which a probe came in the window, a bit each */
	u16		known;	/* hops by which a probe ever came */
	u16		out;	/* of these, those by which none came for a whole window */
	u16		near;	/* hops that are nearly as good as the best, a bit each */
	u8		said[CONGA_TAGS_MAX];	/* utilisation by known hops, of the last probe */
};

/* A probe that came by a hop. */
struct conga_hula_probe {
	u64	now;		/* ns */
	u64	tp;		/* ns, the interval of probes */
	u64	tfail;		/* ns without a probe, after which a hop is given up */
	u16	usable;		/* hops that lead to the leaf now, a bit each */
	u8	hop;
	u8	utilisation;	/* of the path by it, 0 to CONGA_PROBE_FULL */
	u8	near;		/* steps of utilisation that near hops may have more; 0: none */
};

/* The result of a probe */
struct conga_hula_step {
	bool	taken;		/* its value is the best now */
	bool	moved;		/* the best hop changed */
	u8	before;		/* the previous best hop, or CONGA_TAG_NONE */
	bool	hand_on;	/* the node must hand a probe on now */
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
