/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_ECN_H
#define _CONGA_ECN_H

#include <linux/compiler.h>
#include <linux/types.h>
#include <uapi/linux/conga.h>

/* Packets that are remembered if fewer than so many come within tau; a power of two */
#define CONGA_ECN_PACKETS	16

/* The packets of one LBTag and the fraction of them that was marked, in one word, which CPUs
 * read and write without lock or barrier:
 *
 *   63..38 time in grains, its lower bits | 37..32 metric | 31..16 fraction | 15..0 weight
 *
 * All ones are a fraction of 1. A weight is a number of packets, with 7 bits of fraction. The word
 * is 0 while no packet that is remembered was marked.
 */
typedef u64 conga_ecn_t;

#define CONGA_ECN_TIME_SHIFT	38
#define CONGA_ECN_TIME_BITS	26
#define CONGA_ECN_METRIC_SHIFT	32
#define CONGA_ECN_METRIC_MASK	0x3fu
#define CONGA_ECN_FRACTION_SHIFT 16
#define CONGA_ECN_FRACTION_BITS	16
#define CONGA_ECN_WEIGHT_SHIFT	7
#define CONGA_ECN_MOST		0xffffu	/* of the fraction, and of the weight */

/* The marks on the packets of one leaf, by its LBTag */
struct conga_ecn {
	conga_ecn_t	marks[CONGA_TAGS_MAX];
};

/* What the fabric's parameters say of the memory of marks */
struct conga_ecn_memory {
	u32	decay;		/* part that is forgotten in a grain, of 2^32 */
	u64	tage;		/* ns without a packet, after which all is forgotten */
	u8	q;		/* bits of a metric */
};

/* conga_ecn_is_news - does a packet change what is remembered? One without a mark does so only
 * where a mark is remembered.
 */
static inline bool conga_ecn_is_news(const struct conga_ecn *ecn, u8 tag, bool marked)
{
	return marked || READ_ONCE(ecn->marks[tag]);
}

u32 conga_ecn_decay(u64 tdre, u32 alpha);
u8 conga_ecn_learn(struct conga_ecn *ecn, u8 tag, u32 packets, bool marked,
		   const struct conga_ecn_memory *memory, u64 now);
u32 conga_ecn_fraction(conga_ecn_t marks);
void conga_ecn_flush(struct conga_ecn *ecn);

#endif /* _CONGA_ECN_H */
