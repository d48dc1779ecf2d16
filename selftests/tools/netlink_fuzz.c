// SPDX-License-Identifier: GPL-2.0
/*
 * netlink_fuzz - random requests to the family "conga", and whether each is answered
 * as its manual says
 *
 *	netlink_fuzz -n NETNS -e ELSEWHERE [-s SEED] [-c COUNT] [-i FIRST] [-S] [-p|-v]
 *
 * NETNS has a fabric with ports and leaves, ELSEWHERE has none. Message i is made of
 * the seed, i and what is configured at the start; -i begins later. -S: others change
 * the fabric meanwhile; the program stops by SIGSTOP when it has read what is configured.
 * -p prints messages instead of sending them, -v those sent, too.
 *
 * Expected of each: it is answered; who has no right to change or to read is refused;
 * a request that is refused, or is of another namespace, changes nothing (no event is
 * heard), and one that is not changes something; what is accepted is in the manual's
 * range; a refusal says why, unless the kernel refuses before it asks the module; one of a
 * number out of range has the description's sentence.
 *
 * Prints what became of them: counts by command, kind and sender, and findings. Exits
 * with 1 if there are any.
 */
#include <err.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include "netlink_fuzz.h"

struct fuzz_counts {
	unsigned long sent, accepted, refused, unanswered, news;
};

struct fuzz_run fuzz_run = {
	.name = "netlink_fuzz", .noun = "message",
	.usage = "netlink_fuzz -n NETNS -e NETNS [-s SEED] [-c COUNT] [-i FIRST] [-S] [-pv]",
	.seed = 1, .count = 10000,
};

static struct fuzz_state {
	const char *elsewhere;
	bool shared;
	struct fuzz_grammar grammar;
	struct fuzz_counts commands[FUZZ_COMMANDS + 1], kinds[FUZZ_KINDS];
	struct fuzz_counts actors[FUZZ_ACTORS];
} fuzz;

static struct fuzz_message fuzz_message;

static bool fuzz_has_no_right(enum fuzz_actor actor)
{
	return actor == FUZZ_DROPPED || actor == FUZZ_NOBODY || actor == FUZZ_STRANGER;
}

/* ---- findings ---- */

static void fuzz_print(const struct fuzz_message *message, uint64_t index)
{
	printf("# message %llu, %s, %s, allocation %u, %zu bytes:", (unsigned long long)index,
	       fuzz_kinds[message->kind].name, fuzz_actors[message->actor].name,
	       message->kind == FUZZ_STARVED ? message->nth : 0, message->len);
	fuzz_print_bytes(message->bytes, message->len);
}

static void fuzz_finding(const struct fuzz_message *message, uint64_t index,
			 const struct fuzz_verdict *verdict, const char *what)
{
	if (!fuzz_finding_begin(index, what))
		return;
	printf(", error %d\n", -verdict->error);
	fuzz_print(message, index);
	fflush(stdout);
}

/* ---- expected answers ---- */

/* The message is one request, and has no bytes beyond it. */
static bool fuzz_is_one(const struct fuzz_message *message)
{
	return message->len >= NLMSG_HDRLEN && message->nl.nlmsg_len == message->len;
}

static bool fuzz_has_genl(const struct fuzz_message *message)
{
	return fuzz_is_one(message) && message->len >= NLMSG_HDRLEN + GENL_HDRLEN;
}

static uint8_t fuzz_command(struct fuzz_message *message)
{
	return fuzz_genl(message)->cmd;
}

static bool fuzz_dumps(const struct fuzz_message *message)
{
	return (message->nl.nlmsg_flags & NLM_F_DUMP) == NLM_F_DUMP;
}

static uint64_t fuzz_value_of(const struct nlattr *attr)
{
	uint64_t value = 0;

	memcpy(&value, nla_data(attr), nla_len(attr) < (int)sizeof(value) ?
	       (size_t)nla_len(attr) : sizeof(value));
	return value;
}

