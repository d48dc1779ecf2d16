/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_PACE_H
#define _CONGA_PACE_H

#include <linux/types.h>

struct net;

/* The rounds of one kind, see pace.c. The end of such a round writes it, and one round runs
 * at a time; a concurrent reader may see the length of one round and the end of another.
 */
struct conga_pace {
	u64	ended;	/* ns, the last round */
	u64	spent;	/* ns, length of the last round; 0: no wait is needed */
};

bool conga_pace_bounds(const struct net *net);
void conga_pace_enter(const struct net *net);
void conga_pace_leave(const struct net *net);
u64 conga_pace_wait(const struct conga_pace *pace);
unsigned long conga_pace_jiffies(const struct conga_pace *pace, u64 interval);
void conga_pace_spent(struct conga_pace *pace, const struct net *net, u64 spent);

#endif /* _CONGA_PACE_H */
