// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "common/netns.h"
#include "common/status.h"

int conga_netns_switch(const char *name)
{
	char path[PATH_MAX];
	int fd, err;

	snprintf(path, sizeof(path), "%s%s%s", strchr(name, '/') ? "" : CONGA_NETNS_DIR,
		 strchr(name, '/') ? "" : "/", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		fprintf(stderr, "Cannot open network namespace \"%s\": %s\n", name,
			strerror(errno));
		return CONGA_REFUSED;
	}
	err = setns(fd, CLONE_NEWNET);
	if (err)
		fprintf(stderr, "Cannot enter network namespace \"%s\": %s\n", name,
			strerror(errno));
	close(fd);
	return err ? CONGA_REFUSED : CONGA_OK;
}