/* Returns whether a policy has a parameter of this name, range and unit. */
static bool fuzz_param_in_range(struct nlattr *nest)
{
	struct nlattr *name = nla_find(nla_data(nest), nla_len(nest), CONGA_A_PARAM_NAME);
	struct nlattr *value = nla_find(nla_data(nest), nla_len(nest), CONGA_A_PARAM_VALUE);
	bool time = nla_find(nla_data(nest), nla_len(nest), CONGA_A_PARAM_TIME);
	const struct fuzz_param *param;
	unsigned int i;

	for (i = 0; name && value && i < fuzz.grammar.param_count; i++) {
		param = &fuzz.grammar.params[i];
		if (!strcmp(nla_get_string(name), param->name) && time == param->time &&
		    nla_get_u32(value) >= param->min && nla_get_u32(value) <= param->max)
			return true;
	}
	return false;
}

/* Returns what is wrong with an attribute that was accepted, or NULL. */
static const char *fuzz_wrong(const struct fuzz_policy *policy, enum fuzz_object object,
			      bool dumps, struct nlattr *attr)
{
	const struct fuzz_rule *rule;
	int type = nla_type(attr);

	if (type >= FUZZ_ATTRS || !policy->attrs[type].taken)
		return "an attribute that is not taken was accepted";
	rule = fuzz_rule(object, type);
	if (rule && rule->single && dumps)
		return "an attribute that dumps do not take was accepted";
	if (rule && rule->max && !fuzz_in_range(rule, fuzz_value_of(attr)))
		return "a value out of range was accepted";
	if (object == FUZZ_FABRIC && type == CONGA_A_FABRIC_PARAM && !fuzz_param_in_range(attr))
		return "a parameter out of range was accepted";
	return NULL;
}

/* Different ports of a fabric; a port that is repeated counts once. */
struct fuzz_dstports {
	unsigned int port[CONGA_DSTPORTS_MAX];
	int count;	/* at most one more than there is room for */
};

static void fuzz_dstport(struct fuzz_dstports *ports, unsigned int port)
{
	int i;

	for (i = 0; i < ports->count && i < CONGA_DSTPORTS_MAX; i++)
		if (ports->port[i] == port)
			return;
	if (ports->count < CONGA_DSTPORTS_MAX)
		ports->port[ports->count] = port;
	if (ports->count <= CONGA_DSTPORTS_MAX)
		ports->count++;
}

static const char *fuzz_wrong_attrs(struct fuzz_message *message)
{
	enum fuzz_object object = fuzz_commands[fuzz_command(message)].object;
	const struct fuzz_op *op = &fuzz.grammar.ops[fuzz_command(message)];
	bool dumps = fuzz_dumps(message);
	const struct fuzz_policy *policy =
		&fuzz.grammar.policies[dumps ? op->dump_policy : op->policy];
	struct fuzz_dstports ports = { 0 };
	struct nlattr *attr;
	const char *wrong;
	int left;

	nla_for_each_attr(attr, nlmsg_attrdata(&message->nl, GENL_HDRLEN),
			  nlmsg_attrlen(&message->nl, GENL_HDRLEN), left) {
		wrong = fuzz_wrong(policy, object, dumps, attr);
		if (wrong)
			return wrong;
		if (object == FUZZ_FABRIC && nla_type(attr) == CONGA_A_FABRIC_DSTPORT)
			fuzz_dstport(&ports, fuzz_value_of(attr));
	}
	return ports.count > CONGA_DSTPORTS_MAX ? "too many dstports were accepted" : NULL;
}

static bool fuzz_needs_right(struct fuzz_message *message)
{
	uint8_t command = fuzz_command(message);

	if (command == CONGA_CMD_PATH_GET && !fuzz_dumps(message))
		return nlmsg_find_attr(&message->nl, GENL_HDRLEN, CONGA_A_PATH_FLOW);
	return fuzz_commands[command].name && fuzz_commands[command].right != FUZZ_READS;
}

