// SPDX-License-Identifier: GPL-2.0
/*
 * The names of leaves come from a file of the form of hosts(5): an address, its name, and other
 * names. As there, lines and names that make no sense are ignored. A name that several addresses
 * have stands for none of them, because a command could change another leaf than was meant.
 */
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/addr.h"
#include "common/array.h"
#include "common/status.h"
#include "tool/hosts.h"

#define CONGA_HOSTS_BLANKS	" \t\r\n"

/* An address has an entry for each of its names. */
struct conga_hosts_entry {
	char name[CONGA_HOSTS_NAME_MAX];
	struct in6_addr addr;
	size_t order;		/* the place in the file */
};

/* The first sort key of each array is what is searched for in it. */
static int conga_hosts_compare_names(const void *a, const void *b)
{
	const struct conga_hosts_entry *first = a, *second = b;
	int order = strcasecmp(first->name, second->name);

	return order ? order : conga_addr_compare(&first->addr, &second->addr);
}

static int conga_hosts_compare_addrs(const void *a, const void *b)
{
	const struct conga_hosts_entry *first = a, *second = b;
	int order = conga_addr_compare(&first->addr, &second->addr);

	return order ? order : (first->order > second->order) - (first->order < second->order);
}

static struct conga_array conga_hosts_by_name =
	CONGA_ARRAY(struct conga_hosts_entry, conga_hosts_compare_names);
static struct conga_array conga_hosts_by_addr =
	CONGA_ARRAY(struct conga_hosts_entry, conga_hosts_compare_addrs);
static bool conga_hosts_are_read;
static bool conga_hosts_are_hidden;
static int conga_hosts_error;		/* why the file cannot be read, or 0 */

static void conga_hosts_no_memory(void)
{
	fputs("conga: out of memory\n", stderr);
	exit(CONGA_REFUSED);
}

static bool conga_hosts_parse_addr(const char *text, struct in6_addr *addr)
{
	struct in_addr addr4;

	if (inet_pton(AF_INET6, text, addr) == 1)
		return true;
	if (inet_pton(AF_INET, text, &addr4) != 1)
		return false;
	memset(addr, 0, sizeof(*addr));
	addr->s6_addr32[2] = htonl(0xffff);
	addr->s6_addr32[3] = addr4.s_addr;
	return true;
}

/* A name must not pass for an address, nor carry what a terminal obeys. */
static bool conga_hosts_is_name(const char *text)
{
	struct in6_addr addr;
	const char *c;

	for (c = text; *c; c++)
		if (!isalnum((unsigned char)*c) && (c == text || !strchr("-._", *c)))
			return false;
	return c - text < CONGA_HOSTS_NAME_MAX && !conga_hosts_parse_addr(text, &addr);
}

static void conga_hosts_add(const char *name, const struct in6_addr *addr)
{
	struct conga_hosts_entry entry = { .addr = *addr, .order = conga_hosts_by_addr.count };

	snprintf(entry.name, sizeof(entry.name), "%s", name);
	if (conga_array_add(&conga_hosts_by_name, &entry) ||
	    conga_array_add(&conga_hosts_by_addr, &entry))
		conga_hosts_no_memory();
}

static void conga_hosts_parse(char *line)
{
	struct in6_addr addr;
	char *word, *rest;

	line[strcspn(line, "#")] = '\0';
	word = strtok_r(line, CONGA_HOSTS_BLANKS, &rest);
	if (!word || !conga_hosts_parse_addr(word, &addr))
		return;
	while ((word = strtok_r(NULL, CONGA_HOSTS_BLANKS, &rest)))
		if (conga_hosts_is_name(word))
			conga_hosts_add(word, &addr);
}

static void conga_hosts_read(void)
{
	char *line = NULL;
	size_t room = 0;
	FILE *file;

	if (conga_hosts_are_read)
		return;
	conga_hosts_are_read = true;
	file = fopen(CONGA_HOSTS_FILE, "r");
	if (!file) {
		conga_hosts_error = errno == ENOENT || errno == ENOTDIR ? 0 : errno;
		return;
	}
	errno = 0;
	while (getline(&line, &room, file) >= 0)
		conga_hosts_parse(line);
	if (ferror(file))
		conga_hosts_error = errno;
	free(line);
	fclose(file);
	conga_array_sort(&conga_hosts_by_name);
	conga_array_sort(&conga_hosts_by_addr);
}

/* Returns the only entry of this name, or NULL; *@count is the number of addresses, at most 2. */
static const struct conga_hosts_entry *conga_hosts_find(const char *name, int *count)
{
	const struct conga_hosts_entry *found = NULL, *entry;
	struct conga_hosts_entry key = { 0 };
	size_t i;

	*count = 0;
	if (strlen(name) >= sizeof(key.name))
		return NULL;
	strcpy(key.name, name);
	i = conga_array_first(&conga_hosts_by_name, &key);
	for (; i < conga_hosts_by_name.count && *count < 2; i++) {
		entry = conga_array_at(&conga_hosts_by_name, i);
		if (strcasecmp(entry->name, name))
			break;
		found = entry;
		++*count;
	}
	return *count == 1 ? found : NULL;
}

const char *conga_hosts_find_addr(const char *name, struct in6_addr *addr)
{
	static char why[CONGA_HOSTS_NAME_MAX + sizeof(CONGA_HOSTS_FILE)];
	const struct conga_hosts_entry *found;
	int count;

	conga_hosts_read();
	found = conga_hosts_find(name, &count);
	if (found) {
		*addr = found->addr;
		return NULL;
	}
	if (count)
		return CONGA_HOSTS_FILE " has this name for several addresses";
	if (!conga_hosts_error)
		return "not an IPv4 or IPv6 address, and no name in " CONGA_HOSTS_FILE;
	snprintf(why, sizeof(why), "cannot read %s: %s", CONGA_HOSTS_FILE,
		 strerror(conga_hosts_error));
	return why;
}

void conga_hosts_hide(void)
{
	conga_hosts_are_hidden = true;
}

/* An address has the first of its names that can be typed instead. */
const char *conga_hosts_find_name(const struct nlattr *addr)
{
	const struct conga_hosts_entry *entry;
	struct conga_hosts_entry key = { 0 };
	int count;
	size_t i;

	if (conga_hosts_are_hidden || !conga_addr_read(addr, &key.addr))
		return NULL;
	conga_hosts_read();
	i = conga_array_first(&conga_hosts_by_addr, &key);
	for (; i < conga_hosts_by_addr.count; i++) {
		entry = conga_array_at(&conga_hosts_by_addr, i);
		if (conga_addr_compare(&entry->addr, &key.addr))
			break;
		if (conga_hosts_find(entry->name, &count))
			return entry->name;
	}
	return NULL;
}

void conga_hosts_each(void (*say)(const char *prefix, const char *word), const char *prefix)
{
	const struct conga_hosts_entry *entry;
	int count;
	size_t i;

	conga_hosts_read();
	for (i = 0; i < conga_hosts_by_name.count; i++) {
		entry = conga_array_at(&conga_hosts_by_name, i);
		if (conga_hosts_find(entry->name, &count))
			say(prefix, entry->name);
	}
}
