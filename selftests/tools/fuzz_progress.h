/* SPDX-License-Identifier: GPL-2.0 */
/* Prints the progress of a long search, as comments of TAP. */
#ifndef SELFTESTS_FUZZ_PROGRESS_H
#define SELFTESTS_FUZZ_PROGRESS_H

#include <inttypes.h>
#include <stdio.h>

#define FUZZ_TELL_EACH	50000

static inline void fuzz_progress(uint64_t done, uint64_t all, const char *what)
{
	if (!done || done % FUZZ_TELL_EACH)
		return;
	printf("# %" PRIu64 " of %" PRIu64 " %s\n", done, all, what);
	fflush(stdout);
}

#endif /* SELFTESTS_FUZZ_PROGRESS_H */
