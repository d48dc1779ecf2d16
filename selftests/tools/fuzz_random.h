/* SPDX-License-Identifier: GPL-2.0 */
/* Random numbers of the fuzzers: the same on every machine, all derived from one number. */
#ifndef SELFTESTS_FUZZ_RANDOM_H
#define SELFTESTS_FUZZ_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

struct fuzz_rng {
	uint64_t state;
};

/* splitmix64 */
static inline uint64_t fuzz_random(struct fuzz_rng *rng)
{
	uint64_t z = rng->state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

/* Returns a number from 0 to below @end, which must not be 0. */
static inline uint64_t fuzz_below(struct fuzz_rng *rng, uint64_t end)
{
	return fuzz_random(rng) % end;
}

static inline bool fuzz_chance(struct fuzz_rng *rng, unsigned int percent)
{
	return fuzz_below(rng, 100) < percent;
}

#endif
