// SPDX-License-Identifier: GPL-2.0
/*
 * A metric from the ECN marks of nodes that know nothing of conga.
 *
 * Goal: CE of a stamp (CONGA, section 3.3) has only what nodes with conga write. Switches that
 * mark packets when their queue is long, as DCTCP needs it, tell the same of their links with
 * two bits. Clove-ECN (Katta et al., CoNEXT 2017) steers by such marks between hypervisors.
 *
 * Mechanism: the receiving leaf keeps, for each LBTag of the sender, the number P of packets
 * and the fraction F of them that was marked, both with exponential weights. When n packets
 * come after a pause of dt,
 *
 *	P := P (1 - min(dt / tau, 1/16)) + n
 *	F := F + (marked - F) n / P
 *
 * with the fabric's tau = Tdre / alpha. The metric is min(2^Q - 1, floor(2^Q 4 F)), but a metric m
 * stays what it was while 2^Q 4 F is from m - 1.5 to m + 2. Below a half it is 0, and from F = 1/4
 * on it is full scale. Each change is fed back at once, and receivers merge (GRO) only packets
 * with equal feedback, so that the metric must not follow every mark.
 *
 * A quarter is full scale, because the metric is compared with loads of links, and a link whose
 * queue marks is fully loaded. Hosts that obey marks keep their fraction low nevertheless: flows
 * of DCTCP with windows of W packets have about sqrt(2 / W) of them marked (Alizadeh et al.,
 * SIGMETRICS 2011), a quarter for W = 32. If F itself were the metric, the load of the leaf's
 * own uplink, which all its paths share, would hide the full link behind it.
 *
 * Few packets: within the usual tau of 160 us, a path of 1 Gbit/s carries 13 full packets, and
 * one of 100 Mbit/s a single one, whose fraction would be 0 or 1. So a pause forgets at
 * most a sixteenth: the memory is tau, or 16 packets where these take longer. Where no packet
 * came for Tage, all is forgotten, as the entry of the from-leaf table is no longer fed back.
 *
 * No marks: where none is remembered, nothing is counted, so that packets of a path that is not
 * congested write no word that CPUs share. The first mark then finds 16 packets without one, as
 * it does after all was forgotten: one mark alone must not close a path for as long as it takes
 * feedback to age from full scale.
 *
 * Many packets: at most one skb a grain (1.024 us) is counted, with all packets that GRO merged
 * in it, so that CPUs write the word no more often than that.
 * Whether an skb is the first of its grain does not depend on its mark, but for the first mark.
 * If two CPUs write at the same time, one of the two skbs is not counted.
 *
 * Fixed point: P has 7 bits of fraction and saturates at 511 packets, which is the usual tau at
 * 38 Gbit/s of full packets; above that the memory is so many packets. F has 16 bits. Changes
 * are rounded to the nearest, so that F stops short of 1 by at most P / n 2^-17, which is less
 * than 2^-8. A packet without a mark takes at least 2^-16, so that F gets to 0. Products are below
 * 2^32.
 */
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "paper/dre.h"
#include "paper/ecn.h"
#include "paper/sample.h"

#define CONGA_ECN_DECAY_MOST	(U32_MAX / CONGA_ECN_PACKETS)	/* by one pause */
#define CONGA_ECN_AHEAD		16	/* grains that the clocks of two CPUs may differ by */
#define CONGA_ECN_FULL_SHIFT	2	/* 1/4 of all packets marked is full scale */
#define CONGA_ECN_NEW		(CONGA_ECN_PACKETS << CONGA_ECN_WEIGHT_SHIFT)	/* unmarked */

/* conga_ecn_decay - the part of the memory of tau that a grain takes; @tdre in ns, or
 * CONGA_FABRIC_TDRE_AUTO, @alpha in millionths
 */
u32 conga_ecn_decay(u64 tdre, u32 alpha)
{
	u64 tau = div_u64((tdre ?: CONGA_TDRE_PAPER) * CONGA_ALPHA_ONE, alpha);

	return min_t(u64, div64_u64(CONGA_GRAIN_NS << 32, tau), U32_MAX);
}

