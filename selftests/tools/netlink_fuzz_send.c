// SPDX-License-Identifier: GPL-2.0
/*
 * netlink_fuzz_send - the senders of netlink_fuzz, their sockets, and the answers that these get
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include "common/netns.h"
#include "netlink_fuzz.h"

#define FUZZ_ANSWER	32768
#define FUZZ_OPEN_DUMPS	8		/* that nobody reads */
#define FUZZ_NTH_KERNEL	4		/* allocations for a request before it is the module's */
#define FUZZ_NTH_WATCHED	10	/* where checkers allocate, too */
#define FUZZ_WATCHED	"/sys/kernel/debug/kmemleak"

static struct fuzz_sockets {
	int fds[FUZZ_ACTORS];
	int news, state;		/* that hear events */
	int dumps[FUZZ_OPEN_DUMPS];
	int nth;			/* /proc/self/fail-nth, -1: none */
	unsigned int nth_kernel;	/* allocations that are not the module's */
} sockets = { .nth = -1 };

static void fuzz_privilege(bool admin)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &header, data))
		err(EXIT_FAILURE, "capget");
	data[0].effective &= ~(1U << CAP_NET_ADMIN);
	if (admin)
		data[0].effective |= 1U << CAP_NET_ADMIN;
	if (syscall(SYS_capset, &header, data))
		err(EXIT_FAILURE, "capset");
}

static int fuzz_open_nobody(void)
{
	int fd;

	fuzz_privilege(false);
	fd = fuzz_open();
	fuzz_privilege(true);
	return fd;
}

/* Opens a socket in a process in new namespaces, which leaves it in our table. */
static int fuzz_open_in(int namespaces)
{
	int status, fd;
	pid_t pid = syscall(SYS_clone, CLONE_FILES | SIGCHLD, 0, 0, 0, 0);

	if (!pid)
		_exit(unshare(namespaces) ? UINT8_MAX : fuzz_open());
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		err(EXIT_FAILURE, "a process in a user namespace");
	fd = WEXITSTATUS(status);
	if (fd == UINT8_MAX)
		errx(EXIT_FAILURE, "there are no user namespaces");
	return fd;
}

static void fuzz_enter(const char *netns)
{
	if (conga_netns_switch(netns))
		exit(EXIT_FAILURE);
}

/* Only a bound socket receives notifications, which the kernel sends without an address. */
static int fuzz_open_news(uint32_t group)
{
	const struct sockaddr_nl any = { .nl_family = AF_NETLINK };
	int fd = fuzz_open();

	if (bind(fd, (const struct sockaddr *)&any, sizeof(any)) ||
	    setsockopt(fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &group, sizeof(group)))
		err(EXIT_FAILURE, "multicast group");
	return fd;
}

void fuzz_open_all(const char *elsewhere)
{
	int i;

	fuzz_enter(elsewhere);
	sockets.fds[FUZZ_ELSEWHERE] = fuzz_open();
	fuzz_enter(fuzz_run.netns);
	sockets.fds[FUZZ_ADMIN] = fuzz_open();
	sockets.fds[FUZZ_DROPPED] = fuzz_open();
	sockets.fds[FUZZ_NOBODY] = fuzz_open_nobody();
	sockets.fds[FUZZ_STRANGER] = fuzz_open_in(CLONE_NEWUSER);
	sockets.fds[FUZZ_OWN] = fuzz_open_in(CLONE_NEWUSER | CLONE_NEWNET);
	for (i = 0; i < FUZZ_OPEN_DUMPS; i++)
		sockets.dumps[i] = fuzz_open();
	sockets.nth = open("/proc/self/fail-nth", O_RDWR | O_CLOEXEC);
	sockets.nth_kernel = access(FUZZ_WATCHED, F_OK) ? FUZZ_NTH_KERNEL : FUZZ_NTH_WATCHED;
}

void fuzz_listen(const struct fuzz_grammar *grammar)
{
	sockets.news = fuzz_open_news(grammar->config);
	sockets.state = fuzz_open_news(grammar->state);
}

int fuzz_admin(void)
{
	return sockets.fds[FUZZ_ADMIN];
}

unsigned int fuzz_nth_kernel(void)
{
	return sockets.nth_kernel;
}

/* ---- answers ---- */

