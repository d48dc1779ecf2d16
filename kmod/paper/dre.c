// SPDX-License-Identifier: GPL-2.0
/*
 * DRE: discounting rate estimator (CONGA, section 3.2)
 *
 * Goal: one number per link that follows its load within tau and falls as
 * fast as it rises, at the cost of an addition per packet.
 *
 * Mechanism: X += bytes for every packet; X *= (1 - alpha) every Tdre. With
 * tau = Tdre / alpha, X is about rate * tau, and the metric is
 *
 *	min(2^Q - 1, floor(2^Q * X / (C * tau)))
 *
 * The decrement is computed on access for all periods that have passed, never
 * by a timer, so an idle link costs nothing.
 *
 * Sharing: X is linear in the bytes, so every CPU keeps its own share, and the
 * link's X at the start of a period is the exact sum of the shares at that
 * time. Bytes of the running period are kept apart (added), so that the sum
 * does not depend on when in the period it is made, and bytes of a CPU that
 * went quiet have decayed when they are found, rather than appear late as new.
 *
 * Fixed point: X and C * tau in units of 2^-8 byte. The largest C * tau is
 * 10^12 bit/s * 1 s / 0.001 = 1.25 * 10^14 bytes, 47 bits; with 8 bits of
 * fraction and Q = 6 bits of shift this is 61 bits. Powers of (1 - alpha) are
 * 32 bit fractions, rounded down: X decays too far by at most about 10^-7 of itself, plus
 * 2^-8 byte for each of at most 16 products.
 */
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "paper/dre.h"

#define CONGA_NS_PER_BYTE	8000000000ULL	/* at 1 bit/s */

/* x * fraction / 2^32, without a 128 bit product */
static u64 conga_dre_scale(u64 x, u32 fraction)
{
	return (x >> 32) * fraction + (((x & 0xffffffffU) * fraction) >> 32);
}

/* conga_dre_decay - the part of @x that is left after so many periods */
u64 conga_dre_decay(const struct conga_dre_params *params, u64 x,
		    u64 periods)
{
	int i;

	/* Where packets come often, few periods are between two of them. */
	if (likely(periods - 1 < CONGA_DRE_RECENT - 1))
		return conga_dre_scale(x, params->recent[periods]);
	if (periods >> CONGA_DRE_POWERS)
		return 0;
	for (i = 0; periods && x; i++, periods >>= 1)
		if (periods & 1)
			x = conga_dre_scale(x, params->keep[i]);
	return x;
}

/**
 * conga_dre_tdre - the decrement period in force
 * @tdre: ns as configured, or CONGA_FABRIC_TDRE_AUTO
 * @alpha: millionths
 * @rate: bit/s
 * @burst: bytes that can enter the queue at once
 *
 * The paper's 16 us suit a link whose bursts are short against tau. A slow
 * link fed with large GSO packets would read full, then idle, most of the
 * time; for it tau is stretched to the time of a few bursts.
 */
u64 conga_dre_tdre(u64 tdre, u32 alpha, u64 rate, u32 burst)
{
	u64 tau;

	if (tdre != CONGA_FABRIC_TDRE_AUTO)
		return tdre;
	tau = div64_u64(CONGA_DRE_BURSTS * CONGA_NS_PER_BYTE * burst, rate);
	return clamp_t(u64, div64_u64(tau * alpha, CONGA_ALPHA_ONE),
		       CONGA_TDRE_PAPER, CONGA_FABRIC_TDRE_MAX);
}

void conga_dre_setup(struct conga_dre_params *params, u64 rate, u64 tdre,
		     u32 alpha, u8 q)
{
	u64 keep = div64_u64((u64)(CONGA_ALPHA_ONE - alpha) << 32,
			     CONGA_ALPHA_ONE);
	int i;

	params->tdre = tdre;
	params->q = q;
	params->full = mul_u64_u64_div_u64(rate << CONGA_DRE_SHIFT,
					   tdre * CONGA_ALPHA_ONE,
					   CONGA_NS_PER_BYTE * alpha);
	if (!params->full)
		params->full = 1;
	params->idle = (params->full - 1) >> q;
	params->recent[1] = keep;
	for (i = 2; i < CONGA_DRE_RECENT; i++)
		params->recent[i] = conga_dre_scale(params->recent[i - 1], keep);
	for (i = 0; i < CONGA_DRE_POWERS; i++) {
		params->keep[i] = keep;
		keep = conga_dre_scale(keep, keep);
	}
}

/* conga_dre_advance - called before a cell counts its first bytes of @period */
void conga_dre_advance(const struct conga_dre_params *params,
		       struct conga_dre_cell *cell, u64 period)
{
	cell->x = conga_dre_at(params, cell, period);
	cell->added = 0;
	cell->period = period;
}

/* conga_dre_metric - X quantised against C * tau, 0 to 2^Q - 1 */
u8 conga_dre_metric(const struct conga_dre_params *params, u64 x)
{
	if (!conga_dre_loaded(params, x))
		return 0;
	if (x >= params->full)
		return (1u << params->q) - 1;
	return div64_u64(x << params->q, params->full);
}

/* conga_dre_utilisation - X over C * tau in 8 bits; 255 means full or more */
u8 conga_dre_utilisation(const struct conga_dre_params *params, u64 x)
{
	if (x >= params->full)
		return U8_MAX;
	return div64_u64(x << 8, params->full);
}

u64 conga_dre_bytes(u64 x)
{
	return x >> CONGA_DRE_SHIFT;
}
