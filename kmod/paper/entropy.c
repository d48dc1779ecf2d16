// SPDX-License-Identifier: GPL-2.0
/*
 * Several paths by one uplink, past nodes that know nothing of conga.
 *
 * Goal: nodes above a leaf (hardware spines, further tiers) hash the outer header of a packet,
 * so that all packets with one UDP source port take one path, and which one need not be known.
 * Feedback for each path steers around a slow link that two paths of an uplink do not share.
 * Clove (Katta et al., CoNEXT 2017) has such paths between hypervisors; CONGA's section 7
 * proposes them for larger topologies.
 *
 * Mechanism: each LBTag of an uplink has a source port of its own for each leaf. It stays
 * the same while the path is of use, since another port is another path, on which packets
 * may overtake. It is drawn anew when no answer comes back by the path any more, again and again
 * until one does, which takes two hello intervals to be seen; and when two
 * LBTags of an uplink keep telling the same: then both ports probably lead along one path,
 * and the other paths are not used.
 *
 * The same: the score of two LBTags grows by 1 with each look at which their metrics are
 * equal and not 0, and falls by 2 with each look at which they differ. Metrics of one path
 * differ now and then, because they were fed back at different moments: the score of two
 * LBTags of one path reaches its limit if they differ at less than a third of all looks. An
 * LBTag is compared with one lower LBTag of its uplink after the other: with the next one when
 * the score is 0.
 *
 * If each port of an LBTag tells the same, one after the other, there is probably only one path: by
 * one link to a node that has no other way, or by nodes that do not hash the source port. The
 * operator is told after some draws.
 */
#include <linux/bitops.h>
#include <linux/compiler.h>
#include <linux/hash.h>
#include <linux/kernel.h>
#include <linux/minmax.h>

#include "paper/entropy.h"

/* conga_entropy_fits - has the LBTag a port, within @range? */
bool conga_entropy_fits(const struct conga_entropy *entropy, u8 tag,
			const struct conga_entropy_range *range)
{
	return entropy->port[tag] >= range->min && entropy->port[tag] < range->max;
}

static bool conga_entropy_taken(const struct conga_entropy *entropy, u16 share, u16 port)
{
	for (; share; share &= share - 1)
		if (entropy->port[__ffs(share)] == port)
			return true;
	return false;
}

/**
 * conga_entropy_draw - draw another port for an LBTag
 * @entropy: the leaf's
 * @share: the LBTags of the uplink
 * @tag: one of these
 * @range: of the tunnel; max is more than min
 * @random: uniform
 *
 * The port differs from those of the uplink's LBTags, the current one of @tag among them, if
 * the range has room: multiples of the golden ratio are as far apart as possible.
 */
void conga_entropy_draw(struct conga_entropy *entropy, u16 share, u8 tag,
			const struct conga_entropy_range *range, u32 random)
{
	u32 ports = range->max - range->min;
	u16 port;
	u8 tries;

	for (tries = 0; tries <= CONGA_TAGS_MAX; tries++) {
		port = range->min + (((u64)random * ports) >> 32);
		if (!conga_entropy_taken(entropy, share, port))
			break;
		random += GOLDEN_RATIO_32;
	}
	WRITE_ONCE(entropy->port[tag], port);
	entropy->score[tag] = 0;
}

/* conga_entropy_forget - packets by the LBTag keep their ports */
void conga_entropy_forget(struct conga_entropy *entropy, u8 tag)
{
	WRITE_ONCE(entropy->port[tag], 0);
	WRITE_ONCE(entropy->alike[tag], 0);
	entropy->score[tag] = 0;
}

/* The LBTag of the uplink below @tag that follows @other, in a circle; @tag must not be the
 * lowest.
 */
static u8 conga_entropy_next(u16 share, u8 tag, u8 other)
{
	u16 lower = share & (BIT(tag) - 1);
	u16 higher = lower & ~(BIT(other) | (BIT(other) - 1));

	return __ffs(higher ?: lower);
}

/* Counts the ports in a row that told the same. One path differs from itself now and then, so
 * that a difference takes one from the count; paths that differ soon have taken all of it.
 */
static void conga_entropy_count(struct conga_entropy *entropy, u8 tag)
{
	u8 *alike = &entropy->alike[tag];

	if (!entropy->score[tag])
		WRITE_ONCE(*alike, *alike - !!*alike);
	else if (entropy->score[tag] == CONGA_ENTROPY_ALIKE && *alike < CONGA_ENTROPY_ALIKE_MOST)
		WRITE_ONCE(*alike, *alike + 1);
}

/* Looks at an LBTag; true if it is taken to share the path of another one. */
static bool conga_entropy_alike(struct conga_entropy *entropy, u16 share, u8 tag,
				const struct conga_entropy_view *view)
{
	u8 *score = &entropy->score[tag], *other = &entropy->other[tag];

	if (!*score)
		*other = conga_entropy_next(share, tag, *other);
	if (~view->fresh & (BIT(*other) | BIT(tag)) ||
	    !(view->metric[*other] | view->metric[tag]))
		return false;
	if (view->metric[*other] != view->metric[tag])
		*score -= min_t(u8, *score, CONGA_ENTROPY_DIFFER);
	else if (*score < CONGA_ENTROPY_ALIKE)
		++*score;
	conga_entropy_count(entropy, tag);
	return *score == CONGA_ENTROPY_ALIKE;
}

/* Looks at the silence of an LBTag; true if its port should be drawn, at first and after each
 * patience.
 */
static bool conga_entropy_silent(struct conga_entropy *entropy, u8 tag,
				 const struct conga_entropy_view *view)
{
	u8 *looks = &entropy->silent[tag];

	if (!(view->silent & BIT(tag))) {
		*looks = 0;
		return false;
	}
	*looks = *looks % CONGA_ENTROPY_PATIENCE + 1;
	return *looks == 1;
}

/**
 * conga_entropy_judge - look at the LBTags of one uplink
 * @entropy: the leaf's
 * @share: the LBTags of the uplink
 * @view: what feedback tells now
 *
 * Returns the LBTags whose ports should be drawn anew, a bit each.
 */
u16 conga_entropy_judge(struct conga_entropy *entropy, u16 share,
			const struct conga_entropy_view *view)
{
	u16 left, bad = 0;

	for (left = share; left; left &= left - 1)
		if (conga_entropy_silent(entropy, __ffs(left), view))
			bad |= left & -left;
	for (left = share & (share - 1); left; left &= left - 1)
		if (conga_entropy_alike(entropy, share, __ffs(left), view))
			bad |= left & -left;
	return bad;
}
