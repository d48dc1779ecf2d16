// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <linux/conga.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include "common/status.h"
#include "tool/command.h"
#include "tool/epoch_file.h"
#include "tool/fabric.h"
#include "tool/field.h"
#include "tool/fields_generated.h"
#include "tool/grammar.h"
#include "tool/grammar_generated.h"
#include "tool/print.h"

/* The event of a deleted fabric has no attributes. */
static void conga_fabric_print(struct nlattr **attrs, struct nl_msg *reply)
{
	conga_print_text(attrs[CONGA_A_FABRIC_POLICY] ? "fabric:" : "fabric");
	conga_field_print_all(conga_fabric_fields, attrs, reply);
}

/* "set" without a setting is an error, unlike "add". */
static int conga_fabric_set(const struct conga_command *command, struct conga_args *args)
{
	if (args->argc)
		return conga_command_change(command, args);
	fprintf(stderr, "Command line is not complete. Try option \"help\"\n%s",
		conga_fabric_usage);
	return CONGA_USAGE;
}

static int conga_fabric_add(const struct conga_command *command, struct conga_args *args)
{
	int status = conga_command_change(command, args);

	if (!status)
		conga_epoch_file_remove();
	return status;
}

static const struct conga_command conga_fabric_commands[] = {
	{ .name = "show", .run = conga_command_show, .cmd = CONGA_CMD_FABRIC_GET,
	  .reply = CONGA_REPLY_ONE },
	{ .name = "add", .run = conga_fabric_add, .cmd = CONGA_CMD_FABRIC_NEW,
	  .words = conga_fabric_words, .privilege = CONGA_PRIVILEGE_CHANGE },
	{ .name = "set", .run = conga_fabric_set, .cmd = CONGA_CMD_FABRIC_SET,
	  .words = conga_fabric_words, .privilege = CONGA_PRIVILEGE_CHANGE },
	{ .name = "del", .run = conga_command_change, .cmd = CONGA_CMD_FABRIC_DEL,
	  .privilege = CONGA_PRIVILEGE_CHANGE },
	{ }
};

const struct conga_object conga_fabric_object = {
	.name = "fabric",
	.usage = conga_fabric_usage,
	.commands = conga_fabric_commands,
	.print = conga_fabric_print,
	.policy = conga_fabric_policy,
	.attr_max = CONGA_A_FABRIC_MAX,
	.defaults = conga_fabric_defaults,
};
