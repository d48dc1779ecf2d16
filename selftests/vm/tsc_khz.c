// SPDX-License-Identifier: GPL-2.0
/* tsc_khz - prints the rate of this computer's time stamp counter in kHz, exact to some millionths
 * however busy the computer is.
 */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <x86intrin.h>

#define TRIES		64
#define BETWEEN_NS	50000000	/* 50 ms */
#define NS_PER_MS	1000000
#define NS_PER_S	1000000000

struct moment {
	uint64_t ticks;
	int64_t ns;
};

/* The clock is read between two readings of the counter. The shortest of many tries is one that
 * nothing interrupted.
 */
static struct moment moment_now(void)
{
	struct moment now = {};
	uint64_t shortest = UINT64_MAX;

	for (int i = 0; i < TRIES; i++) {
		uint64_t before = __rdtsc(), took;
		struct timespec time;

		clock_gettime(CLOCK_MONOTONIC, &time);
		took = __rdtsc() - before;
		if (took >= shortest)
			continue;
		shortest = took;
		now.ticks = before + took / 2;
		now.ns = (int64_t)time.tv_sec * NS_PER_S + time.tv_nsec;
	}
	return now;
}

int main(void)
{
	const struct timespec between = { .tv_nsec = BETWEEN_NS };
	struct moment first = moment_now(), last;

	nanosleep(&between, NULL);
	last = moment_now();
	printf("%" PRIu64 "\n", (last.ticks - first.ticks) * NS_PER_MS / (last.ns - first.ns));
	return 0;
}
