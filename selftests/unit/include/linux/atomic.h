/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_LINUX_ATOMIC_H
#define _UNIT_LINUX_ATOMIC_H

#include <linux/types.h>

struct unit_atomic64 {
	s64	counter;
};

#define atomic64_t	struct unit_atomic64

static inline s64 atomic64_read(const atomic64_t *v)
{
	return __atomic_load_n(&v->counter, __ATOMIC_RELAXED);
}

static inline bool atomic64_try_cmpxchg(atomic64_t *v, s64 *old, s64 new)
{
	return __atomic_compare_exchange_n(&v->counter, old, new, false,
					   __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

#endif /* _UNIT_LINUX_ATOMIC_H */
