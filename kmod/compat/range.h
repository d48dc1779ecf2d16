/* SPDX-License-Identifier: GPL-2.0 */
/* Read before every file: the oldest kernel that this is tested with. There is no
 * newest one: what a later kernel changes goes into a header of this folder.
 */
#ifndef _CONGA_COMPAT_RANGE_H
#define _CONGA_COMPAT_RANGE_H

#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0)
#error "conga needs Linux 6.1 or newer"
#endif

#endif /* _CONGA_COMPAT_RANGE_H */
