// SPDX-License-Identifier: GPL-2.0
/*
 * fail_nth - does it again and again, and the kernel has no memory once: at the first
 * allocation, then at the second, until it does it without asking for one more
 *
 *	fail_nth commands	what the family "conga" takes: "COMMAND do|dump", one a line
 *	fail_nth < LINES	a line says what to do:
 *
 *	NAME NETNS do COMMAND [ATTRIBUTE]... [/ COMMAND [ATTRIBUTE]...]...
 *		a request, and what takes it back, if it changes anything
 *	NAME NETNS begin COMMAND ...
 *		likewise, of which the first FEW allocations fail, since there are thousands
 *	NAME NETNS dump COMMAND [ATTRIBUTE]...
 *	NAME NETNS packet ADDRESS ROUTE NEXTHOP
 *		an empty datagram, after the route to ROUTE by the nexthop object NEXTHOP was
 *		made anew
 *	NAME NETNS module FILE [LAST]
 *		load it; only the last so many allocations fail
 *
 * COMMAND and ATTRIBUTE are as in genl_request. Each time an error is reported or all is as
 * if there had been memory; what cannot be told (the answer, an event) is known to be lost;
 * and what is configured is as before. Prints a line for each: "NAME ok ..." with how often
 * it was refused, with a sentence of ours, the answer lost, nothing amiss; or "NAME wrong:
 * ..." and why. Needs a kernel with fault injection; its settings are the caller's.
 */
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/conga.h>
#include <linux/rtnetlink.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "message.h"
#include "netns.h"

#define MANY		1000000		/* more allocations than anything takes */
#define FEW		24
#define WORDS_MAX	32
#define ANSWER_BYTES	131072
#define STATE_BYTES	65536
#define BLANKS		"\n\t "
#define DISCARD		9		/* UDP port of the datagrams, of one flow */

/* What is to be done, of one line. */
struct task {
	const char *name;
	bool (*run)(const struct task *task, unsigned int nth, bool *failed);
	bool dump;
	unsigned int last;	/* allocation that fails */
	int words, undo;	/* undo: the number of the first word behind the first "/", or 0 */
	char **word;
};

struct outcome {
	int error;		/* errno, 0: done */
	bool answered;		/* the kernel itself said so, not the socket */
	bool sentence;
	unsigned int messages;
	bool failed;		/* an allocation */
};

struct state {
	size_t length;
	char bytes[STATE_BYTES];
};

static struct {
	unsigned int refused, sentences, lost, spared;
} counts;

static char why[256];
static int fail_fd;
static int listener;
static unsigned int usual;	/* messages of the answer when nothing fails */
static bool pinging;		/* the request is a ping, which no event announces */

/* ---- the fault ---- */

static void fault_arm(unsigned int nth)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", nth);
	if (pwrite(fail_fd, text, strlen(text), 0) < 0)
		err(MESSAGE_NO_VERDICT, "fail-nth");
}

/* Returns how many allocations were left before the one that should fail; 0: it failed. */
static unsigned int fault_disarm(void)
{
	char text[16] = "";

	if (pread(fail_fd, text, sizeof(text) - 1, 0) < 0)
		err(MESSAGE_NO_VERDICT, "fail-nth");
	fault_arm(0);
	return atoi(text);
}

static bool wrong(const char *text)
{
	snprintf(why, sizeof(why), "%s", text);
	return false;
}

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

/* ---- current configuration ---- */

static bool list_has(const int *list, int attr)
{
	for (; *list; list++)
		if (*list == attr)
			return true;
	return false;
}

/* Packets change these counters. Hellos, which are on for a ping only, change the others. */
static bool state_moves(int command, int attr)
{
	static const int moving[][10] = {
		[CONGA_CMD_FABRIC_GET]	= { CONGA_A_FABRIC_PROBE_LATE,
					    CONGA_A_FABRIC_PROBE_LATEST },
		[CONGA_CMD_PORT_GET]	= { CONGA_A_PORT_DRE_BYTES, CONGA_A_PORT_METRIC,
					    CONGA_A_PORT_TX_PACKETS, CONGA_A_PORT_TX_BYTES,
					    CONGA_A_PORT_FLOWLETS, CONGA_A_PORT_SHORT_FLOWS },
		[CONGA_CMD_LEAF_GET]	= { CONGA_A_LEAF_BEST, CONGA_A_LEAF_UTILISATION,
					    CONGA_A_LEAF_PROBE_AGE },
		[CONGA_CMD_PATH_GET]	= { CONGA_A_PATH_LOCAL, CONGA_A_PATH_REMOTE,
					    CONGA_A_PATH_AGE, CONGA_A_PATH_DELAY,
					    CONGA_A_PATH_QUEUE },
	};
	static const int by_hellos[][10] = {
		[CONGA_CMD_LEAF_GET]	= { CONGA_A_LEAF_STATE, CONGA_A_LEAF_REASON,
					    CONGA_A_LEAF_UNANSWERED, CONGA_A_LEAF_HEARD },
		[CONGA_CMD_PATH_GET]	= { CONGA_A_PATH_STATE, CONGA_A_PATH_REASON,
					    CONGA_A_PATH_HELLOS, CONGA_A_PATH_HELLOS_MISSED },
	};

	return list_has(moving[command], attr) || (pinging && list_has(by_hellos[command], attr));
}

