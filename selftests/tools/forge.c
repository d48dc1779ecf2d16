// SPDX-License-Identifier: GPL-2.0
/*
 * forge - VXLAN datagrams that their sender rewrites while they are in transit
 *
 *	forge [OPTION]... WAY DESTINATION
 *
 *	-n NETNS	go there first
 *	-u USER		become this user, by number, without any privilege
 *	-s SOURCE	address to send from
 *	-p PORT		destination port, default 4789
 *	-c COUNT	calls, default 200
 *	-g SEGMENTS	datagrams of a call, cut by UDP_SEGMENT; default one, uncut
 *	-l LENGTH	bytes of a datagram, default 900; all of a call fit into a page
 *	-i MICROSECONDS	pause between calls, default 500
 *	-k		keep the stamp as it is: nobody but the kernel may write the page
 *
 * WAY is how the bytes get to the UDP socket:
 *
 *	copy		send(): the kernel has its own
 *	zerocopy	send() with MSG_ZEROCOPY: it has the page of this process
 *	splice		vmsplice() and splice(): likewise
 *	sendfile	it has the page of a file
 *
 * All of them send the same page of a file that has no name. A thread of its own writes the
 * first word of every VXLAN header in it without end, in turn without a stamp and with one.
 * Prints the numbers of datagrams and of times that they were rewritten meanwhile; fails if
 * somebody else wrote them.
 */
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <grp.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "netns.h"

#ifndef UDP_SEGMENT
#define UDP_SEGMENT	103
#endif

#define VXLAN_PORT	4789
#define PAGE_BYTES	4096
#define HOLD_SPINS	200	/* of a loop, in which the word stays: about a microsecond */
#define LINGER_US	100000	/* the last ones are still rewritten for so long */
#define RETRY_US	1000	/* until there is room for one more notification */
#define NOTICE_BYTES	256

/* The VNI belongs to no tunnel, so that the leaf reads the stamp, and no tunnel the rest.
 * The stamp: LBTag 4, CE 7, feedback for LBTag 0, metric 7.
 */
#define VNI		(99u << 8)
#define WORD_CLEAN	0x08000000u
#define WORD_STAMPED	0x084f0f00u

struct endpoint {
	struct sockaddr_storage	addr;
	socklen_t		len;
};

static struct {
	struct endpoint source, destination;
	unsigned int port, count, segments, length, interval, user;
	bool keep;
} options = { .port = VXLAN_PORT, .count = 200, .segments = 1, .length = 900, .interval = 500 };

static unsigned char *page;
static int file, pipes[2];
static atomic_bool done;
static unsigned long flips;

/* --- the bytes --- */

static _Atomic uint32_t *word_of(unsigned int segment)
{
	return (_Atomic uint32_t *)(page + segment * options.length);
}

static void words_write(uint32_t word)
{
	unsigned int i;

	for (i = 0; i < options.segments; i++)
		atomic_store_explicit(word_of(i), htonl(word), memory_order_relaxed);
}

static void words_check(uint32_t word)
{
	unsigned int i;

	for (i = 0; i < options.segments; i++)
		if (atomic_load(word_of(i)) != htonl(word))
			errx(EXIT_FAILURE, "datagram %u was written by somebody else", i);
}

static void hold(void)
{
	unsigned int i;

	for (i = 0; i < HOLD_SPINS; i++)
		atomic_signal_fence(memory_order_seq_cst);
}

static void *flip(void *unused)
{
	while (!atomic_load(&done)) {
		words_write(WORD_CLEAN);
		hold();
		words_write(WORD_STAMPED);
		hold();
		flips++;
	}
	return unused;
}

static void flip_start(pthread_t *flipper)
{
	errno = pthread_create(flipper, NULL, flip, NULL);
	if (errno)
		err(EXIT_FAILURE, "thread");
}

static void flip_stop(pthread_t flipper)
{
	atomic_store(&done, true);
	pthread_join(flipper, NULL);
}

static void page_make(void)
{
	unsigned int i;
	uint32_t vni = htonl(VNI);

	file = memfd_create("datagrams", MFD_CLOEXEC);
	if (file < 0 || ftruncate(file, PAGE_BYTES))
		err(EXIT_FAILURE, "memfd");
	page = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (page == MAP_FAILED)
		err(EXIT_FAILURE, "mmap");
	words_write(WORD_STAMPED);
	for (i = 0; i < options.segments; i++)
		memcpy(page + i * options.length + sizeof(vni), &vni, sizeof(vni));
}

/* --- the methods --- */

/* Reads the kernel's notifications about pages that it no longer uses. */
static void notices_read(int fd)
{
	char control[NOTICE_BYTES];
	struct msghdr message = { .msg_control = control };

	do
		message.msg_controllen = sizeof(control);
	while (recvmsg(fd, &message, MSG_ERRQUEUE | MSG_DONTWAIT) >= 0);
}

static ssize_t send_copy(int fd, size_t len)
{
	return send(fd, page, len, 0);
}

static ssize_t send_zerocopy(int fd, size_t len)
{
	ssize_t sent = send(fd, page, len, MSG_ZEROCOPY);
	int error = errno;

	notices_read(fd);
	errno = error;
	return sent;
}

