// SPDX-License-Identifier: GPL-2.0
/* What the shadows of percpu.h, preempt.h and seqlock.h share with the tests. */
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/seqlock.h>

__thread int unit_cpu, unit_preempt_off, unit_seq_reads, unit_seq_preemptible;
__thread struct unit_race unit_race;
bool unit_cpu_no_memory;
