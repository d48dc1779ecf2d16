/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_LINUX_HASH_H
#define _UNIT_LINUX_HASH_H

#define GOLDEN_RATIO_32	0x61C88647

#endif /* _UNIT_LINUX_HASH_H */
