// SPDX-License-Identifier: GPL-2.0
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>
#include "tool/epoch_file.h"

/* No other namespace has had this cookie since the node started. */
bool conga_epoch_file_path(char *path)
{
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0), err;
	unsigned long long cookie;
	socklen_t len = sizeof(cookie);

	if (fd < 0)
		return false;
	err = getsockopt(fd, SOL_SOCKET, SO_NETNS_COOKIE, &cookie, &len);
	close(fd);
	if (!err)
		snprintf(path, PATH_MAX, CONGA_EPOCH_FILE_DIR "/stats.%llu", cookie);
	return !err;
}

/* Where the file cannot be removed, its leaf-id and its counters show that it is stale. */
void conga_epoch_file_remove(void)
{
	char path[PATH_MAX];

	if (conga_epoch_file_path(path))
		unlink(path);
}
