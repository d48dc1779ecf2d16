// SPDX-License-Identifier: GPL-2.0
/*
 * How much processor time the rounds of fabrics may take that nobody's cgroup pays for
 *
 * Goal: timers and works run in softirq and in the kernel's threads. A user without
 * privileges can have fabrics in network namespaces of his own, thousands of leaves in each
 * and as many namespaces as his limits allow; the time that their rounds take is everybody's.
 * So rounds of one kind (probes, hellos, looks for news, looks at rates) take 1 / SHARE of
 * one processor at most, those of all such fabrics together.
 *
 * Mechanism: a round is timed, and the next round of its kind in its fabric does not begin
 * before SHARE times as long have passed, times the number of such fabrics. A round that
 * waited is not made up for. Where rounds become longer than the interval that was asked for
 * allows, they come less often. Each round counts OVERHEAD more, for the interrupt or the
 * thread that it takes to begin one.
 *
 * What the packets that a round sends cost where they arrive is not in that time. The
 * slower the machine, the longer is a round, and the rarer: what is bounded is a share.
 *
 * A network namespace whose user namespace is the initial one belongs to the administrator,
 * who is not bounded.
 *
 * Fixed point: ns. A round counts 2^36 ns (a minute) at most, there are 2^20 namespaces at
 * most, SHARE has 7 bits: 63 in all.
 */
#include <linux/atomic.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/user_namespace.h>
#include <net/net_namespace.h>

#include "objects/pace.h"

#define CONGA_PACE_SHARE	100
#define CONGA_PACE_OVERHEAD	5000ULL			/* ns */
#define CONGA_PACE_LONGEST	(60ULL * NSEC_PER_SEC)	/* a round, as it counts */
#define CONGA_PACE_WAIT		(10ULL * NSEC_PER_SEC)	/* then it is asked again */

/* Fabrics in network namespaces of users without privileges. */
static atomic_t conga_pace_fabrics = ATOMIC_INIT(0);

/* conga_pace_bounds - are the rounds of @net bounded? Any context */
bool conga_pace_bounds(const struct net *net)
{
	return net->user_ns != &init_user_ns;
}

/* conga_pace_enter - @net has a fabric from now on */
void conga_pace_enter(const struct net *net)
{
	if (conga_pace_bounds(net))
		atomic_inc(&conga_pace_fabrics);
}

/* conga_pace_leave - it has none any more */
void conga_pace_leave(const struct net *net)
{
	if (conga_pace_bounds(net))
		atomic_dec(&conga_pace_fabrics);
}

/* conga_pace_wait - ns until a round may begin, and 10 s at most; any context
 *
 * Fabrics come and go, so that a round that waited has to ask again.
 */
u64 conga_pace_wait(const struct conga_pace *pace)
{
	u64 rest = READ_ONCE(pace->spent) * CONGA_PACE_SHARE *
		   atomic_read(&conga_pace_fabrics);
	s64 wait = READ_ONCE(pace->ended) + rest - ktime_get_ns();

	return clamp_t(s64, wait, 0, CONGA_PACE_WAIT);
}

/* conga_pace_jiffies - until a work may begin its next round, @interval ns at least */
unsigned long conga_pace_jiffies(const struct conga_pace *pace, u64 interval)
{
	return nsecs_to_jiffies(max(interval, conga_pace_wait(pace)));
}

/* conga_pace_spent - a round of the fabric of @net took @spent ns and is over */
void conga_pace_spent(struct conga_pace *pace, const struct net *net, u64 spent)
{
	if (!conga_pace_bounds(net))
		return;
	WRITE_ONCE(pace->spent, min(spent, CONGA_PACE_LONGEST) + CONGA_PACE_OVERHEAD);
	WRITE_ONCE(pace->ended, ktime_get_ns());
}
