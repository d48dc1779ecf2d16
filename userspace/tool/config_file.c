// SPDX-License-Identifier: GPL-2.0
/*
 * A configuration file has lines of "fabric add", "port add" and "leaf add" in any
 * order, as the command line takes them, or "fabric del" alone. All errors are reported,
 * not only the first.
 */
#include <net/if.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <linux/conga.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include "common/status.h"
#include "tool/args.h"
#include "tool/batch.h"
#include "tool/command.h"
#include "tool/config.h"
#include "tool/config_file.h"
#include "tool/fabric.h"
#include "tool/grammar.h"
#include "tool/leaf.h"
#include "tool/nl.h"
#include "tool/port.h"

/* The fabric has the most keywords, and the last entry is empty. */
#define CONGA_CONFIG_WORDS_MAX	24

struct conga_config_file {
	struct conga_batch batch;
	struct conga_config *config;
	bool all_devices;	/* a missing device is an error */
	bool no_fabric;		/* the file says "fabric del" */
	bool saved;		/* it begins as "conga save FILE" writes it */
	bool complete;		/* and it ends so */
	int status;		/* the first status other than CONGA_OK */
};

static void conga_config_wrong_at(struct conga_config_file *file, unsigned long line, int status)
{
	file->batch.start = line;
	conga_batch_failed(&file->batch);
	if (!file->status)
		file->status = status;
}

static int conga_config_put_dev(struct nl_msg *msg, const struct conga_keyword *keyword,
				const char *text)
{
	if (if_nametoindex(text))
		return conga_kind_dev.put(msg, keyword, text);
	if (strlen(text) >= CONGA_CONFIG_NAME_MAX)
		return conga_args_wrong(text, "too long for the name of a device");
	return conga_args_stored(nla_put_string(msg, CONGA_CONFIG_ABSENT, text));
}

static const struct conga_kind conga_config_kind_dev = { .put = conga_config_put_dev };

/* These keywords are those of the command line, but devices may be missing. */
static void conga_config_words(const struct conga_config_file *file,
			       const struct conga_object *object, struct conga_keyword *words)
{
	const struct conga_keyword *from = conga_command_find(object, "add")->words;

	for (; from->word; from++, words++) {
		*words = *from;
		if (from->kind == &conga_kind_dev && !file->all_devices)
			words->kind = &conga_config_kind_dev;
	}
	memset(words, 0, sizeof(*words));
}

static const struct conga_object *conga_config_object(const char *word)
{
	static const struct conga_object *const objects[] = {
		&conga_fabric_object, &conga_port_object, &conga_leaf_object,
	};
	size_t i;

	for (i = 0; i < sizeof(objects) / sizeof(*objects); i++)
		if (!strcmp(objects[i]->name, word))
			return objects[i];
	return NULL;
}

static int conga_config_parse_item(struct conga_config_file *file,
				   const struct conga_object *object, struct conga_args *args,
				   struct nl_msg *msg)
{
	struct conga_keyword words[CONGA_CONFIG_WORDS_MAX];
	struct conga_config_item *item;
	int status;

	args->object = object;
	conga_config_words(file, object, words);
	status = conga_args_parse(args, words, msg);
	if (status)
		return status;
	item = conga_config_add(file->config, object);
	if (!item)
		return CONGA_REFUSED;
	item->line = file->batch.start;
	return conga_config_fill(file->config, item, msg);
}

static int conga_config_parse_words(struct conga_config_file *file, int count, char **words)
{
	const struct conga_object *object = conga_config_object(words[0]);
	struct conga_args args = { .argc = count - 2, .argv = words + 2 };
	struct nl_msg *msg;
	int status;

	if (count == 2 && object == &conga_fabric_object && !strcmp(words[1], "del")) {
		file->no_fabric = true;
		return CONGA_OK;
	}
	if (!object || count < 2 || strcmp(words[1], "add")) {
		fputs("Error: a configuration has the commands fabric add, port add and leaf add\n",
		      stderr);
		return CONGA_USAGE;
	}
	msg = conga_nl_message(conga_command_find(object, "add"));
	if (!msg)
		return CONGA_REFUSED;
	status = conga_config_parse_item(file, object, &args, msg);
	nlmsg_free(msg);
	return status;
}

