/* SPDX-License-Identifier: GPL-2.0 */
/* This is included before every file. It has the oldest kernel that is tested, and what a kernel
 * must be. There is no newest one: a header in this folder adapts to a change in a later kernel.
 */
#ifndef _CONGA_COMPAT_RANGE_H
#define _CONGA_COMPAT_RANGE_H

#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0)
#error "conga needs Linux 6.1 or newer"
#endif

/* Packets read and write 64-bit words of the module's tables without a lock. */
#ifndef CONFIG_64BIT
#error "conga needs a 64-bit kernel"
#endif

#endif /* _CONGA_COMPAT_RANGE_H */
