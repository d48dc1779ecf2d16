/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SELFTESTS_NETNS_H
#define SELFTESTS_NETNS_H

#include <err.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Opens a network namespace, named as "ip netns" names them; returns -1 if there is none. */
static inline int open_netns(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "/run/netns/%s", name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* Enters it, or returns false and sets errno. */
static inline bool try_netns(const char *name)
{
	int fd = open_netns(name);

	if (fd < 0 || setns(fd, CLONE_NEWNET))
		return false;
	close(fd);
	return true;
}

/* Enters it, or ends the program. */
static inline void enter_netns(const char *name)
{
	if (!try_netns(name))
		err(EXIT_FAILURE, "network namespace %s", name);
}

#endif /* SELFTESTS_NETNS_H */
