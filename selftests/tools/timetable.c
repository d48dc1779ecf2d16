// SPDX-License-Identifier: GPL-2.0
/*
 * timetable - sends packets at exact times, and records the events at these times
 *
 *	timetable [TOOL] <COMMANDS >EVENTS
 *
 * A command a line; NAME is a word, T a time in ns, BYTES a length:
 *
 *	udp NAME NETNS SOURCE PORT DESTINATION PORT
 *					a socket to send datagrams from
 *	frames NAME NETNS DEV		the same for Ethernet frames to nobody
 *	listen NAME NETNS ADDRESS PORT	a socket for the VXLAN that arrives
 *	tool NAME NETNS			TOOL in this namespace, waiting to be asked
 *	zero T				time 0 is the next multiple of T
 *	late T				from here on, events may be late by this much, and are not
 *					waited for awake, which takes many system calls
 *	at T				wait until then; being later is a failure
 *	send NAME BYTES [SEGMENT]	all zeros; datagrams may be cut to SEGMENT
 *	stamp NAME TAG CE [TAG METRIC]	a stamped VXLAN packet, with feedback
 *	ask NAME WORD...		TOOL's answer, which is a line of JSON
 *	tell NAME WORD...		TOOL does it and says nothing; "ask" something
 *					next, so that it is done
 *
 * An event is a line of JSON: something that was sent, received or asked. Its time lies
 * between "from" and "to", CLOCK_MONOTONIC since time 0. Metrics are fractions of full
 * scale in 64ths, as they are on the wire. Only IPv4 is supported.
 */
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <netpacket/packet.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "netns.h"

#ifndef UDP_SEGMENT
#define UDP_SEGMENT	103
#endif
#ifndef UDP_GRO
#define UDP_GRO		104
#endif

#define ENDS_MAX	256
#define WORDS_MAX	16
#define NAME_SIZE	32
#define PACKET_MAX	65535
#define NS_PER_S	1000000000LL
#define QUEUE_BYTES	(16 << 20)	/* that may wait in front of a link for it */
#define AWAKE_NS	20	/* how long before its time an event is waited for awake */
#define ETHERTYPE_TEST	0x88b5	/* IEEE 802, for local experiments */
#define VXLAN_VNI	100
#define INNER_FRAME	60	/* of a stamped packet: zeros, for nobody */

/* This is the VXLAN header's first word, see kmod/paper/wire.h. */
#define WORD_FLAGS	0x08000000u
#define WORD_FB		0x00010000u
#define WORD_PRESENT	0x00000100u
#define TAG_MASK	0xfu
#define HALF_BITS	3
#define HALF_MASK	0x7u
#define TAG_SHIFT	20
#define CE_SHIFT	17
#define CE_LOW_SHIFT	5
#define FB_TAG_SHIFT	12
#define FB_SHIFT	9
#define FB_LOW_SHIFT	2

enum kind { SENDER, LISTENER, TOOL };

/* The object that a NAME stands for. */
struct end {
	enum kind		kind;
	char			name[NAME_SIZE];
	int			fd;
	struct sockaddr_storage	to;	/* of a sender */
	socklen_t		to_len;
	FILE			*say, *hear;	/* of a tool */
};

struct command {
	const char	*name;
	int		words;	/* at least, without the name */
	void		(*run)(int count, char **words);
};

static struct end ends[ENDS_MAX];
static int end_count, line_number;
static const char *tool_path = "conga";
static int64_t zero;
static int64_t lateness;	/* ns */
static unsigned char packet[PACKET_MAX + 1];
static struct {
	const char *name;
	int64_t from, to;
} last;	/* what was sent */

static void fail(const char *why)
{
	errx(EXIT_FAILURE, "line %d: %s", line_number, why);
}

static void fail_errno(const char *what)
{
	err(EXIT_FAILURE, "line %d: %s", line_number, what);
}

/* --- time --- */

static int64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

static int64_t parse(const char *word)
{
	char *end;
	int64_t value = strtoll(word, &end, 10);

	if (!*word || *end)
		fail("not a number");
	return value;
}

static void run_zero(int count, char **words)
{
	int64_t step = parse(words[0]);

	(void)count;
	if (step < 1)
		fail("a step is at least 1 ns");
	zero = (now() / step + 1) * step;
}

