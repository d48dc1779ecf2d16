// SPDX-License-Identifier: GPL-2.0
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <linux/netlink.h>
#include <netlink/attr.h>
#include <netlink/errno.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include "common/status.h"
#include "tool/abbreviation.h"
#include "tool/args.h"
#include "tool/brief.h"
#include "tool/command.h"
#include "tool/grammar.h"
#include "tool/nl.h"
#include "tool/print.h"

static const char *conga_command_name(const void *table, size_t i)
{
	return ((const struct conga_command *)table)[i].name;
}

/* Users of iproute2 type these words, too. */
static const char *conga_command_usual(const char *name)
{
	if (!strcmp(name, "list") || !strcmp(name, "lst"))
		return "show";
	return strcmp(name, "delete") ? name : "del";
}

const struct conga_command *conga_command_find(const struct conga_object *object,
					       const char *name)
{
	int i = conga_abbreviation_find(conga_command_usual(name), conga_command_name,
					object->commands);

	return i < 0 ? NULL : &object->commands[i];
}

static int conga_command_unknown(const struct conga_object *object, const char *name)
{
	if (!conga_abbreviation_told("Command", name, conga_command_name, object->commands))
		fprintf(stderr, "Command \"%s\" is unknown, try \"conga %s help\".\n", name,
			object->name);
	return CONGA_USAGE;
}

static bool conga_command_asks_help(const struct conga_args *args)
{
	return args->argc && !strcmp(*args->argv, "help");
}

static int conga_command_help(const struct conga_object *object)
{
	fputs(object->usage, stdout);
	return CONGA_OK;
}

int conga_command_dispatch(const struct conga_object *object, struct conga_args *args)
{
	const struct conga_command *command = object->commands;
	const char *name;

	args->object = object;
	if (conga_command_asks_help(args))
		return conga_command_help(object);
	if (object->run)
		return object->run(args);
	name = conga_args_next(args);
	if (name) {
		command = conga_command_find(object, name);
		if (!command)
			return conga_command_unknown(object, name);
		if (conga_command_asks_help(args))
			return conga_command_help(object);
	}
	return command->run(command, args);
}

int conga_command_change(const struct conga_command *command, struct conga_args *args)
{
	struct nl_msg *msg = conga_nl_message(command);
	int status;

	if (!msg)
		return CONGA_REFUSED;
	status = conga_args_parse(args, command->words, msg);
	if (!status)
		status = conga_nl_request(command, msg, 0, NULL, NULL);
	nlmsg_free(msg);
	return status;
}

int conga_command_parse_reply(const struct conga_object *object, struct nl_msg *reply,
			      struct nlattr **attrs)
{
	int err = genlmsg_parse(nlmsg_hdr(reply), 0, attrs, object->attr_max, object->policy);

	if (!err)
		return CONGA_OK;
	fprintf(stderr, "conga: the kernel's answer is malformed: %s\n", nl_geterror(err));
	return CONGA_REFUSED;
}

bool conga_command_next(const struct conga_object *object, const struct conga_replies *replies,
			size_t *next, struct nlattr **attrs)
{
	while (*next < replies->count)
		if (!conga_command_parse_reply(object, replies->msgs[(*next)++], attrs))
			return true;
	return false;
}

/* The array of a stream is opened by the first reply, so that a rejected request prints nothing. */
struct conga_command_output {
	const struct conga_object *object;
	bool begun;
	int status;
};

static void conga_command_print_begin(struct conga_command_output *output)
{
	if (!output->begun)
		conga_print_begin();
	output->begun = true;
}

static void conga_command_print_each(struct nl_msg *reply, void *arg)
{
	struct conga_command_output *output = arg;
	struct nlattr *attrs[CONGA_ATTRS_MAX + 1];

	if (!output->status)
		output->status = conga_command_parse_reply(output->object, reply, attrs);
	if (output->status)
		return;
	conga_command_print_begin(output);
	if (conga_brief_wants(output->object)) {
		conga_brief_row(output->object, attrs);
		return;
	}
	conga_print_object(NULL);
	output->object->print(attrs, reply);
	conga_print_object_end();
}

/* An inconsistent dump is printed, with a warning. */
static int conga_command_print(struct conga_command_output *output,
			       const struct conga_replies *replies, int status)
{
	size_t i;

	for (i = 0; i < replies->count; i++)
		conga_command_print_each(replies->msgs[i], output);
	if (!status)
		conga_command_print_begin(output);
	conga_brief_print();
	if (output->begun)
		conga_print_end();
	return status ? status : output->status;
}

static int conga_command_flags(const struct conga_command *command, struct nl_msg *msg)
{
	switch (command->reply) {
	case CONGA_REPLY_DUMP:
		return NLM_F_DUMP;
	case CONGA_REPLY_ONE_OR_DUMP:
		return genlmsg_attrlen(nlmsg_data(nlmsg_hdr(msg)), 0) ? 0 : NLM_F_DUMP;
	default:
		return 0;
	}
}

static int conga_command_read(const struct conga_command *command, struct nl_msg *msg,
			      const struct conga_object *object)
{
	struct conga_command_output output = { .object = object };
	struct conga_replies replies = { .arg = &output };
	int status;

	if (command->streams)
		replies.each = conga_command_print_each;
	status = conga_nl_request(command, msg, conga_command_flags(command, msg), &replies,
				  NULL);
	status = conga_command_print(&output, &replies, status);
	conga_nl_replies_clean(&replies);
	return status;
}

int conga_command_show(const struct conga_command *command, struct conga_args *args)
{
	struct nl_msg *msg = conga_nl_message(command);
	int status;

	if (!msg)
		return CONGA_REFUSED;
	status = conga_args_parse(args, command->words, msg);
	if (!status)
		status = conga_command_read(command, msg, args->object);
	nlmsg_free(msg);
	return status;
}