static void conga_config_parse_line(struct conga_config_file *file)
{
	char *words[CONGA_BATCH_WORDS_MAX];
	int status = CONGA_OK, count;

	file->saved |= !strcmp(file->batch.text, CONGA_CONFIG_FIRST_LINE);
	file->complete = !strcmp(file->batch.text, CONGA_CONFIG_LAST_LINE);
	count = conga_batch_split(file->batch.text, words);
	if (count < 0)
		status = CONGA_USAGE;
	else if (count)
		status = conga_config_parse_words(file, count, words);
	if (status)
		conga_config_wrong_at(file, file->batch.start, status);
}

static void conga_config_parse(struct conga_config_file *file)
{
	int status = conga_batch_read(&file->batch);

	while (!status && file->batch.text) {
		conga_config_parse_line(file);
		status = conga_batch_read(&file->batch);
	}
	if (!file->status)
		file->status = status;
}

/* --- checks across lines --- */

static void conga_config_check_doubles(struct conga_config_file *file)
{
	const struct conga_config_item *item = file->config->items;
	size_t i;

	for (i = 1; i < file->config->count; i++, item++) {
		if (!conga_config_same_key(item, item + 1))
			continue;
		fprintf(stderr, "Error: this %s is in line %lu already\n", item->object->name,
			item->line);
		conga_config_wrong_at(file, item[1].line, CONGA_USAGE);
	}
}

/* A file that lost its contents must not remove the fabric. */
static void conga_config_check_whole(struct conga_config_file *file)
{
	if (file->saved && !file->complete)
		fprintf(stderr,
			"Error: %s was saved by conga, and its last line is missing: the file is incomplete\n",
			file->batch.name);
	else if (!file->config->count && !file->no_fabric)
		fprintf(stderr, "Error: %s has no fabric; the line \"fabric del\" asks for none\n",
			file->batch.name);
	else
		return;
	file->status = CONGA_USAGE;
}

static void conga_config_check_fabric(struct conga_config_file *file)
{
	const struct conga_config *config = file->config;

	if (!config->count || (conga_config_fabric(config) && !file->no_fabric))
		return;
	if (file->no_fabric)
		fputs("Error: \"fabric del\" must be the only command\n", stderr);
	else
		fputs("Error: ports and leaves need a fabric, and no line has \"fabric add\"\n",
		      stderr);
	conga_config_wrong_at(file, config->items->line, CONGA_USAGE);
}

static bool conga_config_has(const struct conga_config_item *item, int attr)
{
	return item->given & conga_config_bit(attr);
}

static const char *conga_config_check_role(const struct conga_config_item *port)
{
	if (port->value[CONGA_A_PORT_ROLE] == CONGA_ROLE_UPLINK)
		return NULL;
	return conga_config_has(port, CONGA_A_PORT_TAG) ? "only an uplink has a tag" :
	       conga_config_has(port, CONGA_A_PORT_DRAIN) ? "only an uplink can be drained" : NULL;
}

static void conga_config_check_ports(struct conga_config_file *file)
{
	unsigned long tag_line[CONGA_TAGS_MAX] = { 0 };
	const struct conga_config_item *item;
	unsigned long long tag;
	const char *why;
	size_t i;

	for (i = 0; i < file->config->count; i++) {
		item = &file->config->items[i];
		if (item->object != &conga_port_object)
			continue;
		why = conga_config_check_role(item);
		if (why) {
			fprintf(stderr, "Error: %s\n", why);
			conga_config_wrong_at(file, item->line, CONGA_USAGE);
		}
		tag = item->value[CONGA_A_PORT_TAG];
		if (!conga_config_has(item, CONGA_A_PORT_TAG) || tag >= CONGA_TAGS_MAX)
			continue;
		if (tag_line[tag]) {
			fprintf(stderr, "Error: tag %llu is used by the uplink in line %lu\n",
				tag, tag_line[tag]);
			conga_config_wrong_at(file, item->line, CONGA_USAGE);
		}
		tag_line[tag] = item->line;
	}
}

/* With @all_devices every port's device must exist. The caller cleans in any case. */
int conga_config_load(struct conga_config *config, const char *name, bool all_devices)
{
	struct conga_config_file file = { .config = config, .all_devices = all_devices };
	int status = conga_batch_open(&file.batch, name);

	if (status)
		return status;
	conga_config_parse(&file);
	if (!file.status) {
		conga_config_sort(config);
		conga_config_check_whole(&file);
		conga_config_check_doubles(&file);
		conga_config_check_fabric(&file);
		conga_config_check_ports(&file);
	}
	conga_batch_close(&file.batch);
	return file.status ? file.status : conga_config_complete(config);
}
