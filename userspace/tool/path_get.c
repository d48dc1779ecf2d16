// SPDX-License-Identifier: GPL-2.0
#include <netinet/in.h>
#include <string.h>
#include <linux/conga.h>
#include <linux/netlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include "common/status.h"
#include "tool/args.h"
#include "tool/choices_generated.h"
#include "tool/command.h"
#include "tool/grammar.h"
#include "tool/nl.h"
#include "tool/options.h"
#include "tool/path_get.h"
#include "tool/path_print.h"
#include "tool/print.h"

#define CONGA_PATH_GET_INDENT	4

static const struct conga_choice conga_path_get_sentences[] = {
	{ "new flowlet", CONGA_DECISION_NEW },
	{ "flowlet in progress", CONGA_DECISION_FLOWLET },
	{ "left to the kernel: no usable path", CONGA_DECISION_KERNEL },
	{ }
};

static const struct conga_choice conga_path_get_protocols[] = {
	{ "tcp", IPPROTO_TCP },
	{ "udp", IPPROTO_UDP },
	{ }
};

static const struct conga_keyword conga_path_get_leaf_words[] = {
	{ "leaf", CONGA_A_PATH_ADDR4, &conga_kind_leaf,
	  CONGA_KEYWORD_REQUIRED | CONGA_KEYWORD_BARE, NULL },
	{ }
};

/* A request has the leaf, which is an attribute of its own, and the flow. */
const struct conga_keyword conga_path_get_words[] = {
	{ "leaf", CONGA_A_PATH_ADDR4, &conga_kind_leaf, CONGA_KEYWORD_BARE, NULL },
	{ "from", CONGA_A_FLOW_SRC4, &conga_kind_addr, 0, NULL },
	{ "to", CONGA_A_FLOW_DST4, &conga_kind_addr, 0, NULL },
	{ "proto", CONGA_A_FLOW_PROTOCOL, &conga_kind_u8, 0, conga_path_get_protocols },
	{ "sport", CONGA_A_FLOW_SPORT, &conga_kind_u16, 0, NULL },
	{ "dport", CONGA_A_FLOW_DPORT, &conga_kind_u16, 0, NULL },
	{ }
};

/* The answer has the policy's choice, and all paths. */
struct conga_path_get {
	const struct conga_object *object;	/* the object of paths */
	struct conga_replies choice;
	struct conga_replies paths;
};

/* The leaf is the first word, and its keyword may be left out. */
static int conga_path_get_parse_leaf(struct conga_args *args, struct nl_msg *msg)
{
	struct conga_args leaf = *args;

	leaf.argc = args->argc && !strcmp(*args->argv, "leaf") ? 2 : 1;
	if (leaf.argc > args->argc)
		leaf.argc = args->argc;
	args->argc -= leaf.argc;
	args->argv += leaf.argc;
	return conga_args_parse(&leaf, conga_path_get_leaf_words, msg);
}

static int conga_path_get_parse_flow(struct conga_args *args, struct nl_msg *msg)
{
	struct nlattr *flow;
	int status;

	if (!args->argc)
		return CONGA_OK;
	flow = nla_nest_start(msg, CONGA_A_PATH_FLOW);
	if (!flow)
		return CONGA_REFUSED;
	status = conga_args_parse(args, conga_path_get_words + 1, msg);
	nla_nest_end(msg, flow);
	return status;
}

static void conga_path_get_print_choice(struct nlattr **attrs)
{
	const struct nlattr *decision = attrs[CONGA_A_PATH_DECISION];

	conga_print_leaf("leaf", "", attrs, CONGA_A_PATH_ADDR4);
	conga_print_choice("decision", NULL, decision, conga_choices_decision);
	conga_print_dev("dev", "dev", attrs[CONGA_A_PATH_IFINDEX]);
	conga_print_uint("tag", "tag", attrs[CONGA_A_PATH_TAG]);
	conga_print_uint("sport", "sport", attrs[CONGA_A_PATH_SPORT]);
	conga_print_choice(NULL, "", decision, conga_path_get_sentences);
	conga_print_metric("local", "local", attrs[CONGA_A_PATH_LOCAL],
			   attrs[CONGA_A_PATH_METRIC_LIMIT]);
	conga_print_metric("remote", "remote", attrs[CONGA_A_PATH_REMOTE],
			   attrs[CONGA_A_PATH_METRIC_LIMIT]);
	conga_print_uint("metric_limit", NULL, attrs[CONGA_A_PATH_METRIC_LIMIT]);
}

static void conga_path_get_print_paths(const struct conga_path_get *get)
{
	struct nlattr *attrs[CONGA_ATTRS_MAX + 1];
	size_t next = 0;

	conga_print_array("paths");
	while (conga_command_next(get->object, &get->paths, &next, attrs)) {
		conga_print_line(CONGA_PATH_GET_INDENT);
		conga_print_object(NULL);
		conga_path_print_tail(attrs, get->paths.msgs[next - 1]);
		if (conga_options.json)
			conga_print_object_end();
	}
	conga_print_array_end();
}

static int conga_path_get_print(const struct conga_path_get *get)
{
	struct nlattr *attrs[CONGA_ATTRS_MAX + 1];
	size_t next = 0;

	conga_print_begin();
	while (conga_command_next(get->object, &get->choice, &next, attrs)) {
		conga_print_object(NULL);
		conga_path_get_print_choice(attrs);
		conga_path_get_print_paths(get);
		conga_print_object_end();
	}
	conga_print_end();
	return CONGA_OK;
}

/* @choice requests the choice, @dump the paths; both name the leaf. */
static int conga_path_get_ask(const struct conga_command *command,
			      const struct conga_object *object, struct nl_msg *choice,
			      struct nl_msg *dump)
{
	struct conga_path_get get = { .object = object };
	int status;

	status = conga_nl_request(command, choice, 0, &get.choice, NULL);
	if (!status)
		status = conga_nl_request(command, dump, NLM_F_DUMP, &get.paths, NULL);
	if (!status)
		status = conga_path_get_print(&get);
	conga_nl_replies_clean(&get.choice);
	conga_nl_replies_clean(&get.paths);
	return status;
}

static int conga_path_get_parse(struct conga_args *args, struct nl_msg *choice,
				struct nl_msg *dump)
{
	struct conga_args again = *args;
	int status;

	status = conga_path_get_parse_leaf(&again, dump);
	if (!status)
		status = conga_path_get_parse_leaf(args, choice);
	return status ? status : conga_path_get_parse_flow(args, choice);
}

int conga_path_get(const struct conga_command *command, struct conga_args *args)
{
	struct nl_msg *choice = conga_nl_message(command);
	struct nl_msg *dump = conga_nl_message(command);
	int status = CONGA_REFUSED;

	if (choice && dump)
		status = conga_path_get_parse(args, choice, dump);
	if (!status)
		status = conga_path_get_ask(command, args->object, choice, dump);
	nlmsg_free(choice);
	nlmsg_free(dump);
	return status;
}
