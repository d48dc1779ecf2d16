// SPDX-License-Identifier: GPL-2.0
/* A trace file: given transfers, one a line. All lines are checked before a socket is
 * opened. A transfer may refer only to lines above it (the group that it waits for, the
 * transfer that it relays), so there are no cycles.
 */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flowgen.h"

/* A connection is one number, in the order in which connections are opened. */
#define KEY_FROM	32	/* bits to the left */
#define KEY_TO		16
#define KEY_MASK	0xffff

enum field { START, BYTES, FROM, TO, COPY, GROUP, AFTER, RELAY, FIELDS };

struct group *groups;
static __u64 *keys;		/* of each transfer's connection */
static __u32 line_number;

static noreturn __attribute__((format(printf, 1, 2)))
void refuse(const char *fmt, ...)
{
	char sentence[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(sentence, sizeof(sentence), fmt, ap);
	va_end(ap);
	die(EXIT_USAGE, "%s, line %u: %s", opt.replay, line_number, sentence);
}

/* fields_split - splits fields of digits and "-" between blanks */
static void fields_split(char *line, char **fields)
{
	char *save, *word;
	__u32 n = 0;

	for (word = strtok_r(line, " \t\n", &save); word;
	     word = strtok_r(NULL, " \t\n", &save)) {
		if (n < FIELDS)
			fields[n] = word;
		n++;
	}
	if (n != FIELDS)
		refuse("%u fields instead of %d", n, FIELDS);
}

static __u64 number_read(const char *what, const char *word, __u64 min, __u64 max)
{
	char *end;
	__u64 v;

	errno = 0;
	v = strtoull(word, &end, 10);
	if (!isdigit(word[0]) || *end)
		refuse("%s \"%.40s\" is not a number", what, word);
	if (errno || v < min || v > max)
		refuse("%s %.40s is not from %llu to %llu", what, word, min, max);
	return v;
}

static bool is_none(const char *word)
{
	return !strcmp(word, "-");
}

static __u64 host_read(const char *word)
{
	__u64 v = number_read("host", word, 0, ~0ULL);

	if (v >= n_hosts)
		refuse("there is no host %llu: %u are given", v, n_hosts);
	return v;
}

static void connection_read(__u32 i, char **fields)
{
	__u64 a = host_read(fields[FROM]), b = host_read(fields[TO]);

	if (a == b)
		refuse("from host %llu to itself", a);
	keys[i] = a << KEY_FROM | b << KEY_TO |
		  number_read("connection", fields[COPY], 0, MAX_COPIES - 1);
}

static void group_read(struct flow *f, const char *word)
{
	struct group *group;

	f->group = NO_GROUP;
	if (is_none(word))
		return;
	f->group = number_read("group", word, 0, MAX_GROUPS - 1);
	group = &groups[f->group];
	if (group->awaited_line)
		refuse("joins group %u, for which line %u waits already", f->group,
		       group->awaited_line);
	group->unfinished++;
}

static void after_read(struct flow *f, const char *word)
{
	struct group *group;
	__u32 after;

	if (is_none(word))
		return;
	after = number_read("group", word, 0, MAX_GROUPS - 1);
	group = &groups[after];
	if (after == f->group)
		refuse("waits for its own group %u", after);
	if (!group->unfinished)
		refuse("waits for group %u, which no line above belongs to", after);
	f->waits = true;
	f->next = group->waiting;
	group->waiting = f;
	if (!group->awaited_line)
		group->awaited_line = line_number;
}

static void relay_read(__u32 i, const char *word)
{
	struct flow *f = &flows[i], *source;
	__u64 from_host = keys[i] >> KEY_FROM, receiver, n;

	if (is_none(word))
		return;
	n = number_read("transfer", word, 0, ~0ULL);
	if (n >= i)
		refuse("relays transfer %llu, which is not above it", n);
	source = &flows[n];
	receiver = keys[n] >> KEY_TO & KEY_MASK;
	if (receiver != from_host)
		refuse("host %llu cannot relay transfer %llu, which goes to host %llu",
		       from_host, n, receiver);
	if (source->size != f->size)
		refuse("relays transfer %llu of %u bytes, but has %u", n, source->size,
		       f->size);
	f->source = source;
	f->relays_next = source->relays;
	source->relays = f;
}

static void order_check(const struct flow *f)
{
	static __u64 last;

	if (f->waits)
		return;
	if (f->arrival_ns < last)
		refuse("starts at %llu ns, before the one above it at %llu ns",
		       f->arrival_ns, last);
	last = f->arrival_ns;
}

static void transfer_read(char *line)
{
	struct flow *f = &flows[n_flows];
	char *fields[FIELDS];

	if (n_flows == MAX_FLOWS)
		refuse("more than %d transfers", MAX_FLOWS);
	fields_split(line, fields);
	f->arrival_ns = number_read("start", fields[START], 0, MAX_SECONDS * NSEC_PER_SEC);
	f->size = number_read("size", fields[BYTES], 1, MAX_BYTES);
	connection_read(n_flows, fields);
	group_read(f, fields[GROUP]);
	after_read(f, fields[AFTER]);
	relay_read(n_flows, fields[RELAY]);
	order_check(f);
	n_flows++;
}

static void lines_read(FILE *in)
{
	char *line = NULL;
	size_t size = 0;
	ssize_t len;

	while ((len = getline(&line, &size, in)) >= 0) {
		line_number++;
		if (strlen(line) != (size_t)len)
			refuse("there is a zero byte in it");
		if (line[0] != '#')
			transfer_read(line);
	}
	if (ferror(in))
		die(EXIT_USAGE, "cannot read \"%s\": %s", opt.replay, strerror(errno));
	free(line);
}

static int compare_key(const void *a, const void *b)
{
	__u64 x = *(const __u64 *)a, y = *(const __u64 *)b;

	return (x > y) - (x < y);
}

/* Keeps each key once, sorted; returns their number. */
static __u32 keys_unique(__u64 *unique)
{
	__u32 i, n = 0;

	memcpy(unique, keys, n_flows * sizeof(*keys));
	qsort(unique, n_flows, sizeof(*unique), compare_key);
	for (i = 0; i < n_flows; i++)
		if (!n || unique[i] != unique[n - 1])
			unique[n++] = unique[i];
	return n;
}

/* Opens exactly the connections that the trace uses. */
static void conns_number(void)
{
	__u64 *unique = calloc(n_flows, sizeof(*unique)), *key;
	__u32 i, n;

	if (!unique)
		die(EXIT_RUNTIME, "no memory for the connections");
	n = keys_unique(unique);
	conns_alloc(n);
	for (i = 0; i < n; i++) {
		conns[i].from = &hosts[unique[i] >> KEY_FROM];
		conns[i].to = &hosts[unique[i] >> KEY_TO & KEY_MASK];
	}
	for (i = 0; i < n_flows; i++) {
		key = bsearch(&keys[i], unique, n, sizeof(*unique), compare_key);
		flows[i].conn = key - unique;
	}
	free(unique);
}

void replay_read(void)
{
	FILE *in = fopen(opt.replay, "r");

	if (!in)
		die(EXIT_USAGE, "cannot read \"%s\": %s", opt.replay, strerror(errno));
	flows = calloc(MAX_FLOWS, sizeof(*flows));
	groups = calloc(MAX_GROUPS, sizeof(*groups));
	keys = calloc(MAX_FLOWS, sizeof(*keys));
	if (!flows || !groups || !keys)
		die(EXIT_RUNTIME, "no memory for the trace");
	lines_read(in);
	fclose(in);
	if (!n_flows)
		die(EXIT_USAGE, "%s: no transfer in it", opt.replay);
	conns_number();
	free(keys);
}
