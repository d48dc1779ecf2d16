/* SPDX-License-Identifier: GPL-2.0 */
/*
 * fuzz_driver - what all fuzzers share: options, the loop over the cases, findings
 *
 * A case is a message or a packet. Case i is made of the seed and i, so that "-i I -c 1" sends
 * it again. A fuzzer makes the cases and judges the results.
 */
#ifndef SELFTESTS_FUZZ_DRIVER_H
#define SELFTESTS_FUZZ_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

struct fuzz_run {
	const char *name, *usage, *noun;	/* of the program; what a case is */
	const char *netns;			/* -n */
	uint64_t seed, first, count;		/* -s, -i, -c */
	bool prints, shows;			/* -p, -v */
	char where[16];				/* "door rx, ", or empty */
	unsigned long findings;
};

/* Each fuzzer defines it. */
extern struct fuzz_run fuzz_run;

__attribute__((noreturn)) void fuzz_usage(void);
bool fuzz_option(int letter, const char *value);
void fuzz_cases(void (*one)(uint64_t index), void (*check)(uint64_t index));
void fuzz_print_bytes(const void *bytes, size_t len);
bool fuzz_finding_begin(uint64_t index, const char *what);
void fuzz_report_end(void);

#endif /* SELFTESTS_FUZZ_DRIVER_H */
