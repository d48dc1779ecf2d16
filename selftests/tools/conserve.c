// SPDX-License-Identifier: GPL-2.0
/*
 * conserve - every datagram arrives exactly once, and unchanged
 *
 *	conserve [-s SEED] DATAGRAMS FROM TO ADDRESS...
 *
 * Sends DATAGRAMS datagrams from network namespace FROM to TO, by FLOWS sockets for each
 * ADDRESS there, IPv4 or IPv6, and waits for each. Their lengths and all their bytes come
 * from a generator that begins with SEED and the datagram's number, so that both ends know
 * them. Some leave in one call, and are cut by the network (UDP_SEGMENT). At most WINDOW
 * are in transit, which no queue has to drop.
 *
 * The last line says how many were sent, arrived, came changed (the number or length is
 * none of ours, or a byte differs), came twice, or are lost. 1 if any did or is.
 */
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "netns.h"

#ifndef UDP_SEGMENT
#define UDP_SEGMENT	103
#endif

#define FLOWS		16	/* of an address */
#define ADDRESSES_MAX	4
#define PORT		7777
#define WINDOW		128
#define BURST_MAX	8	/* datagrams of a call */
#define BYTES_MIN	sizeof(uint64_t)
#define BYTES_MAX	1400	/* fits any tunnel of the tests */
#define PATIENCE_MS	3000	/* for one that is on its way */
#define LATE_MS		300	/* for one that comes twice */
#define BUFFER_BYTES	(16 << 20)

static struct {
	uint64_t sent, arrived, changed, twice;
} count;

static uint64_t seed;
static int sender[ADDRESSES_MAX * FLOWS], senders, receiver;
static bool waiting[WINDOW];	/* by number, of those that are on the way */

/* --- contents of a datagram --- */

/* splitmix64: Steele, Lea, Flood, OOPSLA 2014 */
static uint64_t draw(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static void fill(unsigned char *data, size_t len, uint64_t number)
{
	uint64_t state = seed ^ number, word = number;
	size_t at, some;

	for (at = 0; at < len; at += some) {
		some = len - at < sizeof(word) ? len - at : sizeof(word);
		memcpy(data + at, &word, some);
		word = draw(&state);
	}
}

/* The datagrams of one call: their number, and their length. */
struct burst {
	unsigned int	datagrams;
	size_t		len;
	int		flow;
};

/* Computes the next call, from its first number on, of all datagrams. */
static struct burst burst_at(uint64_t number, uint64_t datagrams)
{
	uint64_t state = ~seed ^ number, word = draw(&state);
	struct burst burst = {
		.datagrams	= word & 1 ? 1 + (word >> 1) % BURST_MAX : 1,
		.len		= BYTES_MIN + (word >> 8) % (BYTES_MAX - BYTES_MIN + 1),
		.flow		= (word >> 32) % senders,
	};

	if (burst.datagrams > datagrams - number)
		burst.datagrams = datagrams - number;
	return burst;
}

/* --- sockets --- */

static int socket_of(int family)
{
	int fd = socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0), buffer = BUFFER_BYTES;

	if (fd < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &buffer, sizeof(buffer)) ||
	    setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &buffer, sizeof(buffer)))
		err(EXIT_FAILURE, "socket");
	return fd;
}

static void receiver_open(void)
{
	struct sockaddr_in6 any = { .sin6_family = AF_INET6, .sin6_port = htons(PORT) };
	int off = 0;

	receiver = socket_of(AF_INET6);
	if (setsockopt(receiver, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off)) ||
	    bind(receiver, (void *)&any, sizeof(any)))
		err(EXIT_FAILURE, "port %d", PORT);
}

static void senders_open(const char *address)
{
	struct sockaddr_in v4 = { .sin_family = AF_INET, .sin_port = htons(PORT) };
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6, .sin6_port = htons(PORT) };
	bool is_v4 = inet_pton(AF_INET, address, &v4.sin_addr) == 1;
	int i, fd;

	if (!is_v4 && inet_pton(AF_INET6, address, &v6.sin6_addr) != 1)
		errx(EXIT_FAILURE, "%s: not an address", address);
	for (i = 0; i < FLOWS; i++) {
		fd = socket_of(is_v4 ? AF_INET : AF_INET6);
		if (is_v4 ? connect(fd, (void *)&v4, sizeof(v4)) :
			    connect(fd, (void *)&v6, sizeof(v6)))
			err(EXIT_FAILURE, "%s", address);
		sender[senders++] = fd;
	}
}