static void state_add(struct state *state, int command, const struct nlmsghdr *nl)
{
	const char *at = (const char *)NLMSG_DATA(nl) + GENL_HDRLEN;
	const char *end = (const char *)nl + nl->nlmsg_len;

	while (at + NLA_HDRLEN <= end) {
		const struct nlattr *attr = (const void *)at;
		size_t step = NLA_ALIGN(attr->nla_len);

		at += step;
		if (state_moves(command, attr->nla_type & NLA_TYPE_MASK))
			continue;
		if (state->length + step > sizeof(state->bytes))
			errx(MESSAGE_NO_VERDICT, "too much is configured");
		memcpy(&state->bytes[state->length], attr, attr->nla_len);
		state->length += step;
	}
}

static void state_read_one(struct state *state, int fd, int command, uint16_t flags)
{
	static char bytes[ANSWER_BYTES] __attribute__((aligned(NLMSG_ALIGNTO)));
	const struct nlmsghdr *nl;
	struct message msg;
	ssize_t left;

	message_init(&msg, message_find_family(fd), command, MESSAGE_VERSION);
	msg.nl.nlmsg_flags |= flags;
	if (send(fd, &msg, msg.nl.nlmsg_len, 0) < 0)
		err(MESSAGE_NO_VERDICT, "send");
	for (;;) {
		left = recv(fd, bytes, sizeof(bytes), 0);
		if (left < 0)
			err(MESSAGE_NO_VERDICT, "recv");
		for (nl = (void *)bytes; NLMSG_OK(nl, left); nl = NLMSG_NEXT(nl, left)) {
			if (nl->nlmsg_type == NLMSG_ERROR || nl->nlmsg_type == NLMSG_DONE)
				return;
			state_add(state, command, nl);
		}
	}
}

static void state_read(struct state *state)
{
	int fd = message_open(NETLINK_GENERIC);

	memset(state, 0, sizeof(*state));
	state_read_one(state, fd, CONGA_CMD_FABRIC_GET, 0);
	state_read_one(state, fd, CONGA_CMD_PORT_GET, NLM_F_DUMP);
	state_read_one(state, fd, CONGA_CMD_LEAF_GET, NLM_F_DUMP);
	state_read_one(state, fd, CONGA_CMD_PATH_GET, NLM_F_DUMP);
	close(fd);
}

static bool state_is(const struct state *before)
{
	static struct state now;

	state_read(&now);
	return now.length == before->length && !memcmp(now.bytes, before->bytes, now.length);
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

static void listener_open(void)
{
	struct message msg;
	int group;

	listener = message_open(NETLINK_GENERIC);
	family_describe(listener, &msg);
	group = group_find(&msg, CONGA_MCGRP_CONFIG_NAME);
	if (setsockopt(listener, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &group, sizeof(group)))
		err(MESSAGE_NO_VERDICT, "NETLINK_ADD_MEMBERSHIP");
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

static bool request_run(const struct task *task, unsigned int nth, bool *failed)
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

/* ---- a packet ---- */

static void route_change(const char *to, int nexthop, int type, uint16_t flags)
{
	int fd = message_open(NETLINK_ROUTE);
	struct message msg;

	message_init_route(&msg, type, flags, to);
	message_put(&msg, RTA_NH_ID, &nexthop, sizeof(nexthop));
	message_exchange(fd, &msg);
	if (((struct nlmsgerr *)NLMSG_DATA(&msg.nl))->error)
		errx(MESSAGE_NO_VERDICT, "route to %s: %s", to, message_sentence(&msg));
	close(fd);
}

/* The datagram may be lost: the next one must be sent. */
static bool packet_run(const struct task *task, unsigned int nth, bool *failed)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(DISCARD) };
	struct sockaddr_in from = to;
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	static struct state before;
	int nexthop = atoi(task->word[2]);

	if (fd < 0 || bind(fd, (void *)&from, sizeof(from)) ||
	    inet_pton(AF_INET, task->word[0], &to.sin_addr) != 1)
		err(MESSAGE_NO_VERDICT, "%s", task->word[0]);
	state_read(&before);
	route_change(task->word[1], nexthop, RTM_DELROUTE, 0);
	route_change(task->word[1], nexthop, RTM_NEWROUTE, NLM_F_CREATE | NLM_F_EXCL);
	fault_arm(nth);
	if (sendto(fd, "", 0, 0, (void *)&to, sizeof(to)))
		counts.refused++;
	else
		counts.spared++;
	*failed = !fault_disarm();
	close(fd);
	return state_is(&before) || wrong("a path is not what it was");
}

