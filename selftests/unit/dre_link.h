/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_DRE_LINK_H
#define _UNIT_DRE_LINK_H

/* One link, ours and the model's; one cell per CPU. */
#include "unit.h"
#include "paper/dre.h"
#include "naive_dre.h"

#define HOUR		(3600 * NS)
#define BURST		65536u		/* gso_max_size of most devices */
#define CELLS_MAX	8

struct link {
	struct conga_dre_params	params;
	struct conga_dre_cell	cell[CELLS_MAX];
	int			cells;
	struct naive_dre	naive;
	u64			edges;	/* checks that allowed two metrics */
	u64			checks;
};

static inline void link_setup(struct link *link, u64 rate, u64 tdre, u32 alpha,
			      int q)
{
	*link = (struct link) { .cells = 1 };
	conga_dre_setup(&link->params, rate, tdre, alpha, q);
	naive_setup(&link->naive, rate, tdre, alpha, q);
}

static inline void link_add(struct link *link, int cpu, u64 now, u32 bytes)
{
	conga_dre_add(&link->params, &link->cell[cpu],
		      conga_dre_period(&link->params, now), bytes);
	naive_advance(&link->naive, now);
	link->naive.x += bytes;
}

static inline u64 link_x(const struct link *link, u64 now)
{
	u64 period = conga_dre_period(&link->params, now);
	u64 x = 0;
	int i;

	for (i = 0; i < link->cells; i++)
		x += conga_dre_at(&link->params, &link->cell[i], period) +
		     conga_dre_own(&link->cell[i], period);
	return x;
}

static inline int link_metric(const struct link *link, u64 now)
{
	return conga_dre_metric(&link->params, link_x(link, now));
}

/* Returns the metric, for statistics. */
static inline int link_check(struct link *link, u64 now,
			     const struct unit_random *random)
{
	struct naive_dre *naive = &link->naive;
	u64 x = link_x(link, now);
	int metric = conga_dre_metric(&link->params, x);
	int lowest, highest;

	naive_advance(naive, now);
	lowest = naive_lowest(naive, link->cells);
	highest = naive_highest(naive);
	unit_check_step(random, x * UNIT <= naive->x + naive->x * BITS(50) &&
			x * UNIT >= naive->x - link->cells * naive->slack,
			"at %llu ns: X %.3Lf, not %.3Lf, slack %.3Lf", now,
			x * UNIT, naive->x, naive->slack);
	unit_check_step(random, metric >= lowest && metric <= highest,
			"at %llu ns: metric %d, not %d, X %.3Lf of %.3Lf", now,
			metric, lowest, naive->x, naive->full);
	link->checks++;
	link->edges += lowest != highest;
	return metric;
}

#endif /* _UNIT_DRE_LINK_H */
