// SPDX-License-Identifier: GPL-2.0
/* The faults of fail_nth: one allocation of this process fails, or all of them from one on. An
 * allocation that the kernel tries again at once, as the xarray does, is denied by the latter only.
 */
#include <err.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fail_nth.h"
#include "message.h"

/* From one trial to the next, so many bytes more are allocated before the first failure. Each
 * object that is at least as large is therefore the first one to fail in some trial.
 */
#define STEP		256

static bool onwards;
static int process_fd;		/* stays open, since opening it allocates memory, too */

void fault_open(bool all)
{
	const char *file = all ? "/proc/self/make-it-fail" : "/proc/self/fail-nth";

	onwards = all;
	process_fd = open(file, O_RDWR | O_CLOEXEC);
	if (process_fd < 0)
		err(MESSAGE_NO_VERDICT, "%s", file);
}

static void process_write(unsigned int value)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", value);
	if (pwrite(process_fd, text, strlen(text), 0) < 0)
		err(MESSAGE_NO_VERDICT, "the fault of this process");
}

static unsigned int process_read(void)
{
	char text[16] = "";

	if (pread(process_fd, text, sizeof(text) - 1, 0) < 0)
		err(MESSAGE_NO_VERDICT, "the fault of this process");
	return atoi(text);
}

static int setting_open(const char *name)
{
	char file[64];
	int fd;

	snprintf(file, sizeof(file), "/sys/kernel/debug/failslab/%s", name);
	fd = open(file, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		err(MESSAGE_NO_VERDICT, "%s", file);
	return fd;
}

static void setting_write(const char *name, unsigned int value)
{
	int fd = setting_open(name);

	if (dprintf(fd, "%u", value) < 0)
		err(MESSAGE_NO_VERDICT, "failslab/%s", name);
	close(fd);
}

static unsigned int setting_read(const char *name)
{
	int fd = setting_open(name);
	char text[16] = "";

	if (read(fd, text, sizeof(text) - 1) < 0)
		err(MESSAGE_NO_VERDICT, "failslab/%s", name);
	close(fd);
	return atoi(text);
}

/* Objects of the first @bytes are allocated, and none thereafter. */
static void space_arm(unsigned int bytes)
{
	setting_write("task-filter", 1);
	setting_write("space", bytes);
	setting_write("times", INT_MAX);
	setting_write("probability", 100);
	process_write(1);
}

static void space_disarm(void)
{
	process_write(0);
	setting_write("probability", 0);
	setting_write("task-filter", 0);
	setting_write("space", 0);
}

void fault_arm(unsigned int nth)
{
	if (!onwards)
		process_write(nth);
	else if (nth)
		space_arm((nth - 1) * STEP);
}

unsigned int fault_disarm(void)
{
	unsigned int left;

	if (onwards) {
		space_disarm();
		return setting_read("times") == INT_MAX;
	}
	left = process_read();
	process_write(0);
	return left;
}
