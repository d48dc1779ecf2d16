// SPDX-License-Identifier: GPL-2.0
/*
 * The grammar of the family: types and nests come from the kernel's own description, so
 * that they never go stale. The kernel does not describe ranges (the module checks them by
 * itself, each with a sentence of its own), so they are generated from the description of
 * the family. How often a request has an attribute is here. The configuration shows which
 * values are meaningful.
 */
#include <err.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include "netlink_fuzz.h"
#include "netlink_fuzz_rules_generated.h"

#define FUZZ_ANSWER	32768
#define FUZZ_RCVBUF	1048576

/* ---- the manual ---- */

#define COMMAND(what, object, right, weight) \
	[CONGA_CMD_ ## what] = { #what, FUZZ_ ## object, FUZZ_ ## right, weight }

const struct fuzz_command fuzz_commands[FUZZ_COMMANDS] = {
	COMMAND(FABRIC_NEW, FABRIC, CHANGES, 10),
	COMMAND(FABRIC_SET, FABRIC, CHANGES, 25),
	COMMAND(FABRIC_GET, FABRIC, READS, 5),
	COMMAND(FABRIC_DEL, FABRIC, CHANGES, 1),	/* most others want one */
	COMMAND(PORT_NEW, PORT, CHANGES, 14),
	COMMAND(PORT_SET, PORT, CHANGES, 14),
	COMMAND(PORT_GET, PORT, READS, 8),
	COMMAND(PORT_DEL, PORT, CHANGES, 5),
	COMMAND(LEAF_NEW, LEAF, CHANGES, 10),
	COMMAND(LEAF_SET, LEAF, CHANGES, 10),
	COMMAND(LEAF_GET, LEAF, READS, 8),
	COMMAND(LEAF_DEL, LEAF, CHANGES, 5),
	COMMAND(PATH_GET, PATH, READS, 14),
	COMMAND(TABLE_GET, TABLE, READS, 8),
	COMMAND(FLOWLET_GET, FLOWLET, TELLS, 6),
	COMMAND(FLOWLET_FLUSH, FABRIC, CHANGES, 4),
	COMMAND(POLICY_GET, POLICY, READS, 2),
	COMMAND(STATS_GET, STATS, READS, 4),
	COMMAND(PATH_PING, PATH, CHANGES, 8),
};

#define HABIT(what, name, ...) \
	{ .object = FUZZ_ ## what, .attr = CONGA_A_ ## what ## _ ## name, __VA_ARGS__ }
#define LIKE(what, name)	.like = FUZZ_ ## what, .like_attr = CONGA_A_ ## what ## _ ## name

/* An attribute that is not here is given by one request in ten. */
static const struct fuzz_habit fuzz_habit_usual = { .percent = 10 };

static const struct fuzz_habit fuzz_habits[] = {
	HABIT(FABRIC, POLICY, .percent = 15),
	HABIT(FABRIC, Q, .percent = 15),
	HABIT(FABRIC, FLOWLETS, .percent = 5),
	HABIT(FABRIC, HELLO, .percent = 5),
	HABIT(FABRIC, LEAF_ID, .percent = 5),
	HABIT(FABRIC, PARAM, .percent = 5),
	HABIT(FABRIC, OPT_OUT_MARK, .percent = 5),
	HABIT(FABRIC, OPT_OUT_MASK, .percent = 5),
	HABIT(FABRIC, OPT_OUT_DSCP, .percent = 5),
	HABIT(FABRIC, PROBE, .percent = 3, .even = true),
	HABIT(FABRIC, LOCAL4, .percent = 5),
	HABIT(FABRIC, LOCAL6, .percent = 5),
	HABIT(PORT, IFINDEX, .percent = 97),
	HABIT(PORT, ROLE, .percent = 95),
	HABIT(PORT, TAG, .percent = 15),
	HABIT(PORT, RATE, .percent = 70),
	HABIT(PORT, DRAIN, .percent = 20),
	HABIT(PORT, TIER, .percent = 20),
	HABIT(PORT, ORIGIN, .percent = 20),
	HABIT(LEAF, ADDR4, .percent = 97, .family = 4),
	HABIT(LEAF, ADDR6, .percent = 97, .family = 6),
	HABIT(LEAF, MODE, .percent = 90),
	HABIT(LEAF, ORIGIN, .percent = 20),
	HABIT(PATH, ADDR4, .percent = 90, .family = 4, LIKE(LEAF, ADDR4)),
	HABIT(PATH, ADDR6, .percent = 90, .family = 6, LIKE(LEAF, ADDR6)),
	HABIT(PATH, IFINDEX, .percent = 95, LIKE(PORT, IFINDEX)),
	HABIT(PATH, FLOW, .percent = 60),
	HABIT(TABLE, KIND, .percent = 95),
	HABIT(TABLE, ADDR4, .percent = 30, .family = 4, LIKE(LEAF, ADDR4)),
	HABIT(TABLE, ADDR6, .percent = 30, .family = 6, LIKE(LEAF, ADDR6)),
	HABIT(FLOWLET, ADDR4, .percent = 30, .family = 4, LIKE(LEAF, ADDR4)),
	HABIT(FLOWLET, ADDR6, .percent = 30, .family = 6, LIKE(LEAF, ADDR6)),
	HABIT(FLOWLET, IFINDEX, .percent = 30, LIKE(PORT, IFINDEX)),
	HABIT(FLOW, SRC4, .percent = 97, .family = 4),
	HABIT(FLOW, SRC6, .percent = 97, .family = 6),
	HABIT(FLOW, DST4, .percent = 97, .family = 4),
	HABIT(FLOW, DST6, .percent = 97, .family = 6),
	HABIT(FLOW, PROTOCOL, .percent = 20),
	HABIT(FLOW, SPORT, .percent = 50),
	HABIT(FLOW, DPORT, .percent = 50),
	HABIT(PARAM, NAME, .percent = 97),
	HABIT(PARAM, VALUE, .percent = 97),
};

const struct fuzz_habit *fuzz_habit(enum fuzz_object object, int attr)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(fuzz_habits); i++)
		if (fuzz_habits[i].object == object && fuzz_habits[i].attr == attr)
			return &fuzz_habits[i];
	return &fuzz_habit_usual;
}

