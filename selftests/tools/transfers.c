// SPDX-License-Identifier: GPL-2.0
/*
 * transfers - TCP transfers between network namespaces, each compared byte by byte
 *
 *	transfers [-s SEED] [-t SECONDS] [-D SECONDS] [-r BITS] FROM,ADDRESS TO,ADDRESS...
 *
 * Pairs of hosts; transfers between each go both ways, and arrive at random (Poisson) so that
 * each way carries BITS per second. A transfer is a connection of its own, from connect() to
 * the end of the stream; its length and all its bytes are those of a generator that begins
 * with SEED and its number. Time is CLOCK_MONOTONIC. New ones come for SECONDS (-t); what is
 * not complete SECONDS (-D) later is stuck.
 *
 * A line a minute says how many began, are complete, and on their way; the last one, how many
 * came changed (a byte differs, or there are too few or too many), broke, or are stuck, and
 * how long the longest took. 1 if any did or is.
 */
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "netns.h"

#define EXIT_USAGE	2
#define PORT		7000
#define HOSTS_MAX	16
#define OPEN_MAX	4096	/* on their way at a time */
#define PIECE		65536
#define EVENTS		64
#define NSEC_PER_SEC	1000000000ULL
#define MINUTE		(60 * NSEC_PER_SEC)
#define BITS_PER_BYTE	8
#define MANTISSA	9007199254740992.0	/* 2^53 */

/* Lengths are drawn with equal chance: mice, and some that take a second on a slow link. */
static const uint32_t lengths[] = { 1, 300, 1448, 5000, 20000, 20000, 70000, 200000, 1000000 };

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define LENGTHS		ARRAY_SIZE(lengths)

struct host {
	struct sockaddr_in address;
	char *netns;
	int listener;
};

/* One end of a transfer. */
struct end {
	int fd;
	bool sends;
	uint64_t number;	/* of the transfer; of a receiver, once its first bytes are here */
	uint64_t at, length;	/* bytes done, and to do */
	uint64_t begun;		/* ns */
	bool open, changed;
	unsigned char head[sizeof(uint64_t)];
};

static struct host hosts[HOSTS_MAX];
static unsigned int n_hosts;
static struct end ends[2 * OPEN_MAX];
static uint64_t seed = 1, began, complete, changed, broken, longest, bytes;
static int epoll;
static unsigned char piece[PIECE], expected[PIECE];

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}

/* splitmix64: Steele, Lea, Flood, OOPSLA 2014 */
static uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

/* --- contents of a transfer: its number, then bytes that follow from it --- */

static uint64_t length_of(uint64_t number)
{
	return sizeof(uint64_t) + lengths[mix(seed ^ mix(number)) % LENGTHS];
}

static uint64_t word_of(uint64_t number, uint64_t index)
{
	return index ? mix(mix(seed + number) + index) : number;
}

/* Fills in @size bytes of the transfer from @at on. */
static void fill(unsigned char *buffer, uint64_t number, uint64_t at, size_t size)
{
	size_t done = 0;

	while (done < size) {
		uint64_t word = word_of(number, (at + done) / sizeof(word));
		size_t skip = (at + done) % sizeof(word);
		size_t part = sizeof(word) - skip;

		if (part > size - done)
			part = size - done;
		memcpy(buffer + done, (unsigned char *)&word + skip, part);
		done += part;
	}
}

/* --- ends --- */

static struct end *end_open(int fd, bool sends)
{
	struct epoll_event event = { .events = sends ? EPOLLOUT : EPOLLIN };
	struct end *end = ends;

	while (end < ends + 2 * OPEN_MAX && end->open)
		end++;
	if (end == ends + 2 * OPEN_MAX)
		errx(EXIT_FAILURE, "more than %d transfers on their way", OPEN_MAX);
	*end = (struct end){ .fd = fd, .sends = sends, .open = true, .begun = now_ns() };
	event.data.ptr = end;
	if (epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event))
		err(EXIT_FAILURE, "epoll_ctl");
	return end;
}

