/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_FLOWLET_H
#define _CONGA_FLOWLET_H

/*
 * The entry of a flowlet, and the detection of gaps; flowlet.c says how flowlets work.
 *
 * An entry is one word:
 *
 *   63..29 time in grains | 28..13 leaf | 12..5 draw | 4 valid | 3..0 LBTag
 *
 * These functions are inline because packets call them: conga_tx() and conga_forward() look
 * for a gap at every packet (choose.h) and draw for each flowlet, and conga_tx() writes the
 * port of the draw into each packet.
 */
#include <linux/bits.h>
#include <linux/hash.h>
#include <linux/types.h>

#include "paper/sample.h"

/* An entry of the flowlet table is one word. An empty entry is 0. */
typedef u64 conga_flowlet_t;

#define CONGA_FLOWLET_TIME_SHIFT	29
#define CONGA_FLOWLET_TIME_MASK		GENMASK_ULL(34, 0)
#define CONGA_FLOWLET_AHEAD		BIT_ULL(20)	/* grains, 1 s */
#define CONGA_FLOWLET_LEAF_SHIFT	13
#define CONGA_FLOWLET_DRAW_SHIFT	5
#define CONGA_FLOWLET_DRAWS		255	/* 0 is none of them */
#define CONGA_FLOWLET_VALID		0x10
#define CONGA_FLOWLET_TAG		0x0f

enum conga_flowlet_state {
	CONGA_FLOWLET_EMPTY,
	CONGA_FLOWLET_EXPIRED,	/* the gap was long enough for a new flowlet */
	CONGA_FLOWLET_LIVE,
	CONGA_FLOWLET_COLLISION, /* live, but towards another leaf */
};

static inline conga_flowlet_t conga_flowlet_make(u8 tag, u16 leaf, u64 now)
{
	return (now >> CONGA_GRAIN_SHIFT) << CONGA_FLOWLET_TIME_SHIFT |
	       (u64)leaf << CONGA_FLOWLET_LEAF_SHIFT |
	       CONGA_FLOWLET_VALID | (tag & CONGA_FLOWLET_TAG);
}

/* conga_flowlet_with_draw - @entry, which has no draw yet, with @draw */
static inline conga_flowlet_t conga_flowlet_with_draw(conga_flowlet_t entry, u8 draw)
{
	return entry | (u64)draw << CONGA_FLOWLET_DRAW_SHIFT;
}

/* conga_flowlet_renew - @entry with the time of a packet that continues the flowlet */
static inline conga_flowlet_t conga_flowlet_renew(conga_flowlet_t entry, u64 now)
{
	return (now >> CONGA_GRAIN_SHIFT) << CONGA_FLOWLET_TIME_SHIFT |
	       (entry & (BIT_ULL(CONGA_FLOWLET_TIME_SHIFT) - 1));
}

static inline u8 conga_flowlet_tag(conga_flowlet_t entry)
{
	return entry & CONGA_FLOWLET_TAG;
}

static inline u16 conga_flowlet_leaf(conga_flowlet_t entry)
{
	return entry >> CONGA_FLOWLET_LEAF_SHIFT;
}

static inline u8 conga_flowlet_draw(conga_flowlet_t entry)
{
	return entry >> CONGA_FLOWLET_DRAW_SHIFT;
}

/* conga_flowlet_redraw - any draw but @previous, by @random, which is uniform and has 32 bits */
static inline u8 conga_flowlet_redraw(u8 previous, u32 random)
{
	u32 others = CONGA_FLOWLET_DRAWS - !!previous;
	u32 step = ((u64)random * others) >> 32;

	return (previous + step) % CONGA_FLOWLET_DRAWS + 1;
}

/*
 * conga_flowlet_port - UDP source port of a flowlet, from @min to below @max
 *
 * Multiples of the golden ratio, mod 1, are as far apart as possible, and the flow's hash
 * says where in the range they start. So the ports of a flow's draws lie all over the range
 * and differ, as long as the range has room: 700 ports are enough.
 */
static inline u16 conga_flowlet_port(u32 hash, u8 draw, u16 min, u16 max)
{
	u32 place = hash + (u32)draw * GOLDEN_RATIO_32;

	return min + (((u64)place * (max - min)) >> 32);
}

/* Grains since the last packet, in 35 bits. If another CPU's clock is ahead, the entry may
 * have a time after ours; the idle time is 0 then.
 */
static inline u64 conga_flowlet_grains(conga_flowlet_t entry, u64 now)
{
	u64 diff = ((now >> CONGA_GRAIN_SHIFT) -
		    (entry >> CONGA_FLOWLET_TIME_SHIFT)) &
		   CONGA_FLOWLET_TIME_MASK;

	return diff > CONGA_FLOWLET_TIME_MASK - CONGA_FLOWLET_AHEAD ? 0 : diff;
}

/* conga_flowlet_idle - ns since the entry's last packet, to the grain */
static inline u64 conga_flowlet_idle(conga_flowlet_t entry, u64 now)
{
	return conga_flowlet_grains(entry, now) << CONGA_GRAIN_SHIFT;
}

/* conga_flowlet_stale - is the entry's time so old that it must be written again? */
static inline bool conga_flowlet_stale(conga_flowlet_t entry, u64 now)
{
	return conga_flowlet_grains(entry, now);
}

/**
 * conga_flowlet_state - the state of the entry for a packet to @leaf
 * @entry: the word, read once
 * @leaf: the leaf's index
 * @now: ns
 * @tfl: ns; 0 decides for every packet
 */
static inline enum conga_flowlet_state
conga_flowlet_state(conga_flowlet_t entry, u16 leaf, u64 now, u64 tfl)
{
	if (!(entry & CONGA_FLOWLET_VALID))
		return CONGA_FLOWLET_EMPTY;
	if (!tfl || conga_flowlet_idle(entry, now) > tfl)
		return CONGA_FLOWLET_EXPIRED;
	if (conga_flowlet_leaf(entry) != leaf)
		return CONGA_FLOWLET_COLLISION;
	return CONGA_FLOWLET_LIVE;
}

bool conga_flowlet_is_live(conga_flowlet_t entry, u64 now, u64 tfl);

#endif /* _CONGA_FLOWLET_H */
