/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_LINUX_TYPES_H
#define _UNIT_LINUX_TYPES_H

/* Shadow of the kernel's header: as much as paper/ and policies/ use. */
#include <stdbool.h>
#include <stddef.h>

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef signed long long s64;
typedef u16 __be16;
typedef u32 __be32;

#endif /* _UNIT_LINUX_TYPES_H */
