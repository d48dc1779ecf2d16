/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_ASM_BARRIER_H
#define _UNIT_ASM_BARRIER_H

/* Who pairs them says so where it uses them. */
#define smp_load_acquire(p)	__atomic_load_n((p), __ATOMIC_ACQUIRE)
/* Who pairs them says so where it uses them. */
#define smp_store_release(p, v)	__atomic_store_n((p), (v), __ATOMIC_RELEASE)

#endif /* _UNIT_ASM_BARRIER_H */
