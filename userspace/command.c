// SPDX-License-Identifier: GPL-2.0
/* Verbs: found by name, then a change is sent or what is read is printed. */
#include <stdio.h>
#include <string.h>
#include <netlink/genl/genl.h>
#include "tool.h"

static const struct conga_command *conga_command_find(const struct conga_object *object,
						      const char *name)
{
	const struct conga_command *command;

	if (!strcmp(name, "list"))
		name = "show";
	for (command = object->commands; command->name; command++)
		if (!strcmp(command->name, name))
			return command;
	return NULL;
}

int conga_command_dispatch(const struct conga_object *object, struct conga_args *args)
{
	const struct conga_command *command = object->commands;
	const char *name;

	args->object = object;
	if (args->argc && !strcmp(*args->argv, "help")) {
		fputs(object->usage, stdout);
		return CONGA_OK;
	}
	if (object->run)
		return object->run(args);
	name = conga_args_next(args);
	if (name)
		command = conga_command_find(object, name);
	if (command)
		return command->run(command, args);
	fprintf(stderr, "Command \"%s\" is unknown, try \"conga %s help\".\n", name,
		object->name);
	return CONGA_USAGE;
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

static int conga_command_print(const struct conga_object *object,
			       const struct conga_replies *replies)
{
	struct nlattr *attrs[CONGA_ATTRS_MAX + 1];
	int status = CONGA_OK;
	size_t i;

	conga_print_begin();
	for (i = 0; i < replies->count && !status; i++) {
		status = conga_command_parse_reply(object, replies->msgs[i], attrs);
		if (status)
			break;
		conga_print_object(NULL);
		object->print(attrs, replies->msgs[i]);
		conga_print_object_end();
	}
	conga_print_end();
	return status;
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
	struct conga_replies replies = { 0 };
	int status, printed;

	status = conga_nl_request(command, msg, conga_command_flags(command, msg), &replies,
				  NULL);
	/* An inconsistent dump is complained of, and still better than none. */
	printed = status && !replies.count ? CONGA_OK : conga_command_print(object, &replies);
	conga_nl_replies_clean(&replies);
	return status ? status : printed;
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
