/* SPDX-License-Identifier: GPL-2.0 */
/* hrtimer_setup() exists since 6.13, and hrtimer_init() is gone since 6.15. */
#ifndef _CONGA_COMPAT_LINUX_HRTIMER_H
#define _CONGA_COMPAT_LINUX_HRTIMER_H

#include <linux/version.h>
#include_next <linux/hrtimer.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
static inline void
conga_compat_hrtimer_setup(struct hrtimer *timer,
			   enum hrtimer_restart (*function)(struct hrtimer *),
			   clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}

#define hrtimer_setup conga_compat_hrtimer_setup
#endif

#endif /* _CONGA_COMPAT_LINUX_HRTIMER_H */
