// SPDX-License-Identifier: GPL-2.0
/*
 * fail_nth - does it again and again, and the kernel has no memory once: at the first
 * allocation, then at the second, until it does it without asking for one more
 *
 *	fail_nth commands	what the family "conga" takes: "COMMAND do|dump", one a line
 *	fail_nth [twice|onwards] < LINES
 *				a line says what to do; with an option it is two allocations
 *				of objects in a row that fail, or all from one on
 *
 *	NAME NETNS do COMMAND [ATTRIBUTE]... [/ COMMAND [ATTRIBUTE]...]...
 *		a request, and what takes it back, if it changes anything
 *	NAME NETNS begin COMMAND ...
 *		likewise, of which the first FEW allocations fail, since there are thousands
 *	NAME NETNS dump COMMAND [ATTRIBUTE]...
 *	NAME NETNS packet ADDRESS ROUTE NEXTHOP
 *		an empty datagram, after the route to ROUTE by the nexthop object NEXTHOP was
 *		made anew
 *	NAME NETNS paths ROUTE...
 *		a dump of the paths, after the route was made anew; ROUTE is what "ip route add"
 *		takes, the destination first
 *	NAME NETNS forged ADDRESS
 *		VXLAN datagrams with forged stamps, which the kernel cuts from one page of this
 *		process
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
#include <netinet/in.h>
#include <netinet/udp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fail_nth.h"
#include "message.h"
#include "netns.h"

#define MANY		1000000		/* more allocations than anything takes */
#define FEW		24
#define WORDS_MAX	32
#define COMMAND_BYTES	512
#define BLANKS		"\n\t "
#define DISCARD		9		/* UDP port of the datagrams, of one flow */
#define VXLAN_PORT	4789
#define SEGMENTS	2
#define SEGMENT_BYTES	512

struct counts counts;
bool pinging;

static char why[256];

bool wrong(const char *text)
{
	snprintf(why, sizeof(why), "%s", text);
	return false;
}

/* Counts whether the kernel took what was sent. Returns whether an allocation failed meanwhile. */
static bool sent_count(int fd, ssize_t sent)
{
	bool failed = !fault_disarm();

	if (sent < 0)
		counts.refused++;
	else
		counts.spared++;
	close(fd);
	return failed;
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

/* The datagram may be lost: the next one must be sent. It follows the change of the route at once:
 * later, work of the module could have made the paths.
 */
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
	*failed = sent_count(fd, sendto(fd, "", 0, 0, (void *)&to, sizeof(to)));
	return state_is(&before) || wrong("a path is not what it was");
}

/* Removes a task's route, with all that the kernel keeps with it, and adds it again. It may have
 * nexthops of its own.
 */
static void route_make_anew(const struct task *task)
{
	char command[COMMAND_BYTES];
	int i, length;

	length = snprintf(command, sizeof(command), "ip route del %s && ip route add",
			  task->word[0]);
	for (i = 0; i < task->words && length < (int)sizeof(command); i++)
		length += snprintf(command + length, sizeof(command) - length, " %s",
				   task->word[i]);
	if (length >= (int)sizeof(command) || system(command))
		errx(MESSAGE_NO_VERDICT, "%s", command);
}

/* The kernel makes the first messages of a dump while it takes the request. */
static bool paths_run(const struct task *task, unsigned int nth, bool *failed)
{
	int fd = message_open(NETLINK_GENERIC);
	static struct state before;
	struct message msg;

	message_init(&msg, message_find_family(fd), CONGA_CMD_PATH_GET, MESSAGE_VERSION);
	msg.nl.nlmsg_flags |= NLM_F_DUMP;
	state_read(&before);
	route_make_anew(task);
	fault_arm(nth);
	*failed = sent_count(fd, send(fd, &msg, msg.nl.nlmsg_len, 0));
	return state_is(&before) || wrong("a path is not what it was");
}

/* ---- forged packets ---- */

/* Opens a socket that sends segments from pages of this process. */
static int forged_open(const char *address)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(VXLAN_PORT) };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int bytes = SEGMENT_BYTES, one = 1;

	if (fd < 0 || inet_pton(AF_INET, address, &to.sin_addr) != 1 ||
	    connect(fd, (void *)&to, sizeof(to)) ||
	    setsockopt(fd, SOL_UDP, UDP_SEGMENT, &bytes, sizeof(bytes)) ||
	    setsockopt(fd, SOL_SOCKET, SO_ZEROCOPY, &one, sizeof(one)))
		err(MESSAGE_NO_VERDICT, "%s", address);
	return fd;
}

/* The VNI belongs to no tunnel. The stamp: LBTag 4, CE 7, feedback for LBTag 0, metric 7. */
static bool forged_run(const struct task *task, unsigned int nth, bool *failed)
{
	static unsigned char page[SEGMENTS * SEGMENT_BYTES];
	const unsigned char header[] = { 0x08, 0x4f, 0x0f, 0x00, 0, 0, 99, 0 };
	int fd = forged_open(task->word[0]);
	int i;

	for (i = 0; i < SEGMENTS; i++)
		memcpy(page + i * SEGMENT_BYTES, header, sizeof(header));
	fault_arm(nth);
	*failed = sent_count(fd, send(fd, page, sizeof(page), MSG_ZEROCOPY));
	return true;
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
		   !strcmp(verb, "paths") ? paths_run :
		   !strcmp(verb, "forged") ? forged_run :
		   !strcmp(verb, "module") ? module_run : request_run;
	if (task.run == request_run)
		listener_open();
	task_run(&task);
	if (task.run == request_run)
		listener_close();
}

/* Returns how many allocations fail in a row. */
static unsigned int times_read(const char *option)
{
	if (!option)
		return 1;
	if (!strcmp(option, "twice"))
		return 2;
	if (!strcmp(option, "onwards"))
		return FAULT_ONWARDS;
	errx(MESSAGE_NO_VERDICT, "%s is none of commands, twice and onwards", option);
}

int main(int argc, char **argv)
{
	char line[1024];

	if (argc > 1 && !strcmp(argv[1], "commands")) {
		commands_print();
		return EXIT_SUCCESS;
	}
	fault_open(times_read(argv[1]));
	setvbuf(stdout, NULL, _IOLBF, 0);
	while (fgets(line, sizeof(line), stdin))
		task_read(line);
	return EXIT_SUCCESS;
}
