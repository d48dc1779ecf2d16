/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SELFTESTS_NETNS_H
#define SELFTESTS_NETNS_H

#include <err.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Enters a network namespace, named as "ip netns" names them, or ends the program. */
static inline void enter_netns(const char *name)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "/run/netns/%s", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || setns(fd, CLONE_NEWNET))
		err(EXIT_FAILURE, "%s", path);
	close(fd);
}

#endif /* SELFTESTS_NETNS_H */
