/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_SAMPLE_H
#define _CONGA_SAMPLE_H

/* Inline, because conga_tx() and conga_rx() make and read samples for every stamped packet,
 * in feedback.c and toleaf.c.
 */
#include <linux/bits.h>
#include <linux/types.h>

/* Idle times and ages are kept in grains of 2^10 ns: short enough for a
 * flowlet gap, and a word that is written at most once a grain rarely bounces between CPUs.
 */
#define CONGA_GRAIN_SHIFT	10
#define CONGA_GRAIN_NS		BIT_ULL(CONGA_GRAIN_SHIFT)

/* A metric and the time it was heard, in one word, which readers on other CPUs may read
 * without lock or barrier:
 *
 *   63..8 time in grains | 7 valid | 5..0 metric, 0 to 2^Q - 1
 */
typedef u64 conga_sample_t;

#define CONGA_SAMPLE_TIME_SHIFT	8
#define CONGA_SAMPLE_VALID	0x80
#define CONGA_SAMPLE_METRIC	0x3f

static inline conga_sample_t conga_sample_make(u8 metric, u64 now)
{
	return (now >> CONGA_GRAIN_SHIFT) << CONGA_SAMPLE_TIME_SHIFT |
	       CONGA_SAMPLE_VALID | (metric & CONGA_SAMPLE_METRIC);
}

static inline bool conga_sample_valid(conga_sample_t sample)
{
	return sample & CONGA_SAMPLE_VALID;
}

static inline u8 conga_sample_metric(conga_sample_t sample)
{
	return sample & CONGA_SAMPLE_METRIC;
}

/* ns, to the grain. If another CPU's clock is ahead, the age is 0. */
static inline u64 conga_sample_age(conga_sample_t sample, u64 now)
{
	s64 age = (now >> CONGA_GRAIN_SHIFT) -
		  (sample >> CONGA_SAMPLE_TIME_SHIFT);

	return age > 0 ? (u64)age << CONGA_GRAIN_SHIFT : 0;
}

#endif /* _CONGA_SAMPLE_H */
