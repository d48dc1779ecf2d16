/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_NAIVE_WIRE_H
#define _UNIT_NAIVE_WIRE_H

/* The wire format as its table reads: fields written one bit at a time, each
 * known by its highest bit, where wire.h shifts and masks. Metrics are counted
 * in 64ths of full scale.
 */
#include "paper/wire.h"

#define SIXTH		6	/* bits of a metric on the wire */

#define BIT_TAG		23
#define BIT_CE		19
#define BIT_FB		16
#define BIT_FB_TAG	15
#define BIT_FB_CE	11
#define BIT_PRESENT	8
#define BIT_CE_LOW	7
#define BIT_FB_LOW	4

static inline u32 model_put(u32 word, int top, int width, unsigned int value)
{
	int i;

	for (i = 0; i < width; i++) {
		unsigned int one = (value >> (width - 1 - i)) % 2;

		word -= word & (1u << (top - i));
		word += one << (top - i);
	}
	return word;
}

static inline unsigned int model_get(u32 word, int top, int width)
{
	unsigned int value = 0;
	int i;

	for (i = 0; i < width; i++)
		value = 2 * value + (word >> (top - i)) % 2;
	return value;
}

static inline bool model_gpe(u32 word)
{
	return model_get(word, 31, 8) == 0x0c;
}

static inline bool model_ours(u32 word)
{
	return model_get(word, 31, 8) == 0x08 || model_gpe(word);
}

/* Byte 7 of the header is zero. */
static inline bool model_room(u32 vni)
{
	return vni % 256 == 0;
}

/* A metric as a fraction of 64. */
static inline unsigned int model_full(unsigned int metric, int q)
{
	while (q++ < SIXTH)
		metric *= 2;
	return metric;
}

static inline unsigned int model_metric(unsigned int full, int q)
{
	while (q++ < SIXTH)
		full /= 2;
	return full;
}

static inline u32 model_put_metric(u32 word, int high, int low,
				   unsigned int full)
{
	word = model_put(word, high, 3, full / 8);
	return model_gpe(word) ? word : model_put(word, low, 3, full % 8);
}

static inline unsigned int model_get_metric(u32 word, int high, int low)
{
	unsigned int full = 8 * model_get(word, high, 3);

	return model_gpe(word) ? full : full + model_get(word, low, 3);
}

static inline unsigned int model_ce(u32 word)
{
	return model_get_metric(word, BIT_CE, BIT_CE_LOW);
}

static inline u32 model_clear(u32 word)
{
	return model_put(word, 23, model_gpe(word) ? 16 : 24, 0);
}

static inline u32 model_stamp(u32 word, const struct conga_stamp *stamp, int q)
{
	word = model_put(model_clear(word), BIT_TAG, 4, stamp->tag);
	word = model_put(word, BIT_PRESENT, 1, 1);
	word = model_put_metric(word, BIT_CE, BIT_CE_LOW,
				model_full(stamp->ce, q));
	if (!stamp->feedback)
		return word;
	word = model_put(word, BIT_FB, 1, 1);
	word = model_put(word, BIT_FB_TAG, 4, stamp->fb_tag);
	return model_put_metric(word, BIT_FB_CE, BIT_FB_LOW,
				model_full(stamp->fb_metric, q));
}

static inline void model_read(struct conga_stamp *stamp, u32 word, int q)
{
	unsigned int fb = model_get_metric(word, BIT_FB_CE, BIT_FB_LOW);

	stamp->tag = model_get(word, BIT_TAG, 4);
	stamp->ce = model_metric(model_ce(word), q);
	stamp->feedback = model_get(word, BIT_FB, 1);
	/* Without feedback they are 0, whatever the bits. */
	stamp->fb_tag = stamp->feedback ? model_get(word, BIT_FB_TAG, 4) : 0;
	stamp->fb_metric = stamp->feedback ? model_metric(fb, q) : 0;
}

static inline bool model_same(const struct conga_stamp *a,
			      const struct conga_stamp *b)
{
	return a->tag == b->tag && a->ce == b->ce &&
	       a->feedback == b->feedback && a->fb_tag == b->fb_tag &&
	       a->fb_metric == b->fb_metric;
}

/* What a field of this packet can hold of a metric. */
static inline unsigned int model_held(u32 word, unsigned int full)
{
	return model_gpe(word) ? full - full % 8 : full;
}

static inline u32 model_put_more(u32 word, unsigned int full)
{
	full = model_held(word, full);
	return full > model_ce(word) ?
	       model_put_metric(word, BIT_CE, BIT_CE_LOW, full) : word;
}

static inline u32 model_raise(u32 word, unsigned int metric, int q)
{
	return model_put_more(word, model_full(metric, q));
}

/* In steps of this box's scale, of which the last is the most. */
static inline u32 model_add(u32 word, unsigned int metric, int q)
{
	unsigned int steps = model_metric(model_ce(word), q);

	while (metric-- && steps < (1u << q) - 1)
		steps++;
	return model_put_more(word, model_full(steps, q));
}

#endif /* _UNIT_NAIVE_WIRE_H */
