/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_LINUX_BITOPS_H
#define _UNIT_LINUX_BITOPS_H

#include <linux/bits.h>

static inline unsigned long __ffs(unsigned long word)
{
	return __builtin_ctzl(word);
}

static inline int fls64(unsigned long long word)
{
	return word ? 64 - __builtin_clzll(word) : 0;
}

static inline unsigned int hweight16(unsigned int word)
{
	return __builtin_popcount(word & 0xffff);
}

static inline unsigned int hweight32(unsigned int word)
{
	return __builtin_popcount(word);
}

#endif /* _UNIT_LINUX_BITOPS_H */
