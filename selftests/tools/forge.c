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
#include <netinet/in.h>
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

#include "sender.h"

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

static struct sender sender = {
	.port = VXLAN_PORT, .count = 200, .length = 900, .interval = 500,
};

static unsigned int segments = 1;	/* of a call */
static bool keeps;			/* the stamp */

static unsigned char *page;
static int file, pipes[2];
static atomic_bool done;
static unsigned long flips;

/* --- the bytes --- */

static _Atomic uint32_t *word_of(unsigned int segment)
{
	return (_Atomic uint32_t *)(page + segment * sender.length);
}

static void words_write(uint32_t word)
{
	unsigned int i;

	for (i = 0; i < segments; i++)
		atomic_store_explicit(word_of(i), htonl(word), memory_order_relaxed);
}

static void words_check(uint32_t word)
{
	unsigned int i;

	for (i = 0; i < segments; i++)
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
	for (i = 0; i < segments; i++)
		memcpy(page + i * sender.length + sizeof(vni), &vni, sizeof(vni));
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

static int udp_open(void)
{
	int fd = sender_open(&sender, segments > 1), one = 1;

	if (setsockopt(fd, SOL_SOCKET, SO_ZEROCOPY, &one, sizeof(one)))
		err(EXIT_FAILURE, "SO_ZEROCOPY");
	return fd;
}

static void send_all(const struct way *way)
{
	ssize_t len = segments * sender.length;
	int fd = udp_open();
	unsigned int i = 0;

	while (i < sender.count) {
		ssize_t sent = way->send(fd, len);

		if (sent == len)
			i++;
		else if (sent >= 0 || errno != ENOBUFS)
			err(EXIT_FAILURE, "%s: %zd bytes", way->name, sent);
		else
			usleep(RETRY_US);
		if (sender.interval)
			usleep(sender.interval);
	}
}

static void parse(int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, SENDER_OPTIONS "g:k")) != -1)
		if (c == 'g')
			segments = atoi(optarg);
		else if (c == 'k')
			keeps = true;
		else if (!sender_option(&sender, c, optarg))
			exit(EXIT_FAILURE);
	if (argc - optind != 2)
		errx(EXIT_FAILURE, "WAY and DESTINATION are needed");
	if (sender.length % sizeof(uint32_t) || sender.length < 2 * sizeof(uint32_t) ||
	    !segments || segments * sender.length > PAGE_BYTES)
		errx(EXIT_FAILURE, "LENGTH: a multiple of four, all of a call within a page");
	endpoint_parse(&sender.destination, argv[optind + 1]);
}

int main(int argc, char **argv)
{
	const struct way *way;
	pthread_t flipper;

	parse(argc, argv);
	way = way_find(argv[optind]);
	sender_drop_privileges(&sender);
	page_make();
	if (pipe2(pipes, O_CLOEXEC))
		err(EXIT_FAILURE, "pipe");
	if (!keeps)
		flip_start(&flipper);
	send_all(way);
	usleep(LINGER_US);
	if (keeps)
		words_check(WORD_STAMPED);
	else
		flip_stop(flipper);
	printf("%u datagrams, rewritten %lu times\n", sender.count * segments, flips);
	return EXIT_SUCCESS;
}
