// SPDX-License-Identifier: GPL-2.0
/* Requests of fail_nth to the family "conga": one without memory is answered with an error, or is
 * done; an answer or an event that cannot be sent is known to be lost; and what is configured is
 * as before.
 */
#include <err.h>
#include <errno.h>
#include <linux/conga.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fail_nth.h"
#include "message.h"

struct outcome {
	int error;		/* errno, 0: done */
	bool answered;		/* the kernel itself said so, not the socket */
	bool sentence;
	unsigned int messages;
	bool failed;		/* an allocation */
};

static int listener;
static unsigned int usual;	/* messages of the answer when nothing fails */

/* ---- requests ---- */

static void request_make(struct message *msg, int fd, char **word, int words, uint16_t flags)
{
	int i;

	message_init(msg, message_find_family(fd), atoi(word[0]), MESSAGE_VERSION);
	msg->nl.nlmsg_flags |= flags;
	for (i = 1; i < words; i++)
		message_put_word(msg, word[i]);
}

/* Returns whether this message of an answer is the last. */
static bool answer_read(const struct nlmsghdr *nl, struct outcome *outcome)
{
	const struct nlmsgerr *error = NLMSG_DATA(nl);

	if (nl->nlmsg_type != NLMSG_ERROR && nl->nlmsg_type != NLMSG_DONE) {
		outcome->messages++;
		return false;
	}
	outcome->answered = true;
	outcome->error = -error->error;
	if (nl->nlmsg_type == NLMSG_ERROR)
		outcome->sentence = *message_sentence((const struct message *)nl);
	return true;
}

static void answer_collect(int fd, struct outcome *outcome)
{
	static char bytes[ANSWER_BYTES] __attribute__((aligned(NLMSG_ALIGNTO)));
	const struct nlmsghdr *nl;
	ssize_t left;

	for (;;) {
		left = recv(fd, bytes, sizeof(bytes), 0);
		if (left < 0) {
			outcome->error = errno;
			return;
		}
		for (nl = (void *)bytes; NLMSG_OK(nl, left); nl = NLMSG_NEXT(nl, left))
			if (answer_read(nl, outcome))
				return;
	}
}

/* Uses a socket of its own: data that is left in it when an answer is lost goes with it. */
static void request_try(char **word, int words, uint16_t flags, unsigned int nth,
			struct outcome *outcome)
{
	int fd = message_open(NETLINK_GENERIC);
	struct message msg;

	memset(outcome, 0, sizeof(*outcome));
	request_make(&msg, fd, word, words, flags);
	fault_arm(nth);
	if (send(fd, &msg, msg.nl.nlmsg_len, 0) < 0)
		outcome->error = errno;
	else
		answer_collect(fd, outcome);
	outcome->failed = !fault_disarm() && nth;
	close(fd);
}

/* ---- listeners to events ---- */

/* Returns the number of a group, from the family's attributes. */
static int group_find(const struct message *msg, const char *name)
{
	int left = msg->nl.nlmsg_len - NLMSG_LENGTH(sizeof(msg->genl));
	const struct nlattr *groups = attr_find(msg->attrs, left, CTRL_ATTR_MCAST_GROUPS);
	const struct nlattr *group, *text, *id;
	int at, rest = groups ? groups->nla_len - NLA_HDRLEN : 0;

	for (at = 0; at < rest; at += NLA_ALIGN(group->nla_len)) {
		group = (const void *)((const char *)attr_data(groups) + at);
		text = attr_find(attr_data(group), group->nla_len - NLA_HDRLEN,
				 CTRL_ATTR_MCAST_GRP_NAME);
		id = attr_find(attr_data(group), group->nla_len - NLA_HDRLEN,
			       CTRL_ATTR_MCAST_GRP_ID);
		if (text && id && !strcmp(attr_data(text), name))
			return *(const int *)attr_data(id);
	}
	errx(MESSAGE_NO_VERDICT, "there is no group %s", name);
}

static void family_describe(int fd, struct message *msg)
{
	message_init(msg, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 1);
	msg->nl.nlmsg_flags = NLM_F_REQUEST;
	message_put(msg, CTRL_ATTR_FAMILY_NAME, MESSAGE_FAMILY, sizeof(MESSAGE_FAMILY));
	message_exchange(fd, msg);
}

void listener_open(void)
{
	struct message msg;
	int group;

	listener = message_open(NETLINK_GENERIC);
	family_describe(listener, &msg);
	group = group_find(&msg, CONGA_MCGRP_CONFIG_NAME);
	if (setsockopt(listener, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &group, sizeof(group)))
		err(MESSAGE_NO_VERDICT, "NETLINK_ADD_MEMBERSHIP");
}

