// SPDX-License-Identifier: GPL-2.0
/*
 * The number of bytes that wait in the queues of a port
 *
 * Goal: the sum of the bytes in a device's qdiscs, for policies that read it at every
 * packet. The cost must depend on neither the number of the device's queues nor the number
 * of the machine's processors.
 *
 * Mechanism: a device with one queue, or one qdisc for all queues, has one number, which is
 * read. If a device has a qdisc for each queue, only the queues in use are read, which a
 * recent look found filled. A reader of the sum looks at QUEUES_A_LOOK queues in turn, if
 * LOOK ns have passed since the previous look. A queue stays in use for KEEP passes at
 * least, and twice as many at most, after a look last found bytes in it. So a queue that
 * begins to fill counts after one pass at most, which is LOOK ns times the number of queues
 * over QUEUES_A_LOOK; from then on its number is exact.
 *
 * A qdisc without a lock (pfifo_fast) counts per CPU: what one CPU enqueues another may
 * dequeue, so that only the sum over all CPUs is a number of bytes. A CPU that does neither
 * has 0. The CPUs with other numbers are remembered; each look searches the CPUs of one
 * filled queue, the next in turn, for more of them. An empty qdisc is known by its state,
 * and needs no sum.
 *
 * The CPU that looks writes the sets. Looks overlap only if one takes longer than LOOK;
 * bits are set one by one, and the next pass sets a bit that a race lost.
 */
#include <linux/atomic.h>
#include <linux/bitmap.h>
#include <linux/cpumask.h>
#include <linux/ktime.h>
#include <linux/netdevice.h>
#include <linux/slab.h>
#include <net/sch_generic.h>

#include "objects/backlog.h"

#define CONGA_BACKLOG_LOOK		(1 * NSEC_PER_MSEC)
#define CONGA_BACKLOG_QUEUES_A_LOOK	256
#define CONGA_BACKLOG_KEEP		4	/* passes */

struct conga_backlog {
	const struct net_device	*dev;
	atomic64_t		due;	/* ns, the next look */
	u32			next;	/* queue with which the next look begins */
	u32			passes;
	u32			searched; /* queue whose CPUs were searched last */
	u32			longs;	/* longs of each set of queues */
	unsigned long		*cpus;	/* CPUs that counted something */
	unsigned long		*before; /* filled queues, of the passes before */
	unsigned long		recent[]; /* filled queues, since these */
};

static struct Qdisc *conga_backlog_qdisc(const struct conga_backlog *backlog,
					 unsigned int queue)
{
	return rcu_dereference_bh(netdev_get_tx_queue(backlog->dev, queue)->qdisc);
}

static u32 conga_backlog_of_cpu(const struct Qdisc *qdisc, int cpu)
{
	/* The number may lack another CPU's last packet, which does no harm. */
	return data_race(per_cpu_ptr(qdisc->cpu_qstats, cpu)->backlog);
}

static u32 conga_backlog_of_cpus(const struct conga_backlog *backlog,
				 const struct Qdisc *qdisc)
{
	unsigned int cpu;
	u32 sum = 0;

	if (nolock_qdisc_is_empty(qdisc))
		return 0;
	for_each_set_bit(cpu, backlog->cpus, nr_cpu_ids)
		sum += conga_backlog_of_cpu(qdisc, cpu);
	/* A CPU has enqueued that is not remembered yet. */
	return (s32)sum < 0 ? 0 : sum;
}

/* The bytes are counted under the qdisc's lock, or per CPU. */
static u32 conga_backlog_of(const struct conga_backlog *backlog,
			    const struct Qdisc *qdisc)
{
	if (qdisc_is_percpu_stats(qdisc))
		return conga_backlog_of_cpus(backlog, qdisc);
	/* They are counted under the qdisc's lock; the number may lack the last packet. */
	return data_race(qdisc->qstats.backlog);
}

static bool conga_backlog_waits(const struct Qdisc *qdisc)
{
	if (qdisc_is_percpu_stats(qdisc))
		return !nolock_qdisc_is_empty(qdisc);
	/* Likewise. */
	return data_race(qdisc->qstats.backlog);
}

static void conga_backlog_search_cpus(struct conga_backlog *backlog,
				      const struct Qdisc *qdisc)
{
	int cpu;

	for_each_possible_cpu(cpu)
		if (conga_backlog_of_cpu(qdisc, cpu) &&
		    !test_bit(cpu, backlog->cpus))
			set_bit(cpu, backlog->cpus);
}

/* A pass over all queues is complete. */
static void conga_backlog_pass(struct conga_backlog *backlog)
{
	unsigned int i;

	if (++backlog->passes % CONGA_BACKLOG_KEEP)
		return;
	for (i = 0; i < backlog->longs; i++)
		WRITE_ONCE(backlog->before[i], xchg(&backlog->recent[i], 0));
}