/* --- sending and receiving --- */

static void burst_send(struct burst burst, uint64_t number)
{
	static unsigned char data[BURST_MAX * BYTES_MAX];
	int segment = burst.datagrams > 1 ? burst.len : 0, fd = sender[burst.flow];
	unsigned int i;

	for (i = 0; i < burst.datagrams; i++) {
		fill(data + i * burst.len, burst.len, number + i);
		waiting[(number + i) % WINDOW] = true;
	}
	if (setsockopt(fd, IPPROTO_UDP, UDP_SEGMENT, &segment, sizeof(segment)) ||
	    send(fd, data, burst.datagrams * burst.len, 0) < 0)
		err(EXIT_FAILURE, "datagram %" PRIu64, number);
	count.sent += burst.datagrams;
}

/* Returns whether this datagram is in transit and has the bytes that were sent. */
static void judge(const unsigned char *data, size_t len, const size_t *length_of)
{
	unsigned char right[BYTES_MAX];
	uint64_t number;

	if (len < BYTES_MIN) {
		count.changed++;
		return;
	}
	memcpy(&number, data, sizeof(number));
	if (number >= count.sent) {
		count.changed++;
		return;
	}
	if (number + WINDOW < count.sent || !waiting[number % WINDOW]) {
		count.twice++;
		return;
	}
	waiting[number % WINDOW] = false;
	count.arrived++;
	fill(right, length_of[number % WINDOW], number);
	if (len != length_of[number % WINDOW] || memcmp(data, right, len))
		count.changed++;
}

/* Returns false if none arrived in time. */
static bool receive(int timeout_ms, const size_t *length_of)
{
	struct pollfd come = { .fd = receiver, .events = POLLIN };
	unsigned char data[BYTES_MAX + 1];
	ssize_t len;

	if (poll(&come, 1, timeout_ms) <= 0)
		return false;
	while ((len = recv(receiver, data, sizeof(data), MSG_DONTWAIT)) >= 0)
		judge(data, len, length_of);
	if (errno != EAGAIN)
		err(EXIT_FAILURE, "recv");
	return true;
}

/* All datagrams in transit have arrived, or are lost. */
static void window_empty(const size_t *length_of)
{
	while (count.arrived < count.sent && receive(PATIENCE_MS, length_of))
		;
}

static void converse(uint64_t datagrams)
{
	size_t length_of[WINDOW];
	struct burst burst;
	unsigned int i;

	while (count.sent < datagrams) {
		uint64_t first = count.sent;

		while (count.sent < datagrams && count.sent - first <= WINDOW - BURST_MAX) {
			burst = burst_at(count.sent, datagrams);
			for (i = 0; i < burst.datagrams; i++)
				length_of[(count.sent + i) % WINDOW] = burst.len;
			burst_send(burst, count.sent);
		}
		window_empty(length_of);
		if (count.arrived < count.sent)
			return;
	}
	while (receive(LATE_MS, length_of))
		;
}

int main(int argc, char **argv)
{
	uint64_t datagrams;
	int option, i;

	while ((option = getopt(argc, argv, "s:")) >= 0) {
		if (option != 's')
			return EXIT_FAILURE;
		seed = strtoull(optarg, NULL, 0);
	}
	argv += optind;
	argc -= optind;
	if (argc < 4 || argc > 3 + ADDRESSES_MAX)
		errx(EXIT_FAILURE, "[-s SEED] DATAGRAMS FROM TO ADDRESS...");
	datagrams = strtoull(argv[0], NULL, 0);
	enter_netns(argv[2]);
	receiver_open();
	enter_netns(argv[1]);
	for (i = 3; i < argc; i++)
		senders_open(argv[i]);
	converse(datagrams);
	printf("%" PRIu64 " sent, %" PRIu64 " arrived, %" PRIu64 " changed, %" PRIu64
	       " twice, %" PRIu64 " lost\n", count.sent, count.arrived, count.changed,
	       count.twice, count.sent - count.arrived);
	return count.arrived < datagrams || count.changed || count.twice;
}
