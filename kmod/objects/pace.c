// SPDX-License-Identifier: GPL-2.0
/*
 * The processor time of fabrics' rounds, which no cgroup accounts for
 *
 * Goal: timers and works run in softirq and in the kernel's threads. A user without
 * privileges can have fabrics in network namespaces of his own, thousands of leaves in each
 * and as many namespaces as his limits allow; all users pay for the time of their rounds.
 * So the rounds of one kind (probes, hellos, looks for news, looks at rates) of all such
 * fabrics together take at most 1 / SHARE of one processor.
 *
 * Mechanism: a round is timed, and the next round of its kind in its fabric does not begin
 * before SHARE times as long have passed, times the number of such fabrics. A round that
 * waited is not repeated later. If rounds take too long for the configured interval, they
 * become less frequent. Each round counts OVERHEAD more, for the interrupt or the thread
 * that it takes to begin one.
 *
 * That time does not include the cost of a round's packets at their receivers. On a slower
 * machine a round is longer, and rounds are less frequent: the bound is a share of the
 * time.
 *
 * A network namespace whose user namespace is the initial one belongs to the administrator,
 * whose rounds have no bound.
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
#define CONGA_PACE_LONGEST	(60ULL * NSEC_PER_SEC)	/* the longest that a round counts */
#define CONGA_PACE_WAIT		(10ULL * NSEC_PER_SEC)	/* the longest wait, after which it is
							 * asked again
							 */

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

/* conga_pace_leave - @net has no fabric any more */
void conga_pace_leave(const struct net *net)
{
	if (conga_pace_bounds(net))
		atomic_dec(&conga_pace_fabrics);
}

/* conga_pace_wait - ns until a round may begin, at most 10 s; any context
 *
 * Fabrics come and go, so that a round that waited must call this again.
 */
u64 conga_pace_wait(const struct conga_pace *pace)
{
	u64 rest = READ_ONCE(pace->spent) * CONGA_PACE_SHARE *
		   atomic_read(&conga_pace_fabrics);
	s64 wait = READ_ONCE(pace->ended) + rest - ktime_get_ns();

	return clamp_t(s64, wait, 0, CONGA_PACE_WAIT);
}

/* conga_pace_jiffies - jiffies until a work may begin its next round, at least @interval ns */
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