static void end_close(struct end *end)
{
	close(end->fd);
	end->open = false;
}

static void end_break(struct end *end)
{
	warn("transfer %" PRIu64 ", %s, at byte %" PRIu64, end->number,
	     end->sends ? "sender" : "receiver", end->at);
	broken++;
	end_close(end);
}

static void end_send(struct end *end)
{
	while (end->at < end->length) {
		uint64_t left = end->length - end->at;
		size_t size = left < PIECE ? left : PIECE;
		ssize_t sent;

		fill(piece, end->number, end->at, size);
		sent = send(end->fd, piece, size, MSG_NOSIGNAL);
		if (sent < 0 && (errno == EAGAIN || errno == EINPROGRESS))
			return;
		if (sent < 0) {
			end_break(end);
			return;
		}
		end->at += sent;
	}
	end_close(end);
}

/* The first bytes are the number. */
static void end_begin(struct end *end, const unsigned char *data, size_t size)
{
	size_t i;

	for (i = 0; i < size && end->at + i < sizeof(end->head); i++)
		end->head[end->at + i] = data[i];
	if (end->at < sizeof(end->head) && end->at + size >= sizeof(end->head)) {
		memcpy(&end->number, end->head, sizeof(end->number));
		if (end->number < began)
			end->length = length_of(end->number);
	}
}

static void end_finish(struct end *end)
{
	uint64_t took = now_ns() - end->begun;

	if (end->changed || !end->length || end->at != end->length) {
		changed++;
		warnx("transfer %" PRIu64 " came changed: %" PRIu64 " of %" PRIu64 " bytes",
		      end->number, end->at, end->length);
	} else {
		complete++;
		bytes += end->at;
	}
	if (took > longest)
		longest = took;
	end_close(end);
}

static void end_receive(struct end *end)
{
	ssize_t got;

	while ((got = recv(end->fd, piece, PIECE, 0)) > 0) {
		end_begin(end, piece, got);
		if (end->length) {
			fill(expected, end->number, end->at, got);
			end->changed |= memcmp(piece, expected, got) != 0;
		}
		end->at += got;
	}
	if (!got)
		end_finish(end);
	else if (errno != EAGAIN)
		end_break(end);
}

/* --- hosts --- */

static void host_add(char *word)
{
	struct host *host = &hosts[n_hosts++];
	char *comma = strchr(word, ',');
	int on = 1;

	if (n_hosts > HOSTS_MAX || !comma)
		errx(EXIT_USAGE, "at most %d hosts, each NETNS,ADDRESS", HOSTS_MAX);
	*comma = '\0';
	host->netns = word;
	host->address.sin_family = AF_INET;
	host->address.sin_port = htons(PORT);
	if (inet_pton(AF_INET, comma + 1, &host->address.sin_addr) != 1)
		errx(EXIT_USAGE, "not an IPv4 address: %s", comma + 1);
	enter_netns(word);
	host->listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (host->listener < 0 ||
	    setsockopt(host->listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) ||
	    bind(host->listener, (struct sockaddr *)&host->address, sizeof(host->address)) ||
	    listen(host->listener, OPEN_MAX))
		err(EXIT_FAILURE, "%s", word);
}

static void transfer_begin(struct host *from, const struct host *to)
{
	struct end *end;
	int fd;

	enter_netns(from->netns);
	fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		err(EXIT_FAILURE, "socket");
	end = end_open(fd, true);
	end->number = began++;
	end->length = length_of(end->number);
	if (connect(fd, (struct sockaddr *)&to->address, sizeof(to->address)) &&
	    errno != EINPROGRESS)
		end_break(end);
}

