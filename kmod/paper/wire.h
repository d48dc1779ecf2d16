/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_WIRE_H
#define _CONGA_WIRE_H

/* Inline, because conga_tx(), conga_link() and conga_rx() read and write these bits for
 * every stamped packet.
 */
#include <linux/bits.h>
#include <linux/types.h>

/*
 * Wire format, version 1: the only place that knows bit positions.
 *
 * The first word of the VXLAN header, in host order:
 *
 *   31..24  23..20  19..17  16  15..12   11..9      8        7..0
 *   flags   LBTag   CE      FB  FB_LBTag FB_Metric  present  byte 3
 *
 * A metric on the wire is a fraction of full scale, left-aligned in six bits,
 * so that nodes with a different Q still compare alike. The upper three bits stand in CE
 * and FB_Metric. The lower three are zero for Q <= 3; for larger Q they stand in byte 3,
 * bits 7..5 and 4..2. VXLAN-GPE needs byte 3 for itself.
 *
 * Where the policy marks packets, with Q <= 3, byte 3 has a queue instead: bit 7 says
 * that there is one, 6..2 are its code (queue.h), 1..0 are zero. A node that knows no
 * queues clears bits 7..5 when it raises CE, and thereby the mark.
 */
#define CONGA_VXLAN_FLAGS_SHIFT	24
#define CONGA_VXLAN_FLAG_VNI	0x08000000u
#define CONGA_VXLAN_FLAGS_PLAIN	0x08
#define CONGA_VXLAN_FLAGS_GPE	0x0c

#define CONGA_WIRE_TAG_SHIFT	20
#define CONGA_WIRE_CE_SHIFT	17
#define CONGA_WIRE_FB		BIT(16)
#define CONGA_WIRE_FB_TAG_SHIFT	12
#define CONGA_WIRE_FB_CE_SHIFT	9
#define CONGA_WIRE_PRESENT	BIT(8)
#define CONGA_WIRE_CE_LOW_SHIFT	5
#define CONGA_WIRE_FB_LOW_SHIFT	2

#define CONGA_WIRE_QUEUE_VALID	0x80u
#define CONGA_WIRE_QUEUE_SHIFT	2

#define CONGA_WIRE_TAG_MASK	0xfu
#define CONGA_WIRE_QUEUE_MASK	0x1fu
#define CONGA_WIRE_HALF_MASK	0x7u
#define CONGA_WIRE_HALF_BITS	3
#define CONGA_WIRE_METRIC_BITS	6

#define CONGA_WIRE_STAMP_MASK	0x00ffff00u	/* the 16 bits we own */
#define CONGA_WIRE_BYTE3_MASK	0x000000ffu
#define CONGA_VNI_LOW_MASK	0x000000ffu	/* byte 7 of the header */
#define CONGA_VNI_SHIFT		8
#define CONGA_VNI_CONTROL	0xfffffeu

#define CONGA_TAG_NONE		0xff	/* no LBTag, never on the wire */

/* The contents of a stamp. Metrics count from 0 to 2^Q - 1. */
struct conga_stamp {
	u8	tag;		/* LBTag, 0-15 */
	u8	ce;
	bool	feedback;	/* otherwise fb_tag and fb_metric are 0 when read */
	u8	fb_tag;
	u8	fb_metric;
};

static inline u8 conga_wire_flags(u32 word)
{
	return word >> CONGA_VXLAN_FLAGS_SHIFT;
}

static inline bool conga_wire_gpe(u32 word)
{
	return conga_wire_flags(word) == CONGA_VXLAN_FLAGS_GPE;
}

/* May we use the reserved bits of a header with these flags? */
static inline bool conga_wire_flags_ours(u32 word)
{
	return conga_wire_flags(word) == CONGA_VXLAN_FLAGS_PLAIN ||
	       conga_wire_gpe(word);
}

static inline bool conga_wire_stamped(u32 word, u32 vni)
{
	return conga_wire_flags_ours(word) && (word & CONGA_WIRE_PRESENT) &&
	       !(vni & CONGA_VNI_LOW_MASK);
}

/* The bits that a stamp may overwrite; byte 3 belongs to GPE. */
static inline u32 conga_wire_reserved(u32 word)
{
	return conga_wire_gpe(word) ? CONGA_WIRE_STAMP_MASK :
	       CONGA_WIRE_STAMP_MASK | CONGA_WIRE_BYTE3_MASK;
}

/* Are all reserved bits zero? Then it is plain VXLAN or GPE, with room for a stamp. */
static inline bool conga_wire_blank(u32 word, u32 vni)
{
	return conga_wire_flags_ours(word) &&
	       !(word & conga_wire_reserved(word)) &&
	       !(vni & CONGA_VNI_LOW_MASK);
}

static inline bool conga_wire_control(u32 vni)
{
	return vni >> CONGA_VNI_SHIFT == CONGA_VNI_CONTROL;
}

static inline u32 conga_wire_clear(u32 word)
{
	return word & ~conga_wire_reserved(word);
}

/* A metric of a larger Q than the current one was written before Q was changed: it is full
 * scale.
 */
static inline u32 conga_wire_put_metric(u8 metric, u8 q, u8 high, u8 low)
{
	u32 max = BIT(q) - 1;
	u32 full = (metric < max ? metric : max) << (CONGA_WIRE_METRIC_BITS - q);

	return full >> CONGA_WIRE_HALF_BITS << high |
	       (full & CONGA_WIRE_HALF_MASK) << low;
}

static inline u8 conga_wire_get_metric(u32 word, u8 q, u8 high, u8 low)
{
	u32 full = ((word >> high) & CONGA_WIRE_HALF_MASK) <<
		   CONGA_WIRE_HALF_BITS |
		   ((word >> low) & CONGA_WIRE_HALF_MASK);

	return full >> (CONGA_WIRE_METRIC_BITS - q);
}

