// SPDX-License-Identifier: GPL-2.0
/*
 * This file prints the words that may follow a command line, for the completion of a
 * shell. It uses the tables that also parse the command line, and the objects that
 * exist now (devices, leaves, policies). CONGA_COMPLETE_FILE stands for the name of a
 * file.
 */
#include <dirent.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <linux/conga.h>
#include <linux/netlink.h>
#include <netlink/attr.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include "common/addr.h"
#include "common/family.h"
#include "common/names.h"
#include "common/netns.h"
#include "tool/args.h"
#include "tool/command.h"
#include "tool/complete.h"
#include "tool/fabric_kind.h"
#include "tool/grammar.h"
#include "tool/hosts.h"
#include "tool/leaf.h"
#include "tool/nl.h"
#include "tool/policy.h"
#include "tool/port.h"
#include "tool/state.h"

/* This is a command line up to @prefix, the word that is being typed. */
struct conga_complete {
	const struct conga_object *object;
	const struct conga_command *command;
	const char *prefix;
	int argc;		/* complete words after the command */
	char **argv;
};

void conga_complete_say(const char *prefix, const char *word)
{
	if (!strncmp(word, prefix, strlen(prefix)))
		puts(word);
}

void conga_complete_netns(const char *prefix)
{
	DIR *dir = opendir(CONGA_NETNS_DIR);
	const struct dirent *entry;

	if (!dir)
		return;
	while ((entry = readdir(dir)))
		if (*entry->d_name != '.')
			conga_complete_say(prefix, entry->d_name);
	closedir(dir);
}

void conga_complete_file(void)
{
	puts(CONGA_COMPLETE_FILE);
}

/* ---- existing objects ---- */

typedef void conga_complete_reply(const struct conga_complete *complete, struct nlattr **attrs,
				  struct nl_msg *reply);

/* A completion must not load the module. */
static void conga_complete_each(const struct conga_complete *complete,
				const struct conga_object *object, conga_complete_reply *say)
{
	struct nlattr *attrs[CONGA_ATTRS_MAX + 1];
	struct conga_replies replies = { 0 };
	size_t i;

	if (!conga_family_is_loaded())
		return;
	if (!conga_state_read_object(object, NLM_F_DUMP, &replies, NULL))
		for (i = 0; i < replies.count; i++)
			if (!conga_command_parse_reply(object, replies.msgs[i], attrs))
				say(complete, attrs, replies.msgs[i]);
	conga_nl_replies_clean(&replies);
}

static void conga_complete_port(const struct conga_complete *complete, struct nlattr **attrs,
				struct nl_msg *reply)
{
	char name[IF_NAMESIZE];

	(void)reply;
	if (!attrs[CONGA_A_PORT_IFINDEX])
		return;
	conga_names_find(nla_get_u32(attrs[CONGA_A_PORT_IFINDEX]), name);
	conga_complete_say(complete->prefix, name);
}

static void conga_complete_leaf(const struct conga_complete *complete, struct nlattr **attrs,
				struct nl_msg *reply)
{
	const struct nlattr *attr = attrs[CONGA_A_LEAF_ADDR4];
	char text[CONGA_ADDR_TEXT_MAX];
	struct in6_addr addr;
	const char *name;

	(void)reply;
	if (!attr)
		attr = attrs[CONGA_A_LEAF_ADDR6];
	if (!conga_addr_read(attr, &addr))
		return;
	conga_complete_say(complete->prefix, conga_addr_text(&addr, text));
	name = conga_hosts_find_name(attr);
	if (name)
		conga_complete_say(complete->prefix, name);
}

static void conga_complete_policy(const struct conga_complete *complete, struct nlattr **attrs,
				  struct nl_msg *reply)
{
	(void)reply;
	if (attrs[CONGA_A_POLICY_NAME])
		conga_complete_say(complete->prefix, nla_get_string(attrs[CONGA_A_POLICY_NAME]));
}

/* Completes parameters of the policy whose name was given before them. */
static void conga_complete_params(const struct conga_complete *complete, struct nlattr **attrs,
				  struct nl_msg *reply)
{
	struct nlattr *attr, *name;
	int rem;

	if (!attrs[CONGA_A_POLICY_NAME] ||
	    strcmp(nla_get_string(attrs[CONGA_A_POLICY_NAME]), *complete->argv))
		return;
	nlmsg_for_each_attr(attr, nlmsg_hdr(reply), GENL_HDRLEN, rem) {
		if (nla_type(attr) != CONGA_A_POLICY_PARAM)
			continue;
		name = nla_find(nla_data(attr), nla_len(attr), CONGA_A_PARAM_NAME);
		if (name)
			conga_complete_say(complete->prefix, nla_get_string(name));
	}
}

static bool conga_complete_adds(const struct conga_complete *complete)
{
	return !strcmp(complete->command->name, "add");
}

/* A new port may be any device; other commands take existing ports. */
static void conga_complete_dev(const struct conga_complete *complete)
{
	struct if_nameindex *names, *name;

	if (!conga_complete_adds(complete)) {
		conga_complete_each(complete, &conga_port_object, conga_complete_port);
		return;
	}
	names = if_nameindex();
	for (name = names; name && name->if_index; name++)
		if (strcmp(name->if_name, "lo"))
			conga_complete_say(complete->prefix, name->if_name);
	if_freenameindex(names);
}