static void run_late(int count, char **words)
{
	(void)count;
	lateness = parse(words[0]);
}

static void hear_all(void);

static void run_at(int count, char **words)
{
	int64_t time = zero + parse(words[0]), wake = lateness ? time : time - AWAKE_NS;
	struct timespec ts = { wake / NS_PER_S, wake % NS_PER_S };

	(void)count;
	if (now() > time + lateness)
		fail("that time is over");
	while ((errno = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL)))
		if (errno != EINTR)
			fail_errno("clock_nanosleep");
	while (now() < time)
		;
	hear_all();
}

/* --- ends --- */

static struct end *end_find(const char *name, enum kind kind)
{
	int i;

	for (i = 0; i < end_count; i++)
		if (ends[i].kind == kind && !strcmp(ends[i].name, name))
			return &ends[i];
	fail("no such name");
	return NULL;
}

/* Creates an end by its first two words; the process stays in the end's namespace. */
static struct end *end_add(char **words, enum kind kind)
{
	struct end *end = &ends[end_count];

	if (end_count++ == ENDS_MAX)
		fail("too many names");
	end->kind = kind;
	snprintf(end->name, sizeof(end->name), "%s", words[0]);
	if (!try_netns(words[1]))
		fail_errno(words[1]);
	return end;
}

static void end_address(struct sockaddr_storage *addr, char **words)
{
	struct sockaddr_in *in = (void *)addr;

	in->sin_family = AF_INET;
	in->sin_port = htons(parse(words[1]));
	if (inet_pton(AF_INET, words[0], &in->sin_addr) != 1)
		fail("not an IPv4 address");
}

/* words: address and port to bind to */
static int udp_open(char **words)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct sockaddr_storage addr = { 0 };

	end_address(&addr, words);
	if (fd < 0 || bind(fd, (void *)&addr, sizeof(struct sockaddr_in)))
		fail_errno("cannot bind a socket");
	return fd;
}

static void run_udp(int count, char **words)
{
	struct end *end = end_add(words, SENDER);

	(void)count;
	end->fd = udp_open(words + 2);
	end_address(&end->to, words + 4);
	end->to_len = sizeof(struct sockaddr_in);
}

/* The program is late if it waits until the previous frames have left. */
static void run_frames(int count, char **words)
{
	struct end *end = end_add(words, SENDER);
	struct sockaddr_ll *to = (void *)&end->to;
	int room = QUEUE_BYTES;

	(void)count;
	end->fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	to->sll_family = AF_PACKET;
	to->sll_protocol = htons(ETHERTYPE_TEST);
	to->sll_ifindex = if_nametoindex(words[2]);
	end->to_len = sizeof(*to);
	if (end->fd < 0 || !to->sll_ifindex)
		fail_errno(words[2]);
	if (setsockopt(end->fd, SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof(room)))
		fail_errno("SO_SNDBUFFORCE");
}

/* With GRO, datagrams that arrived as one packet are received as one. */
static void run_listen(int count, char **words)
{
	struct end *end = end_add(words, LISTENER);
	int on = 1;

	(void)count;
	end->fd = udp_open(words + 2);
	if (setsockopt(end->fd, IPPROTO_IP, IP_PKTINFO, &on, sizeof(on)) ||
	    setsockopt(end->fd, IPPROTO_UDP, UDP_GRO, &on, sizeof(on)))
		fail_errno("setsockopt");
}

static void tool_child(const int *in, const int *out)
{
	if (dup2(in[0], STDIN_FILENO) < 0 || dup2(out[1], STDOUT_FILENO) < 0)
		_exit(EXIT_FAILURE);
	close(in[1]);
	execl(tool_path, tool_path, "-j", "-b", "-", NULL);
	warn("%s", tool_path);
	_exit(EXIT_FAILURE);
}

/* The tool ends together with this program, which closes its input. */
static void run_tool(int count, char **words)
{
	struct end *end = end_add(words, TOOL);
	int in[2], out[2];

	(void)count;
	fflush(stdout);
	if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC))
		fail_errno("pipe");
	switch (fork()) {
	case -1:
		fail_errno("fork");
		break;
	case 0:
		tool_child(in, out);
	}
	close(in[0]);
	close(out[1]);
	end->say = fdopen(in[1], "w");
	end->hear = fdopen(out[0], "r");
	if (!end->say || !end->hear)
		fail_errno("fdopen");
}

