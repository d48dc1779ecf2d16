/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_LINUX_CACHE_H
#define _UNIT_LINUX_CACHE_H

/* A matter of speed, which is not tested here. */
#define ____cacheline_aligned_in_smp

#endif /* _UNIT_LINUX_CACHE_H */