static void fuzz_hear_sentence(struct fuzz_verdict *verdict, const struct nlmsghdr *nl,
			       size_t skip)
{
	struct nlattr *tlvs = (void *)((char *)nlmsg_data(nl) + skip);
	int len = nlmsg_datalen(nl) - skip;
	struct nlattr *text, *offset;

	if (!(nl->nlmsg_flags & NLM_F_ACK_TLVS))
		return;
	text = nla_find(tlvs, len, NLMSGERR_ATTR_MSG);
	offset = nla_find(tlvs, len, NLMSGERR_ATTR_OFFS);
	if (text)
		nla_strlcpy(verdict->sentence, text, sizeof(verdict->sentence));
	if (offset)
		verdict->offset = nla_get_u32(offset);
}

/* The kernel acknowledges even messages that are no requests. */
static void fuzz_hear(struct fuzz_verdict *verdict, bool request, const struct nlmsghdr *nl)
{
	int error = 0;

	verdict->answered = true;
	if (nl->nlmsg_type == NLMSG_ERROR || nl->nlmsg_type == NLMSG_DONE)
		memcpy(&error, nlmsg_data(nl), sizeof(error));
	if (!error) {
		verdict->accepted = request && !verdict->error;
		return;
	}
	verdict->error = error;
	verdict->accepted = false;
	fuzz_hear_sentence(verdict, nl, nl->nlmsg_type == NLMSG_DONE ? sizeof(error) :
			   sizeof(struct nlmsgerr));
}

/* All answers are ready when a request returns; one of them may be lost for lack of memory.
 */
static void fuzz_receive(int fd, const struct fuzz_message *message,
			 struct fuzz_verdict *verdict)
{
	bool request = message->nl.nlmsg_flags & NLM_F_REQUEST;
	static char answer[FUZZ_ANSWER];
	struct nlmsghdr *nl;
	int left;

	while ((left = recv(fd, answer, sizeof(answer), MSG_DONTWAIT)) >= 0 || errno == ENOBUFS)
		for (nl = (void *)answer; nlmsg_ok(nl, left); nl = nlmsg_next(nl, &left))
			if (nl->nlmsg_seq == message->nl.nlmsg_seq)
				fuzz_hear(verdict, request, nl);
}

/* Returns whether an event was received. Events of another network namespace are ignored. */
static bool fuzz_drain(int fd)
{
	static char event[FUZZ_ANSWER];
	bool any = false;

	while (recv(fd, event, sizeof(event), MSG_DONTWAIT) >= 0 || errno == ENOBUFS)
		any = true;
	return any;
}

void fuzz_forget_state(void)
{
	fuzz_drain(sockets.state);
}

/* ---- sending ---- */

/* Makes an allocation of the next system call fail. The result shows whether one did. */
static void fuzz_starve(unsigned int nth)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", nth);

	if (sockets.nth >= 0 && pwrite(sockets.nth, text, len, 0) < 0)
		err(EXIT_FAILURE, "/proc/self/fail-nth");
}

/* The unread part of a dump is freed with its socket, a while later, when the fabric has
 * changed. Therefore every other dump is read to the end first.
 */
static int fuzz_next_dump(uint64_t index)
{
	int *fd = &sockets.dumps[index % FUZZ_OPEN_DUMPS];
	char part[FUZZ_ANSWER];

	if (index & FUZZ_OPEN_DUMPS)
		while (recv(*fd, part, sizeof(part), MSG_DONTWAIT) > 0)
			;
	close(*fd);
	*fd = fuzz_open();
	return *fd;
}

void fuzz_send(struct fuzz_message *message, uint64_t index, struct fuzz_verdict *verdict)
{
	bool drops = message->actor == FUZZ_DROPPED;
	int fd = sockets.fds[message->actor];

	if (message->kind == FUZZ_ABANDONED)
		fd = fuzz_next_dump(index);
	if (drops)
		fuzz_privilege(false);
	if (message->kind == FUZZ_STARVED)
		fuzz_starve(message->nth);
	send(fd, message->bytes, message->len, 0);
	if (message->kind == FUZZ_STARVED)
		fuzz_starve(0);
	if (drops)
		fuzz_privilege(true);
	if (message->kind != FUZZ_ABANDONED)
		fuzz_receive(fd, message, verdict);
	verdict->news = fuzz_drain(sockets.news);
}