void listener_close(void)
{
	close(listener);
}

/* Returns whether the listener received an event, or lost some. */
static bool listener_knows(void)
{
	static char bytes[ANSWER_BYTES];
	bool knows = false;

	while (recv(listener, bytes, sizeof(bytes), MSG_DONTWAIT) >= 0 || errno == ENOBUFS)
		knows = true;
	return knows;
}

/* ---- a request ---- */

/* Returns how many words from the number @first on are before "/" or the end. */
static int task_count(const struct task *task, int first)
{
	int last = first;

	while (last < task->words && strcmp(task->word[last], "/"))
		last++;
	return last - first;
}

static bool request_undo(const struct task *task)
{
	struct outcome outcome = {};
	int first, words;

	for (first = task->undo; first < task->words && !outcome.error; first += words + 1) {
		words = task_count(task, first);
		request_try(&task->word[first], words, 0, 0, &outcome);
	}
	listener_knows();
	return !outcome.error || wrong("it cannot be taken back");
}

/* Judges a request that succeeded although something failed, or whose answer was lost. */
static bool request_was_done(const struct task *task)
{
	if (!task->undo)
		return true;
	if (!listener_knows() && !pinging)
		return wrong("an event is lost, and nobody is told so");
	return request_undo(task);
}

static bool request_check(const struct task *task, const struct outcome *outcome,
			  const struct state *before)
{
	bool done = !outcome->error;

	if (outcome->error && outcome->error != ENOMEM && outcome->error != ENOBUFS)
		return wrong(strerror(outcome->error));
	if (!outcome->error && outcome->messages != usual &&
	    atoi(task->word[0]) != CONGA_CMD_FLOWLET_GET)
		return wrong("the answer is short, and says not so");
	if (outcome->error && !outcome->answered)
		done = !state_is(before);
	if (done && !request_was_done(task))
		return false;
	return state_is(before) || wrong("what is configured is not as before");
}

static void request_count(const struct outcome *outcome)
{
	if (!outcome->error)
		counts.spared++;
	else if (outcome->answered)
		counts.refused++;
	else
		counts.lost++;
	counts.sentences += outcome->sentence;
}

bool request_run(const struct task *task, unsigned int nth, bool *failed)
{
	int words = task_count(task, 0);
	static struct state before;
	struct outcome outcome;

	state_read(&before);
	if (nth == 1) {
		request_try(task->word, words, task->dump ? NLM_F_DUMP : 0, 0, &outcome);
		usual = outcome.messages;
		if (outcome.error)
			return wrong(strerror(outcome.error));
		if (!request_was_done(task))
			return false;
	}
	request_try(task->word, words, task->dump ? NLM_F_DUMP : 0, nth, &outcome);
	*failed = outcome.failed;
	if (outcome.failed)
		request_count(&outcome);
	return request_check(task, &outcome, &before);
}

/* ---- commands of the family ---- */

static void command_print(const struct nlattr *op)
{
	int len = op->nla_len - NLA_HDRLEN;
	const struct nlattr *id = attr_find(attr_data(op), len, CTRL_ATTR_OP_ID);
	const struct nlattr *flags = attr_find(attr_data(op), len, CTRL_ATTR_OP_FLAGS);
	unsigned int can = flags ? *(const unsigned int *)attr_data(flags) : 0;

	if (!id)
		return;
	if (can & GENL_CMD_CAP_DO)
		printf("%u do\n", *(const unsigned int *)attr_data(id));
	if (can & GENL_CMD_CAP_DUMP)
		printf("%u dump\n", *(const unsigned int *)attr_data(id));
}

void commands_print(void)
{
	int fd = message_open(NETLINK_GENERIC), at, len;
	const struct nlattr *ops, *op;
	struct message msg;

	family_describe(fd, &msg);
	ops = attr_find(msg.attrs, msg.nl.nlmsg_len - NLMSG_LENGTH(sizeof(msg.genl)),
			CTRL_ATTR_OPS);
	if (!ops)
		errx(MESSAGE_NO_VERDICT, "the family tells no commands");
	len = ops->nla_len - NLA_HDRLEN;
	for (at = 0; at < len; at += NLA_ALIGN(op->nla_len)) {
		op = (const void *)((const char *)attr_data(ops) + at);
		command_print(op);
	}
	close(fd);
}