const struct fuzz_rule *fuzz_rule(enum fuzz_object object, int attr)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(fuzz_rules); i++)
		if (fuzz_rules[i].object == object && fuzz_rules[i].attr == attr)
			return &fuzz_rules[i];
	return NULL;
}

bool fuzz_in_range(const struct fuzz_rule *rule, uint64_t value)
{
	if ((rule->zero && !value) || (rule->also && value == rule->also))
		return true;
	if (rule->power && value & (value - 1))
		return false;
	return value >= rule->min && value <= rule->max;
}

bool fuzz_is_refused_by(const struct fuzz_rule *rule, const char *sentence)
{
	return !strcmp(sentence, rule->sentence) ||
	       (rule->sentence_user && !strcmp(sentence, rule->sentence_user));
}

/* ---- queries ---- */

int fuzz_open(void)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	int on = 1, room = FUZZ_RCVBUF;

	if (fd < 0)
		return fd;
	setsockopt(fd, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on));
	setsockopt(fd, SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof(on));
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room));
	return fd;
}

typedef void (*fuzz_hear_t)(void *arg, struct nlattr *attrs, int len);

/* Calls @hear for each reply; returns the number of replies, or a negative number on error.
 */
static int fuzz_ask(int fd, uint16_t type, uint8_t command, bool dump, uint16_t attr,
		    const void *value, size_t len, fuzz_hear_t hear, void *arg)
{
	struct nl_msg *msg = nlmsg_alloc();
	struct genlmsghdr genl = { .cmd = command, .version = CONGA_FAMILY_VERSION };
	static char answer[FUZZ_ANSWER];
	struct nlmsghdr *nl = nlmsg_put(msg, 0, 0, type, 0, NLM_F_REQUEST | NLM_F_ACK |
					(dump ? NLM_F_DUMP : 0));
	int replies = 0, left, error;

	nlmsg_append(msg, &genl, sizeof(genl), NLMSG_ALIGNTO);
	if (len)
		nla_put(msg, attr, len, value);
	if (send(fd, nl, nl->nlmsg_len, 0) < 0)
		err(EXIT_FAILURE, "send");
	nlmsg_free(msg);
	for (;;) {
		left = recv(fd, answer, sizeof(answer), 0);
		if (left < 0)
			err(EXIT_FAILURE, "recv");
		for (nl = (void *)answer; nlmsg_ok(nl, left); nl = nlmsg_next(nl, &left)) {
			if (nl->nlmsg_type == NLMSG_ERROR || nl->nlmsg_type == NLMSG_DONE) {
				memcpy(&error, nlmsg_data(nl), sizeof(error));
				return error ? error : replies;
			}
			hear(arg, nlmsg_attrdata(nl, GENL_HDRLEN), nlmsg_attrlen(nl, GENL_HDRLEN));
			replies++;
		}
	}
}