static unsigned int conga_backlog_next(struct conga_backlog *backlog,
				       unsigned int queues)
{
	unsigned int queue = READ_ONCE(backlog->next);

	if (queue >= queues)
		queue = 0;
	WRITE_ONCE(backlog->next, queue + 1 < queues ? queue + 1 : 0);
	if (queue + 1 >= queues)
		conga_backlog_pass(backlog);
	return queue;
}

/* Is this queue, counted from the one that was searched last, before @other? */
static bool conga_backlog_sooner(const struct conga_backlog *backlog,
				 unsigned int queue, unsigned int other)
{
	return queue - backlog->searched - 1 < other - backlog->searched - 1;
}

static void conga_backlog_look(struct conga_backlog *backlog, unsigned int queues)
{
	unsigned int n = min_t(unsigned int, queues, CONGA_BACKLOG_QUEUES_A_LOOK);
	unsigned int queue, turn = 0;
	struct Qdisc *search = NULL;

	while (n--) {
		struct Qdisc *qdisc;

		queue = conga_backlog_next(backlog, queues);
		qdisc = conga_backlog_qdisc(backlog, queue);
		if (!conga_backlog_waits(qdisc))
			continue;
		set_bit(queue, backlog->recent);
		if (qdisc_is_percpu_stats(qdisc) &&
		    (!search || conga_backlog_sooner(backlog, queue, turn))) {
			search = qdisc;
			turn = queue;
		}
	}
	if (!search)
		return;
	conga_backlog_search_cpus(backlog, search);
	backlog->searched = turn;
}

/* One of several concurrent readers looks. */
static bool conga_backlog_is_due(struct conga_backlog *backlog, u64 now)
{
	s64 due = atomic64_read(&backlog->due);

	return (s64)(now - due) >= 0 &&
	       atomic64_cmpxchg(&backlog->due, due, now + CONGA_BACKLOG_LOOK) == due;
}

static u32 conga_backlog_sum(const struct conga_backlog *backlog, unsigned int queues)
{
	unsigned int i, queue;
	u32 sum = 0;

	for (i = 0; i < backlog->longs; i++) {
		unsigned long set = READ_ONCE(backlog->recent[i]) |
				    READ_ONCE(backlog->before[i]);

		for (; set; set &= set - 1) {
			queue = i * BITS_PER_LONG + __ffs(set);
			if (queue < queues)
				sum += conga_backlog_of(backlog,
							conga_backlog_qdisc(backlog, queue));
		}
	}
	return sum;
}

/*
 * conga_backlog_read - bytes that wait in the port's queues; BH disabled, RCU
 *
 * The qdiscs count these bytes. Bytes that the driver has taken are not included.
 */
u32 conga_backlog_read(struct conga_backlog *backlog, u64 now)
{
	unsigned int queues = READ_ONCE(backlog->dev->real_num_tx_queues);
	struct Qdisc *first = conga_backlog_qdisc(backlog, 0);

	if (queues == 1 || first == rcu_access_pointer(backlog->dev->qdisc)) {
		if (qdisc_is_percpu_stats(first) && conga_backlog_is_due(backlog, now))
			conga_backlog_search_cpus(backlog, first);
		return conga_backlog_of(backlog, first);
	}
	if (conga_backlog_is_due(backlog, now))
		conga_backlog_look(backlog, queues);
	return conga_backlog_sum(backlog, queues);
}

static void conga_backlog_search_all(struct conga_backlog *backlog)
{
	struct Qdisc *qdisc;
	unsigned int i;

	for (i = 0; i < backlog->dev->num_tx_queues; i++) {
		rcu_read_lock_bh();
		qdisc = conga_backlog_qdisc(backlog, i);
		if (qdisc_is_percpu_stats(qdisc))
			conga_backlog_search_cpus(backlog, qdisc);
		rcu_read_unlock_bh();
	}
}

/* conga_backlog_create - for a device that outlives it; may sleep. NULL without memory */
struct conga_backlog *conga_backlog_create(const struct net_device *dev)
{
	unsigned int longs = BITS_TO_LONGS(dev->num_tx_queues);
	struct conga_backlog *backlog;

	backlog = kzalloc(struct_size(backlog, recent,
				      2 * longs + BITS_TO_LONGS(nr_cpu_ids)),
			  GFP_KERNEL_ACCOUNT);
	if (!backlog)
		return NULL;
	backlog->dev = dev;
	backlog->longs = longs;
	backlog->before = &backlog->recent[longs];
	backlog->cpus = &backlog->before[longs];
	conga_backlog_search_all(backlog);
	return backlog;
}

/* conga_backlog_free - free after RCU; NULL is allowed */
void conga_backlog_free(struct conga_backlog *backlog)
{
	kfree(backlog);
}
