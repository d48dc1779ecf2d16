/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_LINUX_KERNEL_H
#define _UNIT_LINUX_KERNEL_H

#include <linux/types.h>

#define U8_MAX		((u8)~0U)
#define U32_MAX		((u32)~0U)
#define U64_MAX		((u64)~0ULL)
#define ARRAY_SIZE(x)	(sizeof(x) / sizeof((x)[0]))

#endif /* _UNIT_LINUX_KERNEL_H */