/* ---- the kernel's description ---- */

static void fuzz_hear_group(struct fuzz_grammar *grammar, struct nlattr *nest)
{
	struct nlattr *name = nla_find(nla_data(nest), nla_len(nest), CTRL_ATTR_MCAST_GRP_NAME);
	struct nlattr *id = nla_find(nla_data(nest), nla_len(nest), CTRL_ATTR_MCAST_GRP_ID);

	if (!strcmp(nla_get_string(name), CONGA_MCGRP_CONFIG_NAME))
		grammar->config = nla_get_u32(id);
	else
		grammar->state = nla_get_u32(id);
}

static void fuzz_hear_op(struct fuzz_grammar *grammar, struct nlattr *nest)
{
	struct nlattr *id = nla_find(nla_data(nest), nla_len(nest), CTRL_ATTR_OP_ID);
	struct nlattr *flags = nla_find(nla_data(nest), nla_len(nest), CTRL_ATTR_OP_FLAGS);
	struct fuzz_op *op = &grammar->ops[nla_get_u32(id) % FUZZ_COMMANDS];

	op->known = true;
	op->doit = nla_get_u32(flags) & GENL_CMD_CAP_DO;
	op->dumpit = nla_get_u32(flags) & GENL_CMD_CAP_DUMP;
}

static void fuzz_hear_family(void *arg, struct nlattr *attrs, int len)
{
	struct fuzz_grammar *grammar = arg;
	struct nlattr *attr, *nest;
	int left, rest;

	nla_for_each_attr(attr, attrs, len, left) {
		if (nla_type(attr) == CTRL_ATTR_FAMILY_ID)
			grammar->family = nla_get_u16(attr);
		if (nla_type(attr) != CTRL_ATTR_OPS && nla_type(attr) != CTRL_ATTR_MCAST_GROUPS)
			continue;
		nla_for_each_nested(nest, attr, rest)
			(nla_type(attr) == CTRL_ATTR_OPS ? fuzz_hear_op :
							   fuzz_hear_group)(grammar, nest);
	}
}

static uint32_t fuzz_u32(struct nlattr *nest, int type)
{
	struct nlattr *attr = nla_find(nla_data(nest), nla_len(nest), type);

	return attr ? nla_get_u32(attr) : 0;
}

/* [policy] [attribute] { what it is } */
static void fuzz_hear_rules(struct fuzz_grammar *grammar, struct nlattr *policies)
{
	struct nlattr *policy, *rule;
	struct fuzz_attr *attr;
	int left, rest;

	nla_for_each_nested(policy, policies, left)
		nla_for_each_nested(rule, policy, rest) {
			if (nla_type(policy) >= FUZZ_POLICIES || nla_type(rule) >= FUZZ_ATTRS)
				errx(EXIT_FAILURE, "the family has too many policies");
			attr = &grammar->policies[nla_type(policy)].attrs[nla_type(rule)];
			attr->taken = true;
			attr->type = fuzz_u32(rule, NL_POLICY_TYPE_ATTR_TYPE);
			attr->nested = fuzz_u32(rule, NL_POLICY_TYPE_ATTR_POLICY_IDX);
			attr->len = fuzz_u32(rule, NL_POLICY_TYPE_ATTR_MAX_LENGTH);
		}
}

