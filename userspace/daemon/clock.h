/* SPDX-License-Identifier: GPL-2.0 */
#ifndef CONGA_DAEMON_CLOCK_H
#define CONGA_DAEMON_CLOCK_H

#include <stdint.h>
#include <time.h>

#define CONGAD_NS_PER_S		1000000000ULL
#define CONGAD_NS_PER_MS	1000000ULL

/* congad_clock_now - the monotonic time in nanoseconds */
static inline uint64_t congad_clock_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * CONGAD_NS_PER_S + now.tv_nsec;
}

#endif /* CONGA_DAEMON_CLOCK_H */
