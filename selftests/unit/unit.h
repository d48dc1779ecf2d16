/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _UNIT_H
#define _UNIT_H

/* cmocka wants these before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include <stdio.h>

#include <linux/kernel.h>
#include <linux/types.h>

#define UNIT_SEED	"UNIT_SEED"	/* environment: another seed */
#define UNIT_STEPS	1000000		/* of a randomised comparison */

/* SplitMix64: the same numbers on every machine. */
struct unit_random {
	u64	seed;	/* for messages, as is step */
	u64	step;
	u64	state;
};

static inline void unit_random_begin(struct unit_random *random, u64 seed,
				     const char *who)
{
	const char *other = getenv(UNIT_SEED);

	random->seed = other ? strtoull(other, NULL, 0) : seed;
	random->step = 0;
	random->state = random->seed;
	printf("# %s: seed %llu\n", who, random->seed);
}

#define unit_random_setup(random, seed)	\
	unit_random_begin(random, seed, __func__)

static inline u64 unit_random_u64(struct unit_random *random)
{
	u64 z = random->state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

/* 0 to @n - 1 */
static inline u64 unit_random_below(struct unit_random *random, u64 n)
{
	return ((__uint128_t)unit_random_u64(random) * n) >> 64;
}

static inline u64 unit_random_between(struct unit_random *random, u64 low,
				      u64 high)
{
	return low + unit_random_below(random, high - low + 1);
}

/* As likely in every power of two: finds the edges of wide ranges. */
static inline u64 unit_random_wide(struct unit_random *random, u64 low,
				   u64 high)
{
	unsigned int shift = unit_random_below(random, 64);

	return low + (unit_random_below(random, high - low + 1) >> shift);
}

/* An assertion that says in which case it failed. */
#define unit_check(condition, ...) do {		\
		if (!(condition))		\
			fail_msg(__VA_ARGS__);	\
	} while (0)

/* The same in the step of a random run, so that it can be had again. */
#define unit_check_step(random, condition, format, ...) do {		\
		const struct unit_random *__random = (random);		\
									\
		unit_check(condition, "seed %llu step %llu: " format,	\
			   __random->seed, __random->step, ##__VA_ARGS__); \
	} while (0)

#endif /* _UNIT_H */
