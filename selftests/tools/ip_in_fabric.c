// SPDX-License-Identifier: GPL-2.0
/*
 * ip_in_fabric - ip, as a selftest of the kernel finds it first in its PATH
 *
 * Runs the real ip with the same arguments. A network namespace that it makes gets a fabric, and
 * before one is deleted the fabric's counters are kept: $KSELFTESTS/fabrics does both. This is no
 * script, because scripts of the kernel hand on functions in their environment, which a shell may
 * drop, and call ip thousands of times.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define REAL_IP		"/usr/sbin/ip"
#define PATH_LENGTH	4096

/* run - waits, and returns the status as a shell has it */
static int run(const char *program, char **argv)
{
	pid_t pid = fork();
	int status;

	if (pid < 0)
		err(EXIT_FAILURE, "fork");
	if (!pid) {
		execv(program, argv);
		err(127, "%s", program);
	}
	if (waitpid(pid, &status, 0) < 0)
		err(EXIT_FAILURE, "waitpid");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* order - runs "fabrics WORD NAME...", whose failure is not that of ip */
static void order(char *word, char **names)
{
	const char *folder = getenv("KSELFTESTS");
	char path[PATH_LENGTH];

	if (!folder)
		errx(EXIT_FAILURE, "KSELFTESTS is not set");
	snprintf(path, sizeof(path), "%s/fabrics", folder);
	/* The names follow "netns" and the verb, whose places the program and the word take. */
	names[-2] = path;
	names[-1] = word;
	run(path, names - 2);
}

/* verb_of - the argument behind "netns", unless it is part of another program's command line */
static char **verb_of(char **argv)
{
	for (; *argv; argv++)
		if (!strcmp(*argv, "netns"))
			return argv + 1;
	return NULL;
}

int main(int argc, char **argv)
{
	const char *real = getenv("KSELFTESTS_IP");
	char **verb = argc > 1 ? verb_of(argv + 1) : NULL;
	int status;

	if (!real)
		real = REAL_IP;
	if (verb && *verb && !strcmp(*verb, "add")) {
		status = run(real, argv);
		if (!status)
			order("start", verb + 1);
		return status;
	}
	if (verb && *verb && !strncmp(*verb, "del", 3)) {
		char **copy = malloc((argc + 1) * sizeof(*copy));

		if (!copy)
			err(EXIT_FAILURE, "malloc");
		memcpy(copy, argv, (argc + 1) * sizeof(*copy));
		order("stop", copy + (verb + 1 - argv));
	}
	execv(real, argv);
	err(127, "%s", real);
}
