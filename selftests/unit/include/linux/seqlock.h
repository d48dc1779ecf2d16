/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_LINUX_SEQLOCK_H
#define _UNIT_LINUX_SEQLOCK_H

#include <sched.h>

#include <linux/compiler.h>
#include <linux/preempt.h>
#include <linux/types.h>

/* The sequence is odd while a writer writes. */
struct seqcount {
	unsigned int sequence;
};

#define seqcount_t	struct seqcount

/* What happens, if anything, wherever a writer may come between a reader's
 * steps.
 */
struct unit_race {
	void	(*step)(void);
};

extern __thread struct unit_race unit_race;

/* How often a thread began to read. */
extern __thread int unit_seq_reads;

/* How often a thread began to write where another one could preempt it. */
extern __thread int unit_seq_preemptible;

static inline void seqcount_init(seqcount_t *count)
{
	WRITE_ONCE(count->sequence, 0);
}

static inline void write_seqcount_begin(seqcount_t *count)
{
	unit_seq_preemptible += !unit_preempt_off;
	WRITE_ONCE(count->sequence, count->sequence + 1);
	__atomic_thread_fence(__ATOMIC_RELEASE);
}

static inline void write_seqcount_end(seqcount_t *count)
{
	__atomic_thread_fence(__ATOMIC_RELEASE);
	WRITE_ONCE(count->sequence, count->sequence + 1);
}

static inline void unit_seq_pause(void)
{
	if (unit_race.step)
		unit_race.step();
	else
		sched_yield();
}

static inline unsigned int read_seqcount_begin(const seqcount_t *count)
{
	unsigned int start;

	unit_seq_reads++;
	/* A thread can lose its processor while it writes, a softirq cannot. */
	while ((start = __atomic_load_n(&count->sequence, __ATOMIC_ACQUIRE)) & 1)
		unit_seq_pause();
	if (unit_race.step)
		unit_race.step();
	return start;
}

static inline bool read_seqcount_retry(const seqcount_t *count,
				       unsigned int start)
{
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return READ_ONCE(count->sequence) != start;
}

#endif /* _UNIT_LINUX_SEQLOCK_H */
