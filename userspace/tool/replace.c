// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "common/status.h"
#include "tool/replace.h"

#define CONGA_REPLACE_MODE	0644

/* Programs that read a folder's *.prom or *.conf ignore this name. */
#define CONGA_REPLACE_SUFFIX	".XXXXXX"

static int conga_replace_failed(struct conga_replace *replace, const char *name)
{
	fprintf(stderr, "Cannot write file \"%s\": %s\n", name, strerror(errno));
	free(replace->name);
	free(replace->temporary);
	return CONGA_REFUSED;
}

static mode_t conga_replace_mode(const char *name)
{
	struct stat found;

	return stat(name, &found) ? CONGA_REPLACE_MODE : found.st_mode & ALLPERMS;
}

int conga_replace_begin(struct conga_replace *replace, const char *name)
{
	int fd = -1;

	*replace = (struct conga_replace){ .name = realpath(name, NULL) };
	if (!replace->name && errno == ENOENT)
		replace->name = strdup(name);
	if (!replace->name ||
	    asprintf(&replace->temporary, "%s" CONGA_REPLACE_SUFFIX, replace->name) < 0) {
		replace->temporary = NULL;
		return conga_replace_failed(replace, name);
	}
	fd = mkstemp(replace->temporary);
	if (fd < 0)
		return conga_replace_failed(replace, name);
	if (!fchmod(fd, conga_replace_mode(replace->name)))
		replace->file = fdopen(fd, "w");
	if (replace->file)
		return CONGA_OK;
	close(fd);
	unlink(replace->temporary);
	return conga_replace_failed(replace, name);
}

/* The contents must be on the disk before the name is, or a crash leaves an empty file. */
static bool conga_replace_written(FILE *file)
{
	bool written = !fflush(file) && !ferror(file) && !fsync(fileno(file));

	return !fclose(file) && written;
}

int conga_replace_end(struct conga_replace *replace)
{
	if (!conga_replace_written(replace->file) || rename(replace->temporary, replace->name)) {
		int err = errno;

		unlink(replace->temporary);
		errno = err;
		return conga_replace_failed(replace, replace->name);
	}
	free(replace->name);
	free(replace->temporary);
	return CONGA_OK;
}
