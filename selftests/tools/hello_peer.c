// SPDX-License-Identifier: GPL-2.0
/*
 * hello_peer - answers hellos in place of a leaf, correctly or incorrectly
 *
 *	hello_peer [OPTION]... NETNS
 *
 *	-i ID[,ID]	leaf ids, by turns, default 1
 *	-q Q -b BYTE3 -f FLAGS -v VERSION -t TYPE	instead of 3, 0, 0, 1, 1
 *	-x BITS		flipped in the echo
 *	-h		echoes half of the nonce, without the flag of the other half
 *	-p PORT		answers at this UDP port alone, instead of at each
 *	-o		echoes the first nonce for ever
 *	-k CHECKSUM	of UDP, instead of none
 *	-s BYTES	cut off at the end
 *	-n COUNT	answer so many and end, instead of never
 *
 * In a network namespace that has no conga of its own, by the device that the
 * hello came by; IPv4. The first line is "listening", a line for each answer
 * follows. Numbers as strtoul takes them.
 */
#include <arpa/inet.h>
#include <err.h>
#include <fcntl.h>
#include <net/ethernet.h>
#include <netinet/ip.h>
#include <netinet/udp.h>
#include <netpacket/packet.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "netns.h"

#define STAMPED		0x08000100
#define STAMPED_MASK	0xff000100
#define VNI_CONTROL	0xfffffe00
#define MAGIC		0x434e4741
#define ASK		0x01
#define WIDE		0x04
#define NONCE		0x12345670
#define IDS_MAX		2
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* A hello without options and records; the struct has no holes. */
struct hello {
	struct iphdr		ip;
	struct udphdr		udp;
	uint32_t		vxlan, vni;
	uint32_t		magic;
	uint8_t			version, type, flags, count;
	uint32_t		id;
	uint8_t			q, byte3;
	uint16_t		zero;
	uint32_t		nonce, echo;
	uint32_t		nonce_upper, echo_upper;
};

static struct {
	uint32_t id[IDS_MAX], ids;
	uint32_t flip, cut, count, checksum, q, byte3, flags, version, type, port;
	bool old, half;
} options = { .id = { 1 }, .ids = 1, .q = 3, .version = 1, .type = 1 };

static bool asks(const struct hello *hello, ssize_t length)
{
	return length >= (ssize_t)sizeof(*hello) &&
	       hello->ip.ihl == sizeof(hello->ip) / 4 &&
	       hello->ip.protocol == IPPROTO_UDP &&
	       (!options.port || hello->udp.dest == htons(options.port)) &&
	       (ntohl(hello->vxlan) & STAMPED_MASK) == STAMPED &&
	       hello->vni == htonl(VNI_CONTROL) &&
	       hello->magic == htonl(MAGIC) && hello->flags & ASK && hello->flags & WIDE;
}

/* Exchanging the addresses leaves the sum of the header unchanged. */
static void turn_round(struct hello *hello)
{
	uint32_t addr = hello->ip.saddr;

	hello->ip.saddr = hello->ip.daddr;
	hello->ip.daddr = addr;
	hello->udp.check = htons(options.checksum);
}

/* Returns the nonce of the hello, or that of the first one. */
static void echo(struct hello *hello)
{
	static uint32_t first, first_upper;

	if (!first && !first_upper) {
		first = hello->nonce;
		first_upper = hello->nonce_upper;
	}
	hello->echo = (options.old ? first : hello->nonce) ^ htonl(options.flip);
	hello->echo_upper = options.old ? first_upper : hello->nonce_upper;
}

static void answer(struct hello *hello, uint32_t number)
{
	turn_round(hello);
	hello->version = options.version;
	hello->type = options.type;
	hello->flags = options.flags | (options.half ? 0 : WIDE);
	hello->id = htonl(options.id[number % options.ids]);
	hello->q = options.q;
	hello->byte3 = options.byte3;
	echo(hello);
	hello->nonce = htonl(NONCE);
	hello->nonce_upper = htonl(NONCE);
}

/* The sum of the header follows its length: bytes may be cut off, and the answer to a hello
 * of full size is small.
 */
static void cut(struct hello *hello)
{
	uint16_t length = sizeof(*hello) - options.cut;
	uint32_t sum = ntohs(hello->ip.check) + ntohs(hello->ip.tot_len) - length;

	hello->ip.tot_len = htons(length);
	hello->ip.check = htons((sum & 0xffff) + (sum >> 16));
	hello->udp.len = htons(length - sizeof(hello->ip));
}

static void ids_parse(char *text)
{
	char *word;

	options.ids = 0;
	for (word = strtok(text, ","); word && options.ids < IDS_MAX; word = strtok(NULL, ","))
		options.id[options.ids++] = strtoul(word, NULL, 0);
}

/* These options take a number. */
static const struct {
	char name;
	uint32_t *value;
} numbers[] = {
	{ 'q', &options.q },
	{ 'b', &options.byte3 },
	{ 'f', &options.flags },
	{ 'v', &options.version },
	{ 't', &options.type },
	{ 'x', &options.flip },
	{ 'k', &options.checksum },
	{ 's', &options.cut },
	{ 'n', &options.count },
	{ 'p', &options.port },
};

static void number_parse(int option, const char *text)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(numbers); i++)
		if (numbers[i].name == option)
			*numbers[i].value = strtoul(text, NULL, 0);
}

static void parse(int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "i:q:b:f:v:t:x:ohk:s:n:p:")) != -1) {
		if (c == '?')
			exit(EXIT_FAILURE);
		else if (c == 'i')
			ids_parse(optarg);
		else if (c == 'o')
			options.old = true;
		else if (c == 'h')
			options.half = true;
		else
			number_parse(c, optarg);
	}
	if (argc - optind != 1)
		errx(EXIT_FAILURE, "NETNS is missing");
}

static void answer_all(int fd)
{
	struct sockaddr_ll from;
	uint32_t number = 0;
	struct hello hello;

	while (!options.count || number < options.count) {
		socklen_t size = sizeof(from);
		ssize_t length = recvfrom(fd, &hello, sizeof(hello), 0, (void *)&from, &size);

		if (length < 0)
			err(EXIT_FAILURE, "recvfrom");
		if (from.sll_pkttype != PACKET_HOST || !asks(&hello, length))
			continue;
		answer(&hello, number++);
		cut(&hello);
		if (sendto(fd, &hello, sizeof(hello) - options.cut, 0, (void *)&from, size) < 0)
			err(EXIT_FAILURE, "sendto");
		printf("answered %u\n", number);
	}
}

int main(int argc, char **argv)
{
	int fd;

	parse(argc, argv);
	setlinebuf(stdout);
	enter_netns(argv[optind]);
	fd = socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC, htons(ETH_P_IP));
	if (fd < 0)
		err(EXIT_FAILURE, "socket");
	puts("listening");
	answer_all(fd);
	return EXIT_SUCCESS;
}
