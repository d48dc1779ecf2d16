// SPDX-License-Identifier: GPL-2.0
/* The faults of fail_nth: one allocation of this process fails, or several in a row, or all of them
 * from one on. What the kernel tries again at once, as the xarray does, or in another way is not
 * denied by a single one.
 */
#include <err.h>
#include <fcntl.h>
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

static unsigned int in_a_row;
static int process_fd;		/* stays open, since opening it allocates memory, too */

void fault_open(unsigned int times)
{
	const char *file = times > 1 ? "/proc/self/make-it-fail" : "/proc/self/fail-nth";

	in_a_row = times;
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

/* Allocations of objects succeed until they have taken @bytes. Those that follow fail, as many as
 * fault_open() was told.
 */
static void space_arm(unsigned int bytes)
{
	setting_write("task-filter", 1);
	setting_write("space", bytes);
	setting_write("times", in_a_row);
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
	if (in_a_row == 1)
		process_write(nth);
	else if (nth)
		space_arm((nth - 1) * STEP);
}

unsigned int fault_disarm(void)
{
	unsigned int left;

	if (in_a_row > 1) {
		space_disarm();
		return setting_read("times") == in_a_row;
	}
	left = process_read();
	process_write(0);
	return left;
}