/* --- receiving --- */

static unsigned int word_metric(uint32_t word, int high, int low)
{
	return (word >> high & HALF_MASK) << HALF_BITS | (word >> low & HALF_MASK);
}

static void print_word(uint32_t word)
{
	printf(",\"word\":\"%08x\"", word);
	if (!(word & WORD_PRESENT))
		return;
	printf(",\"tag\":%u,\"ce\":%u", word >> TAG_SHIFT & TAG_MASK,
	       word_metric(word, CE_SHIFT, CE_LOW_SHIFT));
	if (word & WORD_FB)
		printf(",\"fb_tag\":%u,\"fb\":%u", word >> FB_TAG_SHIFT & TAG_MASK,
		       word_metric(word, FB_SHIFT, FB_LOW_SHIFT));
}

static const char *arrival_device(const struct end *end, struct msghdr *msg)
{
	static struct ifreq request;
	struct cmsghdr *cmsg;

	for (cmsg = CMSG_FIRSTHDR(msg); cmsg; cmsg = CMSG_NXTHDR(msg, cmsg)) {
		struct in_pktinfo *info = (void *)CMSG_DATA(cmsg);

		if (cmsg->cmsg_level != IPPROTO_IP || cmsg->cmsg_type != IP_PKTINFO)
			continue;
		request.ifr_ifindex = info->ipi_ifindex;
		if (!ioctl(end->fd, SIOCGIFNAME, &request))
			return request.ifr_name;
	}
	return "";
}

static bool hear_packet(const struct end *end)
{
	char control[256];
	struct iovec iov = { packet, sizeof(packet) };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	ssize_t len = recvmsg(end->fd, &msg, MSG_DONTWAIT);
	uint32_t word;

	if (len < 0)
		return false;
	printf("{\"got\":\"%s\",\"by\":\"%s\",\"from\":%" PRId64 ",\"to\":%" PRId64
	       ",\"dev\":\"%s\",\"bytes\":%zd", end->name, last.name, last.from, last.to,
	       arrival_device(end, &msg), len);
	if (len >= (ssize_t)sizeof(word)) {
		memcpy(&word, packet, sizeof(word));
		print_word(ntohl(word));
	}
	puts("}");
	return true;
}

/* In one kernel a packet has arrived when the send call returns or, if the kernel's own
 * thread had to work, after that thread has run: at the next time of the table.
 */
static void hear_all(void)
{
	int i;

	for (i = 0; i < end_count; i++)
		if (ends[i].kind == LISTENER)
			while (hear_packet(&ends[i]))
				;
}

/* --- sending --- */

/* Source and destination are addresses of no host. */
static const unsigned char frame_header[ETH_HLEN] = {
	0x02, 0, 0, 0, 0, 0x01, 0x02, 0, 0, 0, 0, 0x02,
	ETHERTYPE_TEST >> 8, ETHERTYPE_TEST & 0xff
};

/* Both clock readings belong to the event, which lies between them. A stamp is printed if
 * there is one. A frame that its device's queue drops also counts as sent: the queue counts
 * it. A socket without room does not wait, because the program would be late.
 */
static void send_packet(struct end *end, size_t len, uint32_t word)
{
	last.name = end->name;
	last.from = now() - zero;
	if (sendto(end->fd, packet, len, MSG_DONTWAIT, (void *)&end->to, end->to_len) !=
	    (ssize_t)len &&
	    !(errno == ENOBUFS && end->to.ss_family == AF_PACKET))
		fail_errno("sendto");
	last.to = now() - zero;
	printf("{\"sent\":\"%s\",\"bytes\":%zu,\"from\":%" PRId64 ",\"to\":%" PRId64,
	       last.name, len, last.from, last.to);
	if (word)
		print_word(word);
	puts("}");
	if (end->to.ss_family == AF_INET)
		hear_all();
}

static void segment_to(struct end *end, int size)
{
	if (setsockopt(end->fd, IPPROTO_UDP, UDP_SEGMENT, &size, sizeof(size)))
		fail_errno("UDP_SEGMENT");
}