/* Byte 3 of a GPE packet is its next protocol, never a part of a metric. */
static inline u32 conga_wire_without_protocol(u32 word)
{
	return conga_wire_gpe(word) ? word & ~CONGA_WIRE_BYTE3_MASK : word;
}

/* A stamp on a blank word. GPE carries at most three bits of a metric. */
static inline u32 conga_wire_stamp(u32 word, const struct conga_stamp *stamp,
				   u8 q)
{
	u32 bits = CONGA_WIRE_PRESENT |
		   (u32)stamp->tag << CONGA_WIRE_TAG_SHIFT |
		   conga_wire_put_metric(stamp->ce, q, CONGA_WIRE_CE_SHIFT,
					 CONGA_WIRE_CE_LOW_SHIFT);

	if (stamp->feedback)
		bits |= CONGA_WIRE_FB |
			(u32)stamp->fb_tag << CONGA_WIRE_FB_TAG_SHIFT |
			conga_wire_put_metric(stamp->fb_metric, q,
					      CONGA_WIRE_FB_CE_SHIFT,
					      CONGA_WIRE_FB_LOW_SHIFT);
	return conga_wire_clear(word) | (bits & conga_wire_reserved(word));
}

static inline void conga_wire_read(struct conga_stamp *stamp, u32 word, u8 q)
{
	u32 bits = conga_wire_without_protocol(word);

	stamp->tag = (bits >> CONGA_WIRE_TAG_SHIFT) & CONGA_WIRE_TAG_MASK;
	stamp->ce = conga_wire_get_metric(bits, q, CONGA_WIRE_CE_SHIFT,
					  CONGA_WIRE_CE_LOW_SHIFT);
	stamp->feedback = bits & CONGA_WIRE_FB;
	stamp->fb_tag = 0;
	stamp->fb_metric = 0;
	if (!stamp->feedback)
		return;
	stamp->fb_tag = (bits >> CONGA_WIRE_FB_TAG_SHIFT) & CONGA_WIRE_TAG_MASK;
	stamp->fb_metric = conga_wire_get_metric(bits, q,
						 CONGA_WIRE_FB_CE_SHIFT,
						 CONGA_WIRE_FB_LOW_SHIFT);
}

/* The bits of CE; byte 3 of a GPE packet has none. */
static inline u32 conga_wire_ce_mask(u32 word)
{
	return conga_wire_reserved(word) &
	       (CONGA_WIRE_HALF_MASK << CONGA_WIRE_CE_SHIFT |
		CONGA_WIRE_HALF_MASK << CONGA_WIRE_CE_LOW_SHIFT);
}

/* conga_wire_ce - the CE in units of this node's Q */
static inline u8 conga_wire_ce(u32 word, u8 q)
{
	return conga_wire_get_metric(word & conga_wire_ce_mask(word), q,
				     CONGA_WIRE_CE_SHIFT,
				     CONGA_WIRE_CE_LOW_SHIFT);
}

/* CE := max(CE, metric), section 3.3. They are compared in full width: a node with a small
 * Q never lowers a CE that a node with a larger Q wrote, and clears the lower bits when it
 * raises the CE.
 */
static inline u32 conga_wire_raise(u32 word, u8 metric, u8 q)
{
	u32 mask = conga_wire_ce_mask(word);
	u32 old = word & mask;
	u32 new = mask & conga_wire_put_metric(metric, q, CONGA_WIRE_CE_SHIFT,
					       CONGA_WIRE_CE_LOW_SHIFT);

	return new > old ? (word & ~mask) | new : word;
}

/* CE := CE + metric, at most full scale: a path's metric as the sum of its
 * links' (section 7). The sum is in units of this node's Q: bits below them, which a node
 * with a larger Q wrote, are dropped when something is added, unless that lowered a CE near
 * full scale. Two metrics fit in 7 bits.
 */
static inline u32 conga_wire_add(u32 word, u8 metric, u8 q)
{
	u32 mask = conga_wire_ce_mask(word);
	u32 old = word & mask;
	u8 sum = metric + conga_wire_ce(word, q);
	u32 new = mask & conga_wire_put_metric(sum, q, CONGA_WIRE_CE_SHIFT,
					       CONGA_WIRE_CE_LOW_SHIFT);

	return new > old ? (word & ~mask) | new : word;
}

/* Byte 3 of a packet with the mark of a queue */
static inline u8 conga_wire_queue(u8 code)
{
	return CONGA_WIRE_QUEUE_VALID |
	       (code & CONGA_WIRE_QUEUE_MASK) << CONGA_WIRE_QUEUE_SHIFT;
}

/* Does byte 3 have the mark of a queue? Any other value is not ours. */
static inline bool conga_wire_has_queue(u32 word)
{
	u32 rest = CONGA_WIRE_BYTE3_MASK &
		   ~(CONGA_WIRE_QUEUE_MASK << CONGA_WIRE_QUEUE_SHIFT);

	return !conga_wire_gpe(word) && (word & rest) == CONGA_WIRE_QUEUE_VALID;
}

static inline u8 conga_wire_queue_code(u32 word)
{
	return (word >> CONGA_WIRE_QUEUE_SHIFT) & CONGA_WIRE_QUEUE_MASK;
}

/* GPE keeps its own byte 3. */
static inline u32 conga_wire_with_byte3(u32 word, u8 byte3)
{
	return conga_wire_gpe(word) ? word :
	       (word & ~CONGA_WIRE_BYTE3_MASK) | byte3;
}

#endif /* _CONGA_WIRE_H */
