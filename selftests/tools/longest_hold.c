// SPDX-License-Identifier: GPL-2.0
/*
 * longest_hold - for how long a command keeps a processor from a process that should have it
 *
 *	longest_hold COMMAND...
 *
 * Both run on one processor. The other process has real-time priority, wakes up every
 * PERIOD_NS and records its largest delay. Prints "TOOK LATE" in microseconds: the
 * duration of the command, and this delay.
 */
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PERIOD_NS	500000
#define NS_PER_S	1000000000LL

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NS_PER_S + now.tv_nsec;
}

static void stay_here(void)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		err(1, "sched_setaffinity");
}

static void be_first(void)
{
	const struct sched_param first = { .sched_priority = 1 };

	if (sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &first))
		err(1, "sched_setscheduler");
}

/* Runs until it is killed. */
static void wake_up(_Atomic int64_t *latest)
{
	const struct timespec period = { .tv_nsec = PERIOD_NS };

	for (;;) {
		int64_t began = now_ns(), late;

		nanosleep(&period, NULL);
		late = now_ns() - began - PERIOD_NS;
		if (late > *latest)
			*latest = late;
	}
}

static int run(char **command)
{
	pid_t child = fork();
	int status;

	if (child < 0)
		err(1, "fork");
	if (!child) {
		if (!freopen("/dev/null", "w", stdout))
			err(1, "/dev/null");
		execvp(command[0], command);
		err(127, "%s", command[0]);
	}
	if (waitpid(child, &status, 0) < 0)
		err(1, "waitpid");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(int argc, char **argv)
{
	_Atomic int64_t *latest;
	int64_t began, took;
	pid_t child;
	int status;

	if (argc < 2)
		errx(2, "Usage: longest_hold COMMAND...");
	latest = mmap(NULL, sizeof(*latest), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (latest == MAP_FAILED)
		err(1, "mmap");
	stay_here();
	child = fork();
	if (child < 0)
		err(1, "fork");
	if (!child) {
		be_first();
		wake_up(latest);
	}
	began = now_ns();
	status = run(argv + 1);
	took = now_ns() - began;
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	printf("%" PRId64 " %" PRId64 "\n", took / 1000, *latest / 1000);
	return status;
}
