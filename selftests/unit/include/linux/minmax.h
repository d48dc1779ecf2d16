/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_LINUX_MINMAX_H
#define _UNIT_LINUX_MINMAX_H

#define min(x, y) ({					\
	typeof(x) __min_x = (x);			\
	typeof(y) __min_y = (y);			\
	__min_x < __min_y ? __min_x : __min_y; })

#define max(x, y) ({					\
	typeof(x) __max_x = (x);			\
	typeof(y) __max_y = (y);			\
	__max_x > __max_y ? __max_x : __max_y; })

#define min_t(type, x, y)	min((type)(x), (type)(y))

#define clamp_t(type, val, lo, hi) ({			\
	type __val = (val), __lo = (lo), __hi = (hi);	\
	__val < __lo ? __lo : __val > __hi ? __hi : __val; })

#endif /* _UNIT_LINUX_MINMAX_H */