/* [command] { policy of a request, of a dump } */
static void fuzz_hear_policy(void *arg, struct nlattr *attrs, int len)
{
	struct fuzz_grammar *grammar = arg;
	struct nlattr *attr, *op;
	int left, rest;

	nla_for_each_attr(attr, attrs, len, left) {
		if (nla_type(attr) == CTRL_ATTR_POLICY)
			fuzz_hear_rules(grammar, attr);
		if (nla_type(attr) != CTRL_ATTR_OP_POLICY)
			continue;
		nla_for_each_nested(op, attr, rest) {
			grammar->ops[nla_type(op) % FUZZ_COMMANDS].policy =
				fuzz_u32(op, CTRL_ATTR_POLICY_DO);
			grammar->ops[nla_type(op) % FUZZ_COMMANDS].dump_policy =
				fuzz_u32(op, CTRL_ATTR_POLICY_DUMP);
		}
	}
}

/* A command that is missing in one of both would never be sent. */
static int fuzz_compare_commands(const struct fuzz_grammar *grammar)
{
	int i, wrong = 0;

	for (i = 0; i < FUZZ_COMMANDS; i++)
		if (grammar->ops[i].known != !!fuzz_commands[i].name) {
			fprintf(stderr, "netlink_fuzz: command %d: only %s knows it\n", i,
				grammar->ops[i].known ? "the kernel" : "this program");
			wrong++;
		}
	return wrong;
}

/* ---- current configuration ---- */

static void fuzz_keep(struct fuzz_values *values, const void *data, size_t len)
{
	unsigned int i;
	void *copy;

	for (i = 0; i < values->count; i++)
		if (values->value[i].len == len && !memcmp(values->value[i].data, data, len))
			return;
	if (values->count == FUZZ_VALUES)
		return;
	copy = malloc(len ? len : 1);
	if (!copy)
		err(EXIT_FAILURE, "no memory");
	memcpy(copy, data, len);
	values->value[values->count++] = (struct fuzz_value){ .len = len, .data = copy };
}

struct fuzz_ear {
	struct fuzz_grammar *grammar;
	uint8_t makes;		/* command that made what is told of */
};

/* The parts of a reply that a request accepts are the request that created the object. */
static void fuzz_hear_made(void *arg, struct nlattr *attrs, int len)
{
	const struct fuzz_ear *ear = arg;
	struct fuzz_grammar *grammar = ear->grammar;
	const struct fuzz_policy *policy = &grammar->policies[grammar->ops[ear->makes].policy];
	enum fuzz_object object = fuzz_commands[ear->makes].object;
	struct fuzz_made **end = &grammar->made;
	struct nl_msg *msg = nlmsg_alloc();
	struct genlmsghdr genl = { .cmd = ear->makes, .version = CONGA_FAMILY_VERSION };
	struct nlattr *attr;
	int left;

	nlmsg_put(msg, 0, 0, grammar->family, 0, NLM_F_REQUEST | NLM_F_ACK);
	nlmsg_append(msg, &genl, sizeof(genl), NLMSG_ALIGNTO);
	nla_for_each_attr(attr, attrs, len, left)
		if (nla_type(attr) < FUZZ_ATTRS && policy->attrs[nla_type(attr)].taken) {
			fuzz_keep(&grammar->values[object][nla_type(attr)], nla_data(attr),
				  nla_len(attr));
			nla_put(msg, attr->nla_type, nla_len(attr), nla_data(attr));
		}
	while (*end)
		end = &(*end)->next;
	*end = calloc(1, sizeof(**end) + nlmsg_hdr(msg)->nlmsg_len);
	if (!*end)
		err(EXIT_FAILURE, "no memory");
	(*end)->len = nlmsg_hdr(msg)->nlmsg_len;
	memcpy((*end)->bytes, nlmsg_hdr(msg), (*end)->len);
	grammar->made_count++;
	nlmsg_free(msg);
}