/* ---- a module ---- */

/* Returns the error, and how many allocations were left before the one that should fail. */
static int module_load(const char *file, unsigned int nth, unsigned int *left)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	int status;

	if (fd < 0)
		err(MESSAGE_NO_VERDICT, "%s", file);
	fault_arm(nth);
	status = syscall(SYS_finit_module, fd, "", 0) ? errno : 0;
	*left = fault_disarm();
	close(fd);
	return status;
}

static bool module_unload(void)
{
	return !syscall(SYS_delete_module, MESSAGE_FAMILY, 0) || wrong(strerror(errno));
}

static bool module_left_nothing(void)
{
	int fd = message_open(NETLINK_GENERIC);
	bool family = message_find_family(fd);

	close(fd);
	if (family)
		return wrong("its family is left");
	return access("/sys/module/" MESSAGE_FAMILY, F_OK) || wrong("it is half loaded");
}

static bool module_run(const struct task *task, unsigned int nth, bool *failed)
{
	unsigned int left;
	int status;

	status = module_load(task->word[0], nth, &left);
	*failed = !left;
	if (!status) {
		counts.spared += *failed;
		return module_unload();
	}
	counts.refused++;
	if (status != ENOMEM)
		return wrong(strerror(status));
	return module_left_nothing();
}

/* Returns the first allocation that must fail, if only the last ones are requested. */
static unsigned int module_first(const struct task *task)
{
	unsigned int all, last, left;

	if (task->words < 2)
		return 1;
	last = atoi(task->word[1]);
	if (module_load(task->word[0], MANY, &left))
		err(MESSAGE_NO_VERDICT, "%s", task->word[0]);
	all = MANY - left;
	if (!module_unload())
		errx(MESSAGE_NO_VERDICT, "%s", why);
	return all > last ? all - last + 1 : 1;
}

/* ---- lines ---- */

static void task_run(const struct task *task)
{
	unsigned int nth = task->run == module_run ? module_first(task) : 1;
	bool failed = true, good = true;

	memset(&counts, 0, sizeof(counts));
	for (; good && failed && nth <= task->last; nth++)
		good = task->run(task, nth, &failed);
	if (good)
		printf("%s ok refused %u sentences %u lost %u spared %u\n", task->name,
		       counts.refused, counts.sentences, counts.lost, counts.spared);
	else
		printf("%s wrong: allocation %u: %s\n", task->name, nth - 1, why);
}

/* "-" is the current namespace. */
static void task_read(char *line)
{
	char *word[WORDS_MAX], *verb, *netns;
	struct task task = { .word = word };

	task.name = strtok(line, BLANKS);
	netns = strtok(NULL, BLANKS);
	verb = strtok(NULL, BLANKS);
	while (verb && task.words < WORDS_MAX && (word[task.words] = strtok(NULL, BLANKS))) {
		if (!task.undo && !strcmp(word[task.words], "/"))
			task.undo = task.words + 1;
		task.words++;
	}
	if (!task.words)
		errx(MESSAGE_NO_VERDICT, "too few words for %s", task.name);
	if (strcmp(netns, "-") && !try_netns(netns))
		err(MESSAGE_NO_VERDICT, "%s", netns);
	pinging = atoi(word[0]) == CONGA_CMD_PATH_PING;
	task.dump = !strcmp(verb, "dump");
	task.last = strcmp(verb, "begin") ? MANY : FEW;
	task.run = !strcmp(verb, "packet") ? packet_run :
		   !strcmp(verb, "module") ? module_run : request_run;
	if (task.run == request_run)
		listener_open();
	task_run(&task);
	if (task.run == request_run)
		close(listener);
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

static void commands_print(void)
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

int main(int argc, char **argv)
{
	char line[1024];

	if (argc > 1 && !strcmp(argv[1], "commands")) {
		commands_print();
		return EXIT_SUCCESS;
	}
	fail_fd = open("/proc/self/fail-nth", O_RDWR | O_CLOEXEC);
	if (fail_fd < 0)
		err(MESSAGE_NO_VERDICT, "/proc/self/fail-nth");
	setvbuf(stdout, NULL, _IOLBF, 0);
	while (fgets(line, sizeof(line), stdin))
		task_read(line);
	return EXIT_SUCCESS;
}
