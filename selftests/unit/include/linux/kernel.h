/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_LINUX_KERNEL_H
#define _UNIT_LINUX_KERNEL_H

#include <linux/types.h>

#define U8_MAX		((u8)~0U)
#define ARRAY_SIZE(x)	(sizeof(x) / sizeof((x)[0]))

#endif /* _UNIT_LINUX_KERNEL_H */
