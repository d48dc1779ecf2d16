/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_DRE_H
#define _CONGA_DRE_H

/* Inline, because conga_link() adds every packet to the DRE of its port. */
#include <uapi/linux/conga.h>
#include <linux/math64.h>
#include <linux/types.h>

#define CONGA_ALPHA_ONE		1000000u	/* alpha is in millionths */

#define CONGA_TDRE_PAPER	CONGA_FABRIC_TDRE_USUAL	/* tau = 160 us, section 3.6 */
#define CONGA_DRE_BURSTS	4		/* that tau must span in auto */

#define CONGA_DRE_POWERS	16
#define CONGA_DRE_RECENT	8
#define CONGA_DRE_SHIFT		8	/* of DRE units in a byte */

/* The parameters are constant while a DRE lives. */
struct conga_dre_params {
	u64	tdre;		/* ns, decrement period */
	u64	full;		/* C * tau, in DRE units of 2^-8 byte */
	u8	q;
	u64	idle;		/* the most X whose metric is 0 */
	u32	recent[CONGA_DRE_RECENT]; /* (1 - alpha)^i, 32 bit fraction; but [0] is not used */
	u32	keep[CONGA_DRE_POWERS];	/* (1 - alpha)^(2^i), likewise */
};

/* One CPU's share of X, in DRE units of 2^-8 byte */
struct conga_dre_cell {
	u64	period;		/* time / tdre */
	u64	x;		/* at the start of that period */
	u64	added;		/* during that period */
};

u64 conga_dre_tdre(u64 tdre, u32 alpha, u64 rate, u32 burst);
void conga_dre_setup(struct conga_dre_params *params, u64 rate, u64 tdre,
		     u32 alpha, u8 q);
void conga_dre_advance(const struct conga_dre_params *params,
		       struct conga_dre_cell *cell, u64 period);
u64 conga_dre_decay(const struct conga_dre_params *params, u64 x,
		    u64 periods);
u8 conga_dre_metric(const struct conga_dre_params *params, u64 x);
u8 conga_dre_utilisation(const struct conga_dre_params *params, u64 x);
u64 conga_dre_bytes(u64 x);

/* conga_dre_period - the period to which @now, in ns, belongs */
static inline u64 conga_dre_period(const struct conga_dre_params *params,
				   u64 now)
{
	return div64_u64(now, params->tdre);
}

/* conga_dre_elapsed - periods since the cell's own. If another CPU's clock is behind, its
 * cell is ahead of us: such a cell is neither decayed nor moved.
 */
static inline s64 conga_dre_elapsed(const struct conga_dre_cell *cell,
				    u64 period)
{
	return (s64)(period - cell->period);
}

/* conga_dre_at - a cell's share of X at the start of @period, DRE units */
static inline u64 conga_dre_at(const struct conga_dre_params *params,
			       const struct conga_dre_cell *cell, u64 period)
{
	s64 elapsed = conga_dre_elapsed(cell, period);

	if (elapsed <= 0)
		return cell->x;
	return conga_dre_decay(params, cell->x + cell->added, elapsed);
}

/* conga_dre_add - count @bytes in @period */
static inline void conga_dre_add(const struct conga_dre_params *params,
				 struct conga_dre_cell *cell, u64 period,
				 u32 bytes)
{
	if (conga_dre_elapsed(cell, period) > 0)
		conga_dre_advance(params, cell, period);
	cell->added += (u64)bytes << CONGA_DRE_SHIFT;
}

/* conga_dre_own - the bytes of a cell since the start of @period, DRE units */
static inline u64 conga_dre_own(const struct conga_dre_cell *cell, u64 period)
{
	return conga_dre_elapsed(cell, period) <= 0 ? cell->added : 0;
}

/* conga_dre_loaded - is the metric of X more than 0? */
static inline bool conga_dre_loaded(const struct conga_dre_params *params,
				    u64 x)
{
	return x > params->idle;
}

#endif /* _CONGA_DRE_H */
