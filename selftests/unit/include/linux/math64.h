/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_LINUX_MATH64_H
#define _UNIT_LINUX_MATH64_H

#include <linux/types.h>

static inline u64 div_u64(u64 dividend, u32 divisor)
{
	return dividend / divisor;
}

static inline u64 div64_u64(u64 dividend, u64 divisor)
{
	return dividend / divisor;
}

static inline u64 mul_u64_u64_div_u64(u64 a, u64 mul, u64 div)
{
	return (__uint128_t)a * mul / div;
}

static inline u64 mul_u64_u32_shr(u64 a, u32 mul, unsigned int shift)
{
	return (__uint128_t)a * mul >> shift;
}

#endif /* _UNIT_LINUX_MATH64_H */