/* The kernel's own errors have no sentence if it does not reach the attributes, or has no
 * memory for them.
 */
static bool fuzz_may_be_silent(struct fuzz_message *message, const struct fuzz_verdict *verdict)
{
	if (!fuzz_has_genl(message) || verdict->error == -EOPNOTSUPP)
		return true;
	if (message->kind == FUZZ_STARVED && verdict->error == -ENOMEM)
		return fuzz_dumps(message) || message->nth <= fuzz_nth_kernel();
	return verdict->error == -EPERM && fuzz_has_no_right(message->actor) &&
	       fuzz_needs_right(message);
}

/* Returns whether a number is refused by a sentence that the description does not have for it. */
static bool fuzz_says_another(struct fuzz_message *message, const struct fuzz_verdict *verdict)
{
	enum fuzz_object object = fuzz_commands[fuzz_command(message)].object;
	const struct fuzz_rule *rule;
	struct nlattr *attr;
	int left;

	if (verdict->error != -ERANGE || !fuzz_has_genl(message))
		return false;
	nla_for_each_attr(attr, nlmsg_attrdata(&message->nl, GENL_HDRLEN),
			  nlmsg_attrlen(&message->nl, GENL_HDRLEN), left) {
		rule = fuzz_rule(object, nla_type(attr));
		if ((char *)attr - message->bytes == verdict->offset && rule && rule->sentence)
			return !fuzz_is_refused_by(rule, verdict->sentence);
	}
	return false;
}

static bool fuzz_must_be_answered(const struct fuzz_message *message)
{
	const uint16_t asks = NLM_F_REQUEST | NLM_F_ACK;

	return message->kind != FUZZ_STARVED && fuzz_is_one(message) &&
	       (message->nl.nlmsg_flags & asks) == asks;
}

/* Returns whether listeners must receive an event, which needs memory. To empty the table of
 * flowlets, or to ping, changes nothing that is configured.
 */
static bool fuzz_is_told(struct fuzz_message *message)
{
	uint8_t command = fuzz_command(message);

	return fuzz_commands[command].right == FUZZ_CHANGES &&
	       command != CONGA_CMD_FLOWLET_FLUSH && command != CONGA_CMD_PATH_PING &&
	       message->actor == FUZZ_ADMIN && message->kind != FUZZ_STARVED;
}

static const char *fuzz_wrong_accepted(struct fuzz_message *message,
				       const struct fuzz_verdict *verdict)
{
	if (!fuzz_has_genl(message))
		return "half a request was accepted";
	if (!fuzz_commands[fuzz_command(message)].name)
		return "a command that is none was accepted";
	if (fuzz_has_no_right(message->actor) && fuzz_needs_right(message))
		return "accepted from one who has no right to it";
	if (fuzz_is_told(message) && !verdict->news && !fuzz.shared)
		return "accepted, and nobody was told";
	return fuzz_wrong_attrs(message);
}

static const char *fuzz_wrong_refused(struct fuzz_message *message,
				      const struct fuzz_verdict *verdict)
{
	if (verdict->news && !fuzz.shared && fuzz_is_one(message))
		return "refused, and yet something changed";
	if (!*verdict->sentence && !fuzz_may_be_silent(message, verdict))
		return "refused without a sentence";
	if (fuzz_says_another(message, verdict))
		return "refused by another sentence than the description's";
	return NULL;
}

static const char *fuzz_judge(struct fuzz_message *message, const struct fuzz_verdict *verdict)
{
	if (verdict->news && !fuzz.shared && message->actor != FUZZ_ADMIN)
		return "changed by one who has no right to it";
	if (!verdict->answered)
		return fuzz_must_be_answered(message) ? "not answered" : NULL;
	if (verdict->error)
		return fuzz_wrong_refused(message, verdict);
	return verdict->accepted && fuzz_is_one(message) ?
	       fuzz_wrong_accepted(message, verdict) : NULL;
}

