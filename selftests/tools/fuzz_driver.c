// SPDX-License-Identifier: GPL-2.0
#include <err.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "fuzz_driver.h"

#define FUZZ_CHECK_EACH	1000		/* cases */
#define FUZZ_TELL_EACH	50000		/* cases */
#define FUZZ_SHOWN	10		/* findings, with all their bytes */
#define FUZZ_LINE	16		/* bytes */

void fuzz_usage(void)
{
	fprintf(stderr, "usage: %s\n", fuzz_run.usage);
	exit(2);
}

/* fuzz_option - returns false if the option is not one that all fuzzers have */
bool fuzz_option(int letter, const char *value)
{
	switch (letter) {
	case 'n':
		fuzz_run.netns = value;
		return true;
	case 's':
		fuzz_run.seed = strtoull(value, NULL, 0);
		return true;
	case 'c':
		fuzz_run.count = strtoull(value, NULL, 0);
		return true;
	case 'i':
		fuzz_run.first = strtoull(value, NULL, 0);
		return true;
	case 'v':
		fuzz_run.shows = true;
		return true;
	default:
		return false;
	}
}

/* If the machine crashes, this is the only record. The file takes no dprintf(), which seeks. */
static void fuzz_log(uint64_t index)
{
	char text[96];
	int fd = open("/dev/kmsg", O_WRONLY | O_CLOEXEC);
	int len = snprintf(text, sizeof(text), "%s: %sseed %" PRIu64 ", from %s %" PRIu64 " on",
			   fuzz_run.name, fuzz_run.where, fuzz_run.seed, fuzz_run.noun, index);

	if (fd < 0)
		return;
	if (write(fd, text, len) != len)
		warn("/dev/kmsg");
	close(fd);
}

/* fuzz_cases - handles each case; @check, which may be NULL, is called before every thousandth
 */
void fuzz_cases(void (*one)(uint64_t index), void (*check)(uint64_t index))
{
	uint64_t i;

	for (i = 0; i < fuzz_run.count; i++) {
		if (!fuzz_run.prints && i % FUZZ_CHECK_EACH == 0) {
			fuzz_log(fuzz_run.first + i);
			if (check)
				check(fuzz_run.first + i);
		}
		if (!fuzz_run.prints && i && i % FUZZ_TELL_EACH == 0) {
			printf("# %" PRIu64 " of %" PRIu64 " %ss\n", i, fuzz_run.count,
			       fuzz_run.noun);
			fflush(stdout);
		}
		one(fuzz_run.first + i);
	}
}

/* fuzz_print_bytes - ends a line, and prints bytes in hexadecimal */
void fuzz_print_bytes(const void *bytes, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		printf("%s%02x", i % FUZZ_LINE ? " " : "\n#   ", ((const uint8_t *)bytes)[i]);
	putchar('\n');
}

/*
 * fuzz_finding_begin - counts a finding
 *
 * Returns whether it is one of the first; then the caller must end the line and print the case.
 */
bool fuzz_finding_begin(uint64_t index, const char *what)
{
	if (fuzz_run.findings++ >= FUZZ_SHOWN)
		return false;
	printf("# finding: %s; seed %" PRIu64 " index %" PRIu64, what, fuzz_run.seed, index);
	return true;
}

void fuzz_report_end(void)
{
	printf("# %sseed %" PRIu64 ", %ss %" PRIu64 " to %" PRIu64 ": %lu findings\n",
	       fuzz_run.where, fuzz_run.seed, fuzz_run.noun, fuzz_run.first,
	       fuzz_run.first + fuzz_run.count - 1, fuzz_run.findings);
}