/* A new leaf may have any name; its address, and those within the tunnel, are unknown. */
static void conga_complete_leaves(const struct conga_complete *complete)
{
	if (conga_complete_adds(complete))
		conga_hosts_each(conga_complete_say, complete->prefix);
	else
		conga_complete_each(complete, &conga_leaf_object, conga_complete_leaf);
}

/* ---- the grammar ---- */

static void conga_complete_value(const struct conga_complete *complete,
				 const struct conga_keyword *keyword)
{
	const struct conga_choice *choice;

	for (choice = keyword->choices; choice && choice->word; choice++)
		conga_complete_say(complete->prefix, choice->word);
	if (keyword->kind == &conga_kind_dev)
		conga_complete_dev(complete);
	else if (keyword->kind == &conga_kind_leaf)
		conga_complete_leaves(complete);
	else if (keyword->kind == &conga_fabric_kind_policy)
		conga_complete_each(complete, &conga_policy_object, conga_complete_policy);
}

/* Completes the remaining keywords, and the value of the first that may be given without its
 * word.
 */
static void conga_complete_words(const struct conga_complete *complete,
				 const struct conga_keyword *words, unsigned int given)
{
	const struct conga_keyword *bare = conga_args_find_bare(words, given), *keyword;

	if (bare)
		conga_complete_value(complete, bare);
	for (keyword = words; keyword && keyword->word; keyword++)
		if (!(keyword->flags & CONGA_KEYWORD_NAMELESS) &&
		    (!(given & conga_args_bit(words, keyword)) ||
		     (keyword->flags & CONGA_KEYWORD_REPEATED)))
			conga_complete_say(complete->prefix, keyword->word);
}

/* Skips the policy's parameters after its name; returns false if the line ends within one. */
static bool conga_complete_pairs(struct conga_complete *complete,
				 const struct conga_keyword *words)
{
	const struct conga_complete policy = *complete;

	complete->argc--;
	complete->argv++;
	while (complete->argc && !conga_args_find_word(words, *complete->argv)) {
		if (complete->argc == 1)
			return false;
		complete->argc -= 2;
		complete->argv += 2;
	}
	if (!complete->argc)
		conga_complete_each(&policy, &conga_policy_object, conga_complete_params);
	return true;
}

/* Skips opt-out, which takes one word more; returns false if the line ends within it. */
static bool conga_complete_opt_out(struct conga_complete *complete)
{
	complete->argc--;
	complete->argv++;
	if (!complete->argc) {
		conga_complete_say(complete->prefix, "off");
		return false;
	}
	complete->argc--;
	complete->argv++;
	return true;
}

static void conga_complete_bare(const struct conga_complete *complete, const char *const *bare)
{
	for (; bare && *bare; bare++) {
		if (!strcmp(*bare, CONGA_COMPLETE_FILE))
			puts(*bare);
		else
			conga_complete_say(complete->prefix, *bare);
	}
}

/* Skips a keyword with its value; returns false if the line ends within it. */
static bool conga_complete_take(struct conga_complete *complete,
				const struct conga_keyword *words, unsigned int *given)
{
	const struct conga_keyword *keyword = conga_args_find_word(words, *complete->argv);

	if (keyword) {
		complete->argc--;
		complete->argv++;
	} else {
		keyword = conga_args_find_bare(words, *given);
		if (!keyword)
			return false;
	}
	if (!complete->argc) {
		conga_complete_value(complete, keyword);
		return false;
	}
	*given |= conga_args_bit(words, keyword);
	if (keyword->kind == &conga_fabric_kind_policy)
		return conga_complete_pairs(complete, words);
	if (keyword->kind == &conga_fabric_kind_opt_out)
		return conga_complete_opt_out(complete);
	complete->argc--;
	complete->argv++;
	return true;
}

static const struct conga_keyword *conga_complete_table(const struct conga_command *command)
{
	return command->all_words ? command->all_words : command->words;
}

static void conga_complete_command(struct conga_complete *complete)
{
	const struct conga_keyword *words = conga_complete_table(complete->command);
	unsigned int given = 0;

	while (complete->argc)
		if (!conga_complete_take(complete, words, &given))
			return;
	conga_complete_words(complete, words, given);
	conga_complete_bare(complete, complete->command->bare);
}

static void conga_complete_verbs(const struct conga_complete *complete)
{
	const struct conga_command *command = complete->object->commands;

	for (; command && command->name; command++)
		conga_complete_say(complete->prefix, command->name);
	conga_complete_bare(complete, complete->object->bare);
	conga_complete_say(complete->prefix, "help");
}

/* @args are the words after the object, and the last one is the prefix. */
void conga_complete_object(const struct conga_object *object, const struct conga_args *args)
{
	struct conga_complete complete = {
		.object = object,
		.prefix = args->argv[args->argc - 1],
		.argc = args->argc - 1,
		.argv = args->argv,
	};

	if (object->run && object->commands) {
		if (!complete.argc)
			conga_complete_say(complete.prefix, "help");
		complete.command = object->commands;
		conga_complete_command(&complete);
		return;
	}
	if (!complete.argc || object->run) {
		conga_complete_verbs(&complete);
		return;
	}
	complete.command = conga_command_find(object, *complete.argv);
	if (!complete.command)
		return;
	complete.argc--;
	complete.argv++;
	conga_complete_command(&complete);
}