static void run_send(int count, char **words)
{
	struct end *end = end_find(words[0], SENDER);
	int64_t len = parse(words[1]);

	if (len < 0 || len > PACKET_MAX)
		fail("no packet is as long");
	memset(packet, 0, sizeof(packet));
	if (end->to.ss_family == AF_PACKET)
		memcpy(packet, frame_header, sizeof(frame_header));
	if (count > 2)
		segment_to(end, parse(words[2]));
	send_packet(end, len, 0);
	if (count > 2)
		segment_to(end, 0);
}

static uint32_t metric_bits(unsigned int metric, int high, int low)
{
	return metric >> HALF_BITS << high | (metric & HALF_MASK) << low;
}

static uint32_t stamp_word(int count, char **words)
{
	uint32_t word = WORD_FLAGS | WORD_PRESENT | (uint32_t)parse(words[0]) << TAG_SHIFT |
			metric_bits(parse(words[1]), CE_SHIFT, CE_LOW_SHIFT);

	if (count > 3)
		word |= WORD_FB | (uint32_t)parse(words[2]) << FB_TAG_SHIFT |
			metric_bits(parse(words[3]), FB_SHIFT, FB_LOW_SHIFT);
	return word;
}

static void run_stamp(int count, char **words)
{
	uint32_t word = stamp_word(count - 1, words + 1);
	uint32_t vxlan[2] = { htonl(word), htonl(VXLAN_VNI << 8) };

	memset(packet, 0, sizeof(packet));
	memcpy(packet, vxlan, sizeof(vxlan));
	send_packet(end_find(words[0], SENDER), sizeof(vxlan) + INNER_FRAME, word);
}

/* --- queries --- */

static struct end *say(int count, char **words)
{
	struct end *end = end_find(words[0], TOOL);
	int i;

	for (i = 1; i < count; i++)
		fprintf(end->say, "%s ", words[i]);
	fputc('\n', end->say);
	if (fflush(end->say))
		fail("the tool is gone");
	return end;
}

static void run_tell(int count, char **words)
{
	say(count, words);
}

static void run_ask(int count, char **words)
{
	int64_t from = now() - zero, to;
	struct end *end = say(count, words);
	char *answer = NULL;
	size_t room = 0;

	if (getline(&answer, &room, end->hear) < 0)
		fail("no answer");
	to = now() - zero;
	answer[strcspn(answer, "\n")] = '\0';
	printf("{\"asked\":\"%s\",\"from\":%" PRId64 ",\"to\":%" PRId64 ",\"answer\":%s}\n",
	       end->name, from, to, answer);
	free(answer);
}

/* --- commands --- */

static const struct command commands[] = {
	{ "udp", 6, run_udp },
	{ "frames", 3, run_frames },
	{ "listen", 4, run_listen },
	{ "tool", 2, run_tool },
	{ "zero", 1, run_zero },
	{ "late", 1, run_late },
	{ "at", 1, run_at },
	{ "send", 2, run_send },
	{ "stamp", 3, run_stamp },
	{ "ask", 2, run_ask },
	{ "tell", 2, run_tell },
	{ }
};

static int split(char *line, char **words)
{
	char *rest = line, *word;
	int count = 0;

	while ((word = strsep(&rest, " \t\n"))) {
		if (!*word)
			continue;
		if (count == WORDS_MAX)
			fail("too many words");
		words[count++] = word;
	}
	return count;
}

static void run_line(char *line)
{
	const struct command *command;
	char *words[WORDS_MAX];
	int count = split(line, words);

	if (!count)
		return;
	for (command = commands; command->name; command++)
		if (!strcmp(command->name, words[0]))
			break;
	if (!command->name || count - 1 < command->words)
		fail("no such command, or a word is missing");
	command->run(count - 1, words + 1);
}

/* Without slack the kernel ends a sleep exactly in time, not 50 us later. */
int main(int argc, char **argv)
{
	char *line = NULL;
	size_t room = 0;

	if (argc > 1)
		tool_path = argv[1];
	if (prctl(PR_SET_TIMERSLACK, 1))
		err(EXIT_FAILURE, "PR_SET_TIMERSLACK");
	while (getline(&line, &room, stdin) >= 0) {
		line_number++;
		run_line(line);
	}
	free(line);
	usleep(1);
	hear_all();
	return fflush(stdout) ? EXIT_FAILURE : EXIT_SUCCESS;
}
