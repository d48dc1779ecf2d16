// SPDX-License-Identifier: GPL-2.0
/* Paths: every leaf by every uplink, and why not. */
#include "tool/tool.h"

static const char conga_path_usage[] =
	"Usage: conga path [ show [ leaf ADDR ] ]\n"
	"       conga path get [ leaf ] ADDR [ FLOW ]\n"
	"FLOW := from ADDR to ADDR [ proto { tcp | udp | NUMBER } ] [ sport PORT ] [ dport PORT ]\n"
	"        addresses, protocol (tcp unless said) and ports inside the tunnel\n";

static const struct conga_choice conga_path_reasons[] = {
	{ "port_down", CONGA_PATH_PORT_DOWN },
	{ "no_route", CONGA_PATH_NO_ROUTE },
	{ "not_nexthop", CONGA_PATH_NOT_NEXTHOP },
	{ "nexthop_down", CONGA_PATH_NEXTHOP_DOWN },
	{ "other_device", CONGA_PATH_OTHER_DEVICE },
	{ "silent", CONGA_PATH_SILENT },
	{ "draining", CONGA_PATH_DRAINING },
	{ "unprobed", CONGA_PATH_UNPROBED },
	{ "narrow", CONGA_PATH_NARROW },
	{ "neighbour", CONGA_PATH_NEIGHBOUR },
	{ }
};

static const struct conga_choice conga_path_sentences[] = {
	{ "the uplink is down or has no carrier", CONGA_PATH_PORT_DOWN },
	{ "there is no unicast route to the leaf", CONGA_PATH_NO_ROUTE },
	{ "the route to the leaf does not use this uplink", CONGA_PATH_NOT_NEXTHOP },
	{ "the nexthop on this uplink is dead or its link is down", CONGA_PATH_NEXTHOP_DOWN },
	{ "a lookup through this uplink answers with another device",
	  CONGA_PATH_OTHER_DEVICE },
	{ "the leaf answers hellos, but not by this uplink", CONGA_PATH_SILENT },
	{ "the uplink is draining: it takes no new flowlets", CONGA_PATH_DRAINING },
	{ "probes of the leaf came by this port, and come no more", CONGA_PATH_UNPROBED },
	{ "the path loses large packets, small ones pass", CONGA_PATH_NARROW },
	{ "no gateway on this uplink answers", CONGA_PATH_NEIGHBOUR },
	{ }
};

static const struct conga_keyword conga_path_words[] = {
	{ "leaf", CONGA_A_PATH_ADDR4, &conga_kind_addr, 0, NULL },
	{ }
};

static const struct nla_policy conga_path_policy[CONGA_A_PATH_MAX + 1] = {
	[CONGA_A_PATH_ADDR4] = { .type = NLA_U32 },
	[CONGA_A_PATH_ADDR6] = { .minlen = 16 },
	[CONGA_A_PATH_IFINDEX] = { .type = NLA_U32 },
	[CONGA_A_PATH_TAG] = { .type = NLA_U32 },
	[CONGA_A_PATH_REASON] = { .type = NLA_U32 },
	[CONGA_A_PATH_LOCAL] = { .type = NLA_U32 },
	[CONGA_A_PATH_REMOTE] = { .type = NLA_U32 },
	[CONGA_A_PATH_AGE] = { .type = NLA_U64 },
	[CONGA_A_PATH_DECISION] = { .type = NLA_U32 },
	[CONGA_A_PATH_DELAY] = { .type = NLA_U64 },
	[CONGA_A_PATH_QUEUE] = { .type = NLA_U64 },
};

static void conga_path_print_down(const struct nlattr *reason)
{
	conga_print_string("state", "", "down");
	conga_print_choice("reason", NULL, reason, conga_path_reasons);
	conga_print_sentence(reason, conga_path_sentences);
}

/* All but the leaf, which the overview has printed already. What a path that
 * is down would cost is for scripts.
 */
void conga_path_print_tail(struct nlattr **attrs)
{
	const struct nlattr *reason = attrs[CONGA_A_PATH_REASON];
	bool usable = conga_attr_number(reason) == CONGA_PATH_USABLE;

	conga_print_dev("dev", "dev", attrs[CONGA_A_PATH_IFINDEX]);
	conga_print_uint("tag", "tag", attrs[CONGA_A_PATH_TAG]);
	if (usable)
		conga_print_string("state", "", "usable");
	else
		conga_path_print_down(reason);
	usable = usable || conga_options.details;
	conga_print_uint("local", usable ? "local" : NULL, attrs[CONGA_A_PATH_LOCAL]);
	conga_print_uint("remote", usable ? "remote" : NULL, attrs[CONGA_A_PATH_REMOTE]);
	conga_print_age("age_ns", usable ? "age" : NULL, attrs[CONGA_A_PATH_AGE]);
	conga_print_time("delay_ns", usable ? "delay" : NULL, attrs[CONGA_A_PATH_DELAY]);
	conga_print_time("queue_ns", usable ? "queue" : NULL, attrs[CONGA_A_PATH_QUEUE]);
}

static void conga_path_print(struct nlattr **attrs, struct nl_msg *reply)
{
	(void)reply;
	conga_print_addr("leaf", "", attrs, CONGA_A_PATH_ADDR4);
	conga_path_print_tail(attrs);
}

static const struct conga_command conga_path_commands[] = {
	{ .name = "show", .run = conga_command_show, .cmd = CONGA_CMD_PATH_GET,
	  .reply = CONGA_REPLY_DUMP, .words = conga_path_words },
	{ .name = "get", .run = conga_path_get, .cmd = CONGA_CMD_PATH_GET,
	  .reply = CONGA_REPLY_ONE, .all_words = conga_path_get_words },
	{ }
};

const struct conga_object conga_path_object = {
	.name = "path",
	.usage = conga_path_usage,
	.commands = conga_path_commands,
	.print = conga_path_print,
	.policy = conga_path_policy,
	.attr_max = CONGA_A_PATH_MAX,
};