static void accept_all(struct host *host)
{
	int fd;

	while ((fd = accept4(host->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0)
		end_open(fd, false);
}

/* --- time --- */

static unsigned int on_their_way(void)
{
	unsigned int i, open = 0;

	for (i = 0; i < 2 * OPEN_MAX; i++)
		open += ends[i].open;
	return open;
}

static double mean_length(void)
{
	double sum = 0;
	unsigned int i;

	for (i = 0; i < LENGTHS; i++)
		sum += sizeof(uint64_t) + lengths[i];
	return sum / LENGTHS;
}

/* Returns the ns until the next arrival, for @rate per second. */
static uint64_t pause_of(double rate)
{
	static uint64_t drawn;
	double uniform = (mix(seed ^ mix(~drawn++)) >> 11) / MANTISSA;

	return -log(1 - uniform) / rate * NSEC_PER_SEC;
}

static void wait_until(uint64_t until)
{
	struct epoll_event events[EVENTS];
	uint64_t now = now_ns();
	struct host *host;
	int i, n;

	n = epoll_wait(epoll, events, EVENTS,
		       until > now ? (until - now) / 1000000 + 1 : 0);
	for (i = 0; i < n; i++) {
		for (host = hosts; host < hosts + n_hosts; host++)
			if (events[i].data.ptr == host)
				break;
		if (host < hosts + n_hosts) {
			accept_all(host);
			continue;
		}
		if (((struct end *)events[i].data.ptr)->sends)
			end_send(events[i].data.ptr);
		else
			end_receive(events[i].data.ptr);
	}
}

static void say(const char *what, uint64_t start)
{
	printf("%s seconds=%.0f begun=%" PRIu64 " complete=%" PRIu64 " bytes=%" PRIu64
	       " ends_open=%u changed=%" PRIu64 " broken=%" PRIu64 " longest_ms=%" PRIu64 "\n",
	       what, (double)(now_ns() - start) / NSEC_PER_SEC, began, complete, bytes,
	       on_their_way(), changed, broken, longest / 1000000);
	fflush(stdout);
}

/* The direction is part of the number: even ones go from the first host of a pair. */
static void run(uint64_t seconds, uint64_t drain, double bits)
{
	uint64_t start = now_ns(), next = start, minute = start + MINUTE, end;
	unsigned int pairs = n_hosts / 2;
	double rate = 2 * bits / BITS_PER_BYTE / mean_length();

	while (now_ns() < start + seconds * NSEC_PER_SEC) {
		if (now_ns() >= next) {
			unsigned int pair = began / 2 % pairs, way = began % 2;

			transfer_begin(&hosts[2 * pair + way], &hosts[2 * pair + !way]);
			next += pause_of(rate);
		}
		wait_until(next);
		if (now_ns() >= minute) {
			say("minute", start);
			minute += MINUTE;
		}
	}
	end = now_ns() + drain * NSEC_PER_SEC;
	while (on_their_way() && now_ns() < end)
		wait_until(now_ns() + NSEC_PER_SEC);
	say("end", start);
}

int main(int argc, char *argv[])
{
	uint64_t seconds = 60, drain = 120;
	double bits = 1e6;
	struct host *host;
	int option;

	while ((option = getopt(argc, argv, "s:t:D:r:")) != -1) {
		switch (option) {
		case 's':
			seed = strtoull(optarg, NULL, 0);
			break;
		case 't':
			seconds = strtoull(optarg, NULL, 0);
			break;
		case 'D':
			drain = strtoull(optarg, NULL, 0);
			break;
		case 'r':
			bits = strtod(optarg, NULL);
			break;
		default:
			return EXIT_USAGE;
		}
	}
	if (argc - optind < 2 || (argc - optind) % 2 || bits <= 0)
		errx(EXIT_USAGE, "pairs of hosts, and a rate above 0");
	for (; optind < argc; optind++)
		host_add(argv[optind]);
	epoll = epoll_create1(EPOLL_CLOEXEC);
	for (host = hosts; host < hosts + n_hosts; host++) {
		struct epoll_event event = { .events = EPOLLIN, .data.ptr = host };

		if (epoll < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, host->listener, &event))
			err(EXIT_FAILURE, "epoll");
	}
	run(seconds, drain, bits);
	return changed || broken || complete != began ? EXIT_FAILURE : EXIT_SUCCESS;
}
