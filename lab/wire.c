// SPDX-License-Identifier: GPL-2.0
/* wire - makes devices of network namespaces links of the lab
 *
 *	wire <<END
 *	leaf0 up0 rate 40gbit limit 1000000 delay 1us name leaf0.up0
 *	spine0 down1.0 rate 10gbit limit 1000000 mark 100000
 *	END
 *
 * One process for all of them: a fork costs more than a hundred requests. Lines
 * of one namespace belong together, each change opens another socket. rate and
 * delay take units as tc does, limit and mark are bytes. With "quiet 1" no policy can balance
 * by the link's backlog.
 */
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include "common/status.h"
#include "common/units.h"
#include "../selftests/tools/rtnetlink.h"
#include "sch_wire.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define WIRE_LINE_MAX	512
#define WIRE_WORDS	" \t\n"

static unsigned int wire_line;
static struct rtnetlink_refusal wire_refusal;

static int wire_fail(int status, const char *why, const char *word)
{
	fprintf(stderr, "wire: line %u: %s%s%s%s\n", wire_line, why, word ? " \"" : "",
		word ? word : "", word ? "\"" : "");
	return status;
}

/* ---- words to attributes ---- */

struct wire_word {
	const char *name;
	int attr;
	const char *(*parse)(const char *text, unsigned long long *value);
	unsigned int bytes;	/* 0: a string */
};

static const struct wire_word wire_words[] = {
	{ "rate", TCA_WIRE_RATE, conga_units_parse_rate, 8 },
	{ "limit", TCA_WIRE_LIMIT, conga_units_parse_integer, 4 },
	{ "delay", TCA_WIRE_DELAY, conga_units_parse_time, 8 },
	{ "mark", TCA_WIRE_MARK, conga_units_parse_integer, 4 },
	{ "name", TCA_WIRE_NAME, NULL, 0 },
	{ "quiet", TCA_WIRE_QUIET, conga_units_parse_integer, 4 },
};

static const struct wire_word *wire_word_find(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(wire_words); i++)
		if (!strcmp(wire_words[i].name, name))
			return &wire_words[i];
	return NULL;
}

static int wire_word_put(struct nl_msg *msg, const struct wire_word *word, const char *text)
{
	unsigned long long value;
	const char *why;

	if (!word->parse)
		return nla_put_string(msg, word->attr, text);
	why = word->parse(text, &value);
	if (why)
		return wire_fail(CONGA_USAGE, why, text);
	if (word->bytes == 8)
		return nla_put_u64(msg, word->attr, value);
	if (value > UINT32_MAX)
		return wire_fail(CONGA_USAGE, "too large", text);
	return nla_put_u32(msg, word->attr, value);
}

/* The rest of the line that strtok() reads. */
static int wire_words_put(struct nl_msg *msg)
{
	struct nlattr *options = nla_nest_start(msg, TCA_OPTIONS);
	const struct wire_word *word;
	const char *name, *text;
	int err;

	while ((name = strtok(NULL, WIRE_WORDS))) {
		word = wire_word_find(name);
		if (!word)
			return wire_fail(CONGA_USAGE, "unknown word", name);
		text = strtok(NULL, WIRE_WORDS);
		if (!text)
			return wire_fail(CONGA_USAGE, "no value for", name);
		err = wire_word_put(msg, word, text);
		if (err)
			return err;
	}
	nla_nest_end(msg, options);
	return CONGA_OK;
}

/* ---- the kernel ---- */

static struct nl_sock *wire_socket(const char *netns)
{
	static char here[WIRE_LINE_MAX];
	static struct nl_sock *sock;

	if (sock && !strcmp(here, netns))
		return sock;
	nl_socket_free(sock);
	sock = rtnetlink_open(netns, &wire_refusal);
	if (!sock)
		wire_fail(CONGA_REFUSED, "no netlink socket in", netns);
	snprintf(here, sizeof(here), "%s", netns);
	return sock;
}

static int wire_send(struct nl_sock *sock, struct nl_msg *msg, const char *device)
{
	int err;

	wire_refusal.why[0] = '\0';
	err = nl_send_auto(sock, msg);
	if (err >= 0)
		err = nl_wait_for_ack(sock);
	if (err >= 0)
		return CONGA_OK;
	return wire_fail(CONGA_REFUSED, wire_refusal.why[0] ? wire_refusal.why : nl_geterror(err),
			 device);
}

/* ---- a line ---- */

static int wire_add(struct nl_sock *sock, const char *device)
{
	struct tcmsg tcm = { .tcm_parent = TC_H_ROOT, .tcm_ifindex = if_nametoindex(device) };
	struct nl_msg *msg;
	int status;

	if (!tcm.tcm_ifindex)
		return wire_fail(CONGA_REFUSED, "no device", device);
	msg = nlmsg_alloc_simple(RTM_NEWQDISC, NLM_F_CREATE | NLM_F_REPLACE);
	if (!msg || nlmsg_append(msg, &tcm, sizeof(tcm), NLMSG_ALIGNTO) ||
	    nla_put_string(msg, TCA_KIND, "wire"))
		return wire_fail(CONGA_REFUSED, "no memory for", device);
	status = wire_words_put(msg);
	if (status < 0)
		status = wire_fail(CONGA_REFUSED, "too long a line for", device);
	if (!status)
		status = wire_send(sock, msg, device);
	nlmsg_free(msg);
	return status;
}

static int wire_read(char *line)
{
	const char *netns = strtok(line, WIRE_WORDS), *device;
	struct nl_sock *sock;

	if (!netns)
		return CONGA_OK;
	device = strtok(NULL, WIRE_WORDS);
	if (!device)
		return wire_fail(CONGA_USAGE, "a namespace and a device are wanted, not", netns);
	sock = wire_socket(netns);
	return sock ? wire_add(sock, device) : CONGA_REFUSED;
}

int main(int argc, char **argv)
{
	char line[WIRE_LINE_MAX];
	int status;

	if (argc > 1) {
		fprintf(stderr, "usage: %s < LINES\n"
			"a line: NETNS DEV rate RATE limit BYTES [delay TIME] [mark BYTES] [name NAME]\n",
			argv[0]);
		return CONGA_USAGE;
	}
	while (fgets(line, sizeof(line), stdin)) {
		wire_line++;
		status = wire_read(line);
		if (status)
			return status;
	}
	return CONGA_OK;
}