static void fuzz_hear_param(void *arg, struct nlattr *attrs, int len)
{
	struct nlattr *name = nla_find(attrs, len, CONGA_A_POLICY_NAME), *attr;
	struct fuzz_grammar *grammar = arg;
	struct fuzz_param *param;
	int left;

	fuzz_keep(&grammar->values[FUZZ_FABRIC][CONGA_A_FABRIC_POLICY], nla_data(name),
		  nla_len(name));
	nla_for_each_attr(attr, attrs, len, left) {
		if (nla_type(attr) != CONGA_A_POLICY_PARAM || grammar->param_count == FUZZ_VALUES)
			continue;
		param = &grammar->params[grammar->param_count++];
		nla_strlcpy(param->policy, name, sizeof(param->policy));
		nla_strlcpy(param->name, nla_find(nla_data(attr), nla_len(attr),
						  CONGA_A_PARAM_NAME), sizeof(param->name));
		param->min = fuzz_u32(attr, CONGA_A_PARAM_MIN);
		param->max = fuzz_u32(attr, CONGA_A_PARAM_LIMIT);
		param->time = nla_find(nla_data(attr), nla_len(attr), CONGA_A_PARAM_TIME);
	}
}

static void fuzz_hear_nothing(void *arg, struct nlattr *attrs, int len)
{
	(void)arg;
	(void)attrs;
	(void)len;
}

unsigned int fuzz_count_policies(int fd, uint16_t family)
{
	int count = fuzz_ask(fd, family, CONGA_CMD_POLICY_GET, true, 0, NULL, 0,
			     fuzz_hear_nothing, NULL);

	return count < 0 ? 0 : count;
}

static void fuzz_keep_devices(struct fuzz_grammar *grammar)
{
	struct if_nameindex *devices = if_nameindex();
	uint32_t ifindex;
	size_t i;

	for (i = 0; devices && devices[i].if_index; i++) {
		ifindex = devices[i].if_index;
		fuzz_keep(&grammar->values[FUZZ_PORT][CONGA_A_PORT_IFINDEX], &ifindex,
			  sizeof(ifindex));
	}
	if_freenameindex(devices);
}

static int fuzz_learn(struct fuzz_grammar *grammar, int fd, uint8_t asks, bool dump,
		      uint8_t makes)
{
	struct fuzz_ear ear = { .grammar = grammar, .makes = makes };

	return fuzz_ask(fd, grammar->family, asks, dump, 0, NULL, 0, fuzz_hear_made, &ear);
}

int fuzz_grammar_read(struct fuzz_grammar *grammar, int fd)
{
	int count;

	if (fuzz_ask(fd, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, false, CTRL_ATTR_FAMILY_NAME,
		     CONGA_FAMILY_NAME, sizeof(CONGA_FAMILY_NAME), fuzz_hear_family, grammar) < 1 ||
	    fuzz_ask(fd, GENL_ID_CTRL, CTRL_CMD_GETPOLICY, true, CTRL_ATTR_FAMILY_ID,
		     &grammar->family, sizeof(grammar->family), fuzz_hear_policy, grammar) < 1) {
		fprintf(stderr, "netlink_fuzz: the kernel does not describe the family\n");
		return -1;
	}
	if (fuzz_compare_commands(grammar))
		return -1;
	count = fuzz_ask(fd, grammar->family, CONGA_CMD_POLICY_GET, true, 0, NULL, 0,
			 fuzz_hear_param, grammar);
	if (count < 1 ||
	    fuzz_learn(grammar, fd, CONGA_CMD_FABRIC_GET, false, CONGA_CMD_FABRIC_NEW) < 1 ||
	    fuzz_learn(grammar, fd, CONGA_CMD_PORT_GET, true, CONGA_CMD_PORT_NEW) < 1 ||
	    fuzz_learn(grammar, fd, CONGA_CMD_LEAF_GET, true, CONGA_CMD_LEAF_NEW) < 1) {
		fprintf(stderr, "netlink_fuzz: there is no fabric with ports and leaves\n");
		return -1;
	}
	grammar->policy_count = count;
	fuzz_keep_devices(grammar);
	return 0;
}