static void fuzz_count(struct fuzz_counts *counts, const struct fuzz_verdict *verdict)
{
	counts->sent++;
	counts->accepted += verdict->accepted;
	counts->refused += verdict->error != 0;
	counts->unanswered += !verdict->answered;
	counts->news += verdict->news;
}

static void fuzz_one(uint64_t index)
{
	struct fuzz_message *message = &fuzz_message;
	struct fuzz_verdict verdict = {};
	const char *wrong;
	int command;

	fuzz_make(message, &fuzz.grammar, fuzz_run.seed, index);
	if (fuzz_run.prints || fuzz_run.shows)
		fuzz_print(message, index);
	if (fuzz_run.prints)
		return;
	fuzz_send(message, index, &verdict);
	command = fuzz_has_genl(message) && fuzz_commands[fuzz_command(message)].name ?
		  fuzz_command(message) : FUZZ_COMMANDS;
	fuzz_count(&fuzz.commands[command], &verdict);
	fuzz_count(&fuzz.kinds[message->kind], &verdict);
	fuzz_count(&fuzz.actors[message->actor], &verdict);
	wrong = message->kind == FUZZ_ABANDONED ? NULL : fuzz_judge(message, &verdict);
	if (wrong)
		fuzz_finding(message, index, &verdict, wrong);
}

static void fuzz_check(uint64_t index)
{
	fuzz_forget_state();
	if (fuzz_count_policies(fuzz_admin(), fuzz.grammar.family) !=
	    fuzz.grammar.policy_count)
		errx(EXIT_FAILURE, "seed %llu: the module does not answer at %llu",
		     (unsigned long long)fuzz_run.seed, (unsigned long long)index);
}

/* ---- the report ---- */

static void fuzz_report_line(const char *what, const char *name, const struct fuzz_counts *counts)
{
	printf("# %s %s: %lu sent, %lu accepted, %lu refused, ", what, name, counts->sent,
	       counts->accepted, counts->refused);
	printf("%lu without an answer, %lu heard of\n", counts->unanswered, counts->news);
}

static void fuzz_report(void)
{
	int i;

	for (i = 0; i < FUZZ_COMMANDS; i++)
		if (fuzz_commands[i].name)
			fuzz_report_line("command", fuzz_commands[i].name, &fuzz.commands[i]);
	fuzz_report_line("command", "none", &fuzz.commands[FUZZ_COMMANDS]);
	for (i = 0; i < FUZZ_KINDS; i++)
		fuzz_report_line("kind", fuzz_kinds[i].name, &fuzz.kinds[i]);
	for (i = 0; i < FUZZ_ACTORS; i++)
		fuzz_report_line("sender", fuzz_actors[i].name, &fuzz.actors[i]);
	fuzz_report_end();
}

static void fuzz_options(int argc, char **argv)
{
	int letter;

	while ((letter = getopt(argc, argv, "n:e:s:c:i:Spv")) != -1)
		if (letter == 'e')
			fuzz.elsewhere = optarg;
		else if (letter == 'S')
			fuzz.shared = true;
		else if (letter == 'p')
			fuzz_run.prints = true;
		else if (!fuzz_option(letter, optarg))
			fuzz_usage();
	if (!fuzz_run.netns || !fuzz.elsewhere || optind != argc)
		fuzz_usage();
}

int main(int argc, char **argv)
{
	fuzz_options(argc, argv);
	fuzz_open_all(fuzz.elsewhere);
	if (fuzz_grammar_read(&fuzz.grammar, fuzz_admin()))
		return EXIT_FAILURE;
	fuzz_listen(&fuzz.grammar);
	/* Another process may change what this one must know first. */
	if (fuzz.shared && !fuzz_run.prints)
		raise(SIGSTOP);
	fuzz_cases(fuzz_one, fuzz_check);
	if (!fuzz_run.prints)
		fuzz_report();
	return fuzz_run.findings ? EXIT_FAILURE : EXIT_SUCCESS;
}
