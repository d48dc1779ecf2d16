/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_CLOCK_H
#define _CONGA_CLOCK_H

/*
 * One reading of the clock for both hooks of a packet: the link hook follows the tx hook at
 * once, on the same CPU, unless the packet waits in between. Inline, because both are hooks of
 * every packet; ktime_get_ns() takes some 45 instructions.
 */
#include <linux/cache.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/percpu.h>
#include <linux/skbuff.h>

/* The packet that got its path last on this CPU. It has a cache line of its own: other CPUs may
 * read what the allocator of per-CPU memory puts beside it.
 */
struct conga_clock {
	const struct sk_buff	*skb;	/* compared only */
	u64			now;	/* ns, when its path was chosen */
	u32			tick;	/* jiffies then */
} ____cacheline_aligned_in_smp;

DECLARE_PER_CPU(struct conga_clock, conga_clock);

/* conga_clock_keep - @skb got its path at @now; BH disabled */
static inline void conga_clock_keep(const struct sk_buff *skb, u64 now)
{
	this_cpu_write(conga_clock.skb, skb);
	this_cpu_write(conga_clock.now, now);
	this_cpu_write(conga_clock.tick, (u32)jiffies);
}

/* conga_clock_read - the time, for @skb, in ns; BH disabled
 *
 * If the packet was dropped instead, another one may get its address: the time is never older
 * than a jiffy, and a DRE takes one that is a little behind for that of another CPU.
 */
static inline u64 conga_clock_read(const struct sk_buff *skb)
{
	u32 tick = (u32)jiffies;

	if (this_cpu_read(conga_clock.skb) != skb || this_cpu_read(conga_clock.tick) != tick)
		return ktime_get_ns();
	this_cpu_write(conga_clock.skb, NULL);
	return this_cpu_read(conga_clock.now);
}

#endif /* _CONGA_CLOCK_H */
