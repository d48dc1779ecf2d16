// SPDX-License-Identifier: GPL-2.0
/*
 * HULA's state of one destination (section 3 of the paper)
 *
 * Goal: every node knows the least utilised path to a leaf, from the probes of that leaf,
 * with a constant memory per leaf.
 *
 * Mechanism: a probe carries the largest utilisation of the links that it passed,
 * each in the direction of the traffic, which is the opposite of its own. It replaces the
 * stored value if it is better; if it came by the best hop, since that path may have become
 * worse; and if the stored value is older than Tfail or its hop no longer leads to the
 * leaf. Of all probes about a leaf that arrive within Tp one is handed on, with the best
 * value: pacing by tokens tolerates half a Tp of jitter, and never exceeds one probe per Tp
 * on average.
 *
 * In the paper, all flowlets of one Tp take one hop, at every node: the links of the best
 * path fill while the others drain, and the next probes turn all of them over. If the
 * operator wants so, a node therefore also remembers what the last probe by each hop said,
 * and which hops are near: at most so many steps more utilised than the best.
 *
 * A hop by which no probe came for Tfail is out, whether it was the best or only carries
 * the rest of earlier flowlets. The silence of the best hop is detected after Tfail, that
 * of others after Tfail to 2 Tfail, since windows of Tfail are compared.
 *
 * N. Katta et al., "HULA: Scalable Load Balancing Using Programmable Data Planes",
 * ACM SOSR 2016.
 */
#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/minmax.h>

#include "paper/hula.h"
#include "paper/sample.h"

#define CONGA_BEST_TIME_SHIFT	16
#define CONGA_BEST_LOAD_SHIFT	8
#define CONGA_BEST_VALID	0x80
#define CONGA_BEST_HOP		0x0f

static conga_best_t conga_hula_make(u8 hop, u8 utilisation, u64 now)
{
	return (now >> CONGA_GRAIN_SHIFT) << CONGA_BEST_TIME_SHIFT |
	       (u64)utilisation << CONGA_BEST_LOAD_SHIFT |
	       CONGA_BEST_VALID | (hop & CONGA_BEST_HOP);
}

/* conga_hula_age - ns since @best was heard, to the grain; ~0 if never. If another CPU's
 * clock is ahead, the age is 0.
 */
u64 conga_hula_age(conga_best_t best, u64 now)
{
	s64 age = (now >> CONGA_GRAIN_SHIFT) - (best >> CONGA_BEST_TIME_SHIFT);

	if (!(best & CONGA_BEST_VALID))
		return ~0ULL;
	return age > 0 ? (u64)age << CONGA_GRAIN_SHIFT : 0;
}

/* conga_hula_hop - the best hop, CONGA_TAG_NONE if no probe came for @tfail */
u8 conga_hula_hop(conga_best_t best, u64 now, u64 tfail)
{
	if (conga_hula_age(best, now) > tfail)
		return CONGA_TAG_NONE;
	return best & CONGA_BEST_HOP;
}

/* conga_hula_reset - forgets all about the leaf; under its lock */
void conga_hula_reset(struct conga_hula *hula)
{
	WRITE_ONCE(hula->best, 0);
	WRITE_ONCE(hula->out, 0);
	WRITE_ONCE(hula->near, 0);
	hula->next = 0;
	hula->window = 0;
	hula->heard = 0;
	hula->known = 0;
}

/* Which hops were silent for a whole window? */
static void conga_hula_window(struct conga_hula *hula,
			      const struct conga_hula_probe *probe)
{
	u16 out = hula->out;

	if (probe->now - hula->window >= probe->tfail) {
		out = hula->known & ~hula->heard;
		hula->heard = 0;
		hula->window = probe->now;
	}
	hula->heard |= BIT(probe->hop);
	hula->known |= BIT(probe->hop);
	WRITE_ONCE(hula->out, out & ~BIT(probe->hop));
}

/* Must the probe replace the stored value? */
static bool conga_hula_better(const struct conga_hula *hula,
			      const struct conga_hula_probe *probe)
{
	u8 best = conga_hula_hop(hula->best, probe->now, probe->tfail);

	return best == CONGA_TAG_NONE || best == probe->hop ||
	       !(probe->usable & BIT(best)) ||
	       probe->utilisation < conga_hula_utilisation(hula->best);
}

static void conga_hula_take(struct conga_hula *hula,
			    const struct conga_hula_probe *probe,
			    struct conga_hula_step *step)
{
	u8 before = hula->best & CONGA_BEST_HOP;
	bool known = hula->best & CONGA_BEST_VALID;

	step->taken = true;
	step->moved = !known || before != probe->hop;
	step->before = known ? before : CONGA_TAG_NONE;
	if (known && step->moved &&
	    conga_hula_age(hula->best, probe->now) > probe->tfail)
		WRITE_ONCE(hula->out, hula->out | BIT(before));
	WRITE_ONCE(hula->best, conga_hula_make(probe->hop, probe->utilisation,
					       probe->now));
}

/* Which hops are nearly as good as the best? */
static void conga_hula_compare(struct conga_hula *hula,
			       const struct conga_hula_probe *probe)
{
	u32 most = conga_hula_utilisation(hula->best) + probe->near;
	u16 left = hula->known & ~hula->out, near = 0;

	hula->said[probe->hop] = probe->utilisation;
	for (; probe->near && left; left &= left - 1)
		if (hula->said[__ffs(left)] <= most)
			near |= BIT(__ffs(left));
	WRITE_ONCE(hula->near, near);
}

/* conga_hula_due - must a probe about the leaf be handed on now? For a probe whose port is
 * no hop .now and .tp are enough.
 */
bool conga_hula_due(struct conga_hula *hula,
		    const struct conga_hula_probe *probe)
{
	if (probe->now + probe->tp / 2 < hula->next)
		return false;
	hula->next = max(hula->next, probe->now) + probe->tp;
	return true;
}

/**
 * conga_hula_hear - a probe about the leaf came by a hop that leads there
 * @hula: the leaf's, under its lock
 * @probe: the utilisation of this node's own link must be in it already
 * @step: set to what changed, and to what the caller must do
 */
void conga_hula_hear(struct conga_hula *hula,
		     const struct conga_hula_probe *probe,
		     struct conga_hula_step *step)
{
	*step = (struct conga_hula_step) {};
	conga_hula_window(hula, probe);
	if (conga_hula_better(hula, probe))
		conga_hula_take(hula, probe, step);
	conga_hula_compare(hula, probe);
	step->hand_on = conga_hula_due(hula, probe);
}

/* conga_hula_utilisation - utilisation of the best path when it was heard */
u8 conga_hula_utilisation(conga_best_t best)
{
	return best >> 8;
}
