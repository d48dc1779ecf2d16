/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_LINUX_PERCPU_H
#define _UNIT_LINUX_PERCPU_H

#include <stdbool.h>
#include <stdlib.h>

/* A thread says which CPU it is. */
#define UNIT_CPUS		8

extern __thread int unit_cpu;
extern bool unit_cpu_no_memory;

#define __percpu

#define alloc_percpu(type)	\
	(unit_cpu_no_memory ? NULL : (type *)calloc(UNIT_CPUS, sizeof(type)))
#define free_percpu(data)		free(data)
#define per_cpu_ptr(data, cpu)		(&(data)[cpu])
#define this_cpu_ptr(data)		(&(data)[unit_cpu])
#define for_each_possible_cpu(cpu)	\
	for (int *__cpu = unit_cpu_first(&(cpu)); *__cpu < UNIT_CPUS; (*__cpu)++)

static inline int *unit_cpu_first(int *cpu)
{
	*cpu = 0;
	return cpu;
}

#endif /* _UNIT_LINUX_PERCPU_H */