static ssize_t send_splice(int fd, size_t len)
{
	struct iovec bytes = { .iov_base = page, .iov_len = len };

	if (vmsplice(pipes[1], &bytes, 1, 0) != (ssize_t)len)
		err(EXIT_FAILURE, "vmsplice");
	return splice(pipes[0], NULL, fd, NULL, len, 0);
}

static ssize_t send_file(int fd, size_t len)
{
	off_t begin = 0;

	return sendfile(fd, file, &begin, len);
}

static const struct way {
	const char	*name;
	ssize_t		(*send)(int fd, size_t len);
} ways[] = {
	{ "copy",	send_copy },
	{ "zerocopy",	send_zerocopy },
	{ "splice",	send_splice },
	{ "sendfile",	send_file },
	{ },
};

static const struct way *way_find(const char *name)
{
	const struct way *way;

	for (way = ways; way->name; way++)
		if (!strcmp(way->name, name))
			return way;
	errx(EXIT_FAILURE, "no such way: %s", name);
}

/* --- sending --- */

static void endpoint_parse(struct endpoint *end, const char *text, unsigned int port)
{
	struct sockaddr_in *in = (void *)&end->addr;
	struct sockaddr_in6 *in6 = (void *)&end->addr;

	if (inet_pton(AF_INET, text, &in->sin_addr) == 1) {
		in->sin_family = AF_INET;
		in->sin_port = htons(port);
		end->len = sizeof(*in);
	} else if (inet_pton(AF_INET6, text, &in6->sin6_addr) == 1) {
		in6->sin6_family = AF_INET6;
		in6->sin6_port = htons(port);
		end->len = sizeof(*in6);
	} else {
		errx(EXIT_FAILURE, "not an address: %s", text);
	}
}

/* When root becomes another user it loses all capabilities. */
static void drop_privileges(unsigned int user)
{
	if (setgroups(0, NULL) || setresgid(user, user, user) ||
	    setresuid(user, user, user))
		err(EXIT_FAILURE, "cannot become user %u", user);
}

static int udp_open(void)
{
	int fd = socket(options.destination.addr.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int one = 1, segment = options.length;

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_ZEROCOPY, &one, sizeof(one)))
		err(EXIT_FAILURE, "socket");
	if (options.segments > 1 &&
	    setsockopt(fd, IPPROTO_UDP, UDP_SEGMENT, &segment, sizeof(segment)))
		err(EXIT_FAILURE, "UDP_SEGMENT");
	if (options.source.len &&
	    bind(fd, (void *)&options.source.addr, options.source.len))
		err(EXIT_FAILURE, "bind");
	if (connect(fd, (void *)&options.destination.addr, options.destination.len))
		err(EXIT_FAILURE, "connect");
	return fd;
}

static void send_all(const struct way *way)
{
	ssize_t len = options.segments * options.length;
	int fd = udp_open();
	unsigned int i = 0;

	while (i < options.count) {
		ssize_t sent = way->send(fd, len);

		if (sent == len)
			i++;
		else if (sent >= 0 || errno != ENOBUFS)
			err(EXIT_FAILURE, "%s: %zd bytes", way->name, sent);
		else
			usleep(RETRY_US);
		if (options.interval)
			usleep(options.interval);
	}
}

static void parse(int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "n:u:s:p:c:g:l:i:k")) != -1) {
		switch (c) {
		case 'n':
			enter_netns(optarg);
			break;
		case 'u':
			options.user = atoi(optarg);
			break;
		case 's':
			endpoint_parse(&options.source, optarg, 0);
			break;
		case 'p':
			options.port = atoi(optarg);
			break;
		case 'c':
			options.count = atoi(optarg);
			break;
		case 'g':
			options.segments = atoi(optarg);
			break;
		case 'l':
			options.length = atoi(optarg);
			break;
		case 'i':
			options.interval = atoi(optarg);
			break;
		case 'k':
			options.keep = true;
			break;
		default:
			exit(EXIT_FAILURE);
		}
	}
	if (argc - optind != 2)
		errx(EXIT_FAILURE, "WAY and DESTINATION are needed");
	if (options.length % sizeof(uint32_t) ||
	    options.length < 2 * sizeof(uint32_t) ||
	    !options.segments || options.segments * options.length > PAGE_BYTES)
		errx(EXIT_FAILURE, "LENGTH: a multiple of four, all of a call within a page");
	endpoint_parse(&options.destination, argv[optind + 1], options.port);
}

int main(int argc, char **argv)
{
	const struct way *way;
	pthread_t flipper;

	parse(argc, argv);
	way = way_find(argv[optind]);
	if (options.user)
		drop_privileges(options.user);
	page_make();
	if (pipe2(pipes, O_CLOEXEC))
		err(EXIT_FAILURE, "pipe");
	if (!options.keep)
		flip_start(&flipper);
	send_all(way);
	usleep(LINGER_US);
	if (options.keep)
		words_check(WORD_STAMPED);
	else
		flip_stop(flipper);
	printf("%u datagrams, rewritten %lu times\n", options.count * options.segments, flips);
	return EXIT_SUCCESS;
}