/* conga_ecn_fraction - the fraction that was marked, up to CONGA_ECN_MOST */
u32 conga_ecn_fraction(conga_ecn_t marks)
{
	return marks >> CONGA_ECN_FRACTION_SHIFT & CONGA_ECN_MOST;
}

/* The weight that is left after a pause of so many grains */
static u32 conga_ecn_left(conga_ecn_t marks, u32 pause, u32 decay)
{
	u32 weight = marks & CONGA_ECN_MOST;
	u64 forgotten = min_t(u64, (u64)pause * decay, CONGA_ECN_DECAY_MOST);

	return weight - (weight * forgotten >> 32);
}

/* The fraction with packets of weight @more, which make it @all. */
static u32 conga_ecn_mix(u32 fraction, bool marked, u32 more, u32 all)
{
	if (marked)
		return fraction + ((CONGA_ECN_MOST - fraction) * more + all / 2) / all;
	return fraction - min(fraction, max((fraction * more + all / 2) / all, 1U));
}

static u8 conga_ecn_metric(conga_ecn_t marks)
{
	return marks >> CONGA_ECN_METRIC_SHIFT & CONGA_ECN_METRIC_MASK;
}

/* The metric after @before, which is 0 to 2^Q - 1 as well */
static u32 conga_ecn_step(u32 before, u32 fraction, u8 q)
{
	u32 level = min_t(u32, fraction << CONGA_ECN_FULL_SHIFT, CONGA_ECN_MOST);
	u32 halves = level >> (CONGA_ECN_FRACTION_BITS - 1 - q);

	if (level == CONGA_ECN_MOST)
		return BIT(q) - 1;
	if (halves && halves + 3 >= 2 * before && halves < 2 * before + 4)
		return before;
	return halves / 2;
}

/* Grains since the packets in the word; clocks of other CPUs may be ahead. */
static u32 conga_ecn_pause(conga_ecn_t marks, u64 now)
{
	u32 pause = (now >> CONGA_GRAIN_SHIFT) - (marks >> CONGA_ECN_TIME_SHIFT);

	pause &= BIT(CONGA_ECN_TIME_BITS) - 1;
	return pause > BIT(CONGA_ECN_TIME_BITS) - CONGA_ECN_AHEAD ? 0 : pause;
}

/**
 * conga_ecn_learn - packets came whose outer header is ECT or CE
 * @ecn: of their leaf
 * @tag: their LBTag
 * @packets: how many came together
 * @marked: all of them, or none
 * @memory: the fabric's
 * @now: ns
 *
 * Returns the metric that marks make: 0 for packets that are no news, which need no call. Any CPU,
 * softirq.
 */
u8 conga_ecn_learn(struct conga_ecn *ecn, u8 tag, u32 packets, bool marked,
		   const struct conga_ecn_memory *memory, u64 now)
{
	u32 more = min_t(u32, packets << CONGA_ECN_WEIGHT_SHIFT, CONGA_ECN_MOST);
	conga_ecn_t marks = READ_ONCE(ecn->marks[tag]);
	u32 pause = conga_ecn_pause(marks, now);
	u32 fraction, all;
	u64 metric;

	if (marks && !pause)
		return conga_ecn_metric(marks);
	if (!marks || (u64)pause << CONGA_GRAIN_SHIFT > memory->tage) {
		marks = CONGA_ECN_NEW;
		pause = 0;
	}
	all = conga_ecn_left(marks, pause, memory->decay) + more;
	fraction = conga_ecn_mix(conga_ecn_fraction(marks), marked, more, all);
	if (!fraction) {
		WRITE_ONCE(ecn->marks[tag], 0);
		return 0;
	}
	metric = conga_ecn_step(conga_ecn_metric(marks), fraction, memory->q);
	WRITE_ONCE(ecn->marks[tag],
		   now >> CONGA_GRAIN_SHIFT << CONGA_ECN_TIME_SHIFT |
		   metric << CONGA_ECN_METRIC_SHIFT |
		   fraction << CONGA_ECN_FRACTION_SHIFT | min_t(u32, all, CONGA_ECN_MOST));
	return metric;
}

void conga_ecn_flush(struct conga_ecn *ecn)
{
	u8 tag;

	for (tag = 0; tag < CONGA_TAGS_MAX; tag++)
		WRITE_ONCE(ecn->marks[tag], 0);
}
