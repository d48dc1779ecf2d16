// SPDX-License-Identifier: GPL-2.0
/*
 * The file has a name and a value in each line: the boot, the fabric's leaf-id and the time, then
 * the counters that are not zero.
 */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <linux/conga.h>
#include <netlink/attr.h>
#include "common/attr.h"
#include "common/status.h"
#include "tool/command.h"
#include "tool/counters.h"
#include "tool/epoch.h"
#include "tool/epoch_file.h"
#include "tool/fabric.h"
#include "tool/grammar.h"
#include "tool/nl.h"
#include "tool/replace.h"
#include "tool/state.h"

#define CONGA_EPOCH_DIR_MODE	0755
#define CONGA_EPOCH_BOOT_FILE	"/proc/sys/kernel/random/boot_id"
#define CONGA_EPOCH_WORD_MAX	64	/* with its end; the format of fscanf() has one less */
#define CONGA_EPOCH_NS_PER_S	1000000000ULL

/* This is what an epoch belongs to. */
struct conga_epoch_owner {
	char boot[CONGA_EPOCH_WORD_MAX];
	unsigned long long leaf_id;
};

static bool conga_epoch_read_boot(struct conga_epoch_owner *owner)
{
	FILE *file = fopen(CONGA_EPOCH_BOOT_FILE, "r");
	int count;

	if (!file)
		return false;
	count = fscanf(file, "%63s", owner->boot);
	fclose(file);
	return count == 1;
}

/* A fabric is known by its leaf-id, which is chosen at random unless an operator sets it. Without a
 * fabric errno is set.
 */
static bool conga_epoch_read_leaf_id(struct conga_epoch_owner *owner)
{
	struct nlattr *attrs[CONGA_ATTRS_MAX + 1];
	struct conga_replies replies = { 0 };
	size_t next = 0;
	int error = ENOENT;
	bool found;

	found = !conga_state_read_object(&conga_fabric_object, 0, &replies, &error) &&
		conga_command_next(&conga_fabric_object, &replies, &next, attrs);
	if (found)
		owner->leaf_id = conga_attr_number(attrs[CONGA_A_FABRIC_LEAF_ID]);
	conga_nl_replies_clean(&replies);
	errno = error;
	return found;
}

static bool conga_epoch_read_owner(struct conga_epoch_owner *owner)
{
	return conga_epoch_read_boot(owner) && conga_epoch_read_leaf_id(owner);
}

static unsigned long long conga_epoch_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec * CONGA_EPOCH_NS_PER_S + now.tv_nsec;
}

static void conga_epoch_write(FILE *file, const struct conga_epoch_owner *owner,
			      const unsigned long long *values)
{
	int i;

	fprintf(file, "boot %s\nleaf-id %llu\ntime %llu\n", owner->boot, owner->leaf_id,
		conga_epoch_now());
	for (i = 1; i <= CONGA_A_STATS_MAX; i++)
		if (conga_counters[i].name && values[i])
			fprintf(file, "%s %llu\n", conga_counters[i].name, values[i]);
}

static int conga_epoch_failed(const char *what)
{
	fprintf(stderr, "conga: cannot %s: %s\n", what, strerror(errno));
	return CONGA_REFUSED;
}

int conga_epoch_begin(const unsigned long long *values)
{
	struct conga_epoch_owner owner;
	struct conga_replace replace;
	char path[PATH_MAX];
	int status;

	if (!conga_epoch_file_path(path))
		return conga_epoch_failed("identify the network namespace");
	if (!conga_epoch_read_owner(&owner))
		return conga_epoch_failed("identify the fabric");
	if (mkdir(CONGA_EPOCH_FILE_DIR, CONGA_EPOCH_DIR_MODE) && errno != EEXIST)
		return conga_epoch_failed("create folder \"" CONGA_EPOCH_FILE_DIR "\"");
	status = conga_replace_begin(&replace, path);
	if (status)
		return status;
	conga_epoch_write(replace.file, &owner, values);
	return conga_replace_end(&replace);
}

static void conga_epoch_take(struct conga_epoch *epoch, const char *name,
			     unsigned long long value)
{
	const struct conga_counter *counter = conga_counters_find(name);

	if (counter)
		epoch->values[counter - conga_counters] = value;
}

static bool conga_epoch_parse(FILE *file, struct conga_epoch *epoch,
			      struct conga_epoch_owner *owner)
{
	char name[CONGA_EPOCH_WORD_MAX];
	unsigned long long value;

	if (fscanf(file, "boot %63s leaf-id %llu time %llu", owner->boot, &owner->leaf_id,
		   &epoch->time) != 3)
		return false;
	while (fscanf(file, "%63s %llu", name, &value) == 2)
		conga_epoch_take(epoch, name, value);
	return true;
}

static bool conga_epoch_load(struct conga_epoch *epoch, struct conga_epoch_owner *owner)
{
	char path[PATH_MAX];
	FILE *file;
	bool whole;

	memset(epoch, 0, sizeof(*epoch));
	if (!conga_epoch_file_path(path))
		return false;
	file = fopen(path, "r");
	if (!file)
		return false;
	whole = conga_epoch_parse(file, epoch, owner);
	fclose(file);
	return whole;
}

/* A counter never decreases while its fabric exists. */
static bool conga_epoch_is_earlier(const struct conga_epoch *epoch,
				   const unsigned long long *values)
{
	int i;

	for (i = 1; i <= CONGA_A_STATS_MAX; i++)
		if (epoch->values[i] > values[i])
			return false;
	return true;
}

bool conga_epoch_read(struct conga_epoch *epoch, const unsigned long long *values)
{
	struct conga_epoch_owner then, now;

	return conga_epoch_load(epoch, &then) && conga_epoch_is_earlier(epoch, values) &&
		conga_epoch_read_owner(&now) && !strcmp(then.boot, now.boot) &&
		then.leaf_id == now.leaf_id;
}
