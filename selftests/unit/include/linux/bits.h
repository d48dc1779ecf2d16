/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_LINUX_BITS_H
#define _UNIT_LINUX_BITS_H

#define BIT(nr)		(1UL << (nr))
#define BIT_ULL(nr)	(1ULL << (nr))
#define GENMASK(h, l)	((~0UL >> (63 - (h))) & (~0UL << (l)))
#define GENMASK_ULL(h, l) \
	((~0ULL >> (63 - (h))) & (~0ULL << (l)))

#endif /* _UNIT_LINUX_BITS_H */
