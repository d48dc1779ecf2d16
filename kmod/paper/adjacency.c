// SPDX-License-Identifier: GPL-2.0
/*
 * Does the node at the other end of a link run conga, and does it agree?
 *
 * Goal: hellos pass spines, so that a leaf learns nothing of them. A spine without conga raises
 * no CE, and a spine with another Q writes CE in other bits: packets still arrive, and leaves
 * choose by wrong metrics.
 *
 * Mechanism: while hello is on, each node announces itself by each of its ports to the other
 * systems at the link, and remembers what it hears there. Announcements are not answered.
 *
 * On a link with more than two systems a node that differs hides the nodes that agree.
 */
#include <linux/string.h>

#include "paper/adjacency.h"

static bool conga_adjacency_is_fresh(const struct conga_adjacency *adjacency, u64 now)
{
	return adjacency->heard && now - adjacency->heard <= CONGA_ADJACENCY_LOST_NS;
}

/* conga_adjacency_reset - the port cannot send, or hello is off: forget all */
void conga_adjacency_reset(struct conga_adjacency *adjacency)
{
	memset(adjacency, 0, sizeof(*adjacency));
}

/* conga_adjacency_sent - an announcement left by the port; @now in ns, not 0 */
void conga_adjacency_sent(struct conga_adjacency *adjacency, u64 now)
{
	if (!adjacency->since)
		adjacency->since = now;
}

/* conga_adjacency_hear - an announcement came by the port; @now in ns, not 0 */
void conga_adjacency_hear(struct conga_adjacency *adjacency,
			  const struct conga_adjacency_news *news, u64 now)
{
	if (conga_adjacency_is_fresh(adjacency, now) &&
	    adjacency->news.id != news->id &&
	    adjacency->news.reason != CONGA_LEAF_ANSWERS &&
	    news->reason == CONGA_LEAF_ANSWERS)
		return;
	adjacency->news = *news;
	adjacency->heard = now;
}

/* conga_adjacency_state - an enum conga_neighbour; 0 if the node announces nothing itself */
u8 conga_adjacency_state(const struct conga_adjacency *adjacency, u64 now)
{
	if (!adjacency->since)
		return 0;
	if (conga_adjacency_is_fresh(adjacency, now))
		return adjacency->news.reason == CONGA_LEAF_ANSWERS ?
		       CONGA_NEIGHBOUR_CONGA : CONGA_NEIGHBOUR_MISMATCH;
	return now - adjacency->since <= CONGA_ADJACENCY_LOST_NS ?
	       CONGA_NEIGHBOUR_WAITING : CONGA_NEIGHBOUR_NONE;
}
