// SPDX-License-Identifier: GPL-2.0
/*
 * vxlan_send - UDP datagrams with given bytes, as VXLAN would send them
 *
 *	vxlan_send [OPTION]... DESTINATION DATAGRAM...
 *
 *	-n NETNS	go there first
 *	-u USER		become this user, by number, without any privilege
 *	-s SOURCE	address to send from
 *	-p PORT		destination port, default 4789
 *	-l LENGTH	fill datagrams up to so many bytes with zeros
 *	-c COUNT	send all of them so often, each time by a new socket
 *	-i MICROSECONDS	pause in between
 *	-d DEV -m MAC	by AF_PACKET, to this neighbour on this device: past the
 *			IP layer, so nobody on the way out sees a local socket
 *	-g		all datagrams in one call, cut by UDP_SEGMENT to LENGTH
 *	-x SUM		with -d: the UDP checksum, hexadecimal, instead of the right one
 *	-h HOPS		with -d: TTL or hop limit, default 64
 *	-o TOS		with -d: TOS or traffic class, default 0
 *	-e BYTES	with -d: the last so many are behind the end that IP tells of
 *	-r COUNT	with -d: so many packets, the datagrams in turn, as fast as
 *			it goes
 *	-t		with -r: print how many nanoseconds that took
 *
 * A DATAGRAM is hexadecimal; "-" is an empty one. Without -d it goes through an
 * ordinary UDP socket, which needs no privilege.
 */
#include <arpa/inet.h>
#include <err.h>
#include <inttypes.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/ether.h>
#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <netinet/udp.h>
#include <netpacket/packet.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "sender.h"

#define VXLAN_PORT	4789
#define SOURCE_PORT	50000	/* any; one flow */
#define HOPS		64
#define DATAGRAM_MAX	65000
#define HEADERS_MAX	(sizeof(struct ip6_hdr) + sizeof(struct udphdr))
#define STORM_MAX	256	/* different datagrams of a storm, */
#define STORM_BYTES	512	/* and bytes of each */
#define SOCKETS_KEPT	256
#define NSEC_PER_SEC	1000000000ULL
#define IP_VERSION_4	4
#define IP_VERSION_6	0x60000000
#define TOS_SHIFT	20

static struct sender sender = { .count = 1, .port = VXLAN_PORT };

static struct {
	const char *dev, *mac;
	unsigned int storm, hops, tos, beyond;
	uint16_t sum;
	bool segment, has_sum, timed;
} options = { .hops = HOPS };

static unsigned char datagram[DATAGRAM_MAX];

/* Returns the length of the datagram, filled up. */
static size_t datagram_read(const char *hex, unsigned char *to)
{
	size_t len = 0;

	if (strcmp(hex, "-"))
		for (; hex[0] && hex[1] && len < DATAGRAM_MAX; hex += 2)
			if (sscanf(hex, "%2hhx", &to[len++]) != 1)
				errx(EXIT_FAILURE, "not hexadecimal: %s", hex);
	for (; len < sender.length; len++)
		to[len] = 0;
	return len;
}

/* --- by a UDP socket --- */

/* A port that was just closed may be assigned again: then two datagrams would belong to one
 * flow, and to one flowlet.
 */
static void close_later(int fd)
{
	static int kept[SOCKETS_KEPT];
	static unsigned int next;

	if (kept[next])
		close(kept[next]);
	kept[next] = fd;
	next = (next + 1) % SOCKETS_KEPT;
}

static void udp_send(int fd, const unsigned char *data, size_t len)
{
	if (send(fd, data, len, 0) != (ssize_t)len)
		err(EXIT_FAILURE, "send");
}

static void udp_send_segments(int fd, int count, char **hex)
{
	size_t len = 0;
	int i;

	for (i = 0; i < count; i++)
		len += datagram_read(hex[i], datagram + len);
	udp_send(fd, datagram, len);
}

/* --- by AF_PACKET --- */

static uint32_t sum_bytes(const void *data, size_t len, uint32_t sum)
{
	const unsigned char *byte = data;
	size_t i;

	for (i = 0; i < len; i++)
		sum += i % 2 ? byte[i] : byte[i] << 8;
	return sum;
}

static uint16_t sum_fold(uint32_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return htons(~sum);
}

static void udp_header(struct udphdr *udp, const void *data, size_t len,
		       uint32_t pseudo)
{
	size_t total = sizeof(*udp) + len;

	memset(udp, 0, sizeof(*udp));
	udp->source = htons(SOURCE_PORT);
	udp->dest = htons(sender.port);
	udp->len = htons(total);
	udp->check = sum_fold(sum_bytes(data, len, sum_bytes(udp, sizeof(*udp),
							     pseudo + IPPROTO_UDP +
							     total)));
	if (!udp->check)
		udp->check = 0xffff;
	if (options.has_sum)
		udp->check = htons(options.sum);
}

static size_t build_v4(unsigned char *packet, const void *data, size_t len)
{
	size_t headers = sizeof(struct iphdr) + sizeof(struct udphdr);
	struct iphdr ip = {
		.version = IP_VERSION_4, .ihl = sizeof(ip) / 4, .tos = options.tos,
		.tot_len = htons(headers + len - options.beyond), .ttl = options.hops,
		.frag_off = htons(IP_DF),	/* so that the ID may stay 0 */
		.protocol = IPPROTO_UDP,
		.saddr = sender.source.v4.s_addr,
		.daddr = sender.destination.v4.s_addr,
	};
	struct udphdr udp;

	ip.check = sum_fold(sum_bytes(&ip, sizeof(ip), 0));
	udp_header(&udp, data, len, sum_bytes(&ip.saddr, 2 * sizeof(ip.saddr), 0));
	memcpy(packet, &ip, sizeof(ip));
	memcpy(packet + sizeof(ip), &udp, sizeof(udp));
	memcpy(packet + headers, data, len);
	return headers + len;
}

static size_t build_v6(unsigned char *packet, const void *data, size_t len)
{
	size_t headers = sizeof(struct ip6_hdr) + sizeof(struct udphdr);
	struct ip6_hdr ip = {
		.ip6_flow = htonl(IP_VERSION_6 | options.tos << TOS_SHIFT),
		.ip6_plen = htons(sizeof(struct udphdr) + len - options.beyond),
		.ip6_nxt = IPPROTO_UDP, .ip6_hlim = options.hops,
		.ip6_src = sender.source.v6,
		.ip6_dst = sender.destination.v6,
	};
	struct udphdr udp;

	udp_header(&udp, data, len, sum_bytes(&ip.ip6_src, 2 * sizeof(ip.ip6_src), 0));
	memcpy(packet, &ip, sizeof(ip));
	memcpy(packet + sizeof(ip), &udp, sizeof(udp));
	memcpy(packet + headers, data, len);
	return headers + len;
}

static int packet_open(struct sockaddr_ll *to)
{
	const struct ether_addr *mac = ether_aton(options.mac);
	int fd = socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		err(EXIT_FAILURE, "socket");
	if (!mac)
		errx(EXIT_FAILURE, "not a MAC address: %s", options.mac);
	*to = (struct sockaddr_ll) {
		.sll_family = AF_PACKET, .sll_halen = ETH_ALEN,
		.sll_protocol = htons(sender.destination.family == AF_INET ?
				      ETHERTYPE_IP : ETHERTYPE_IPV6),
		.sll_ifindex = if_nametoindex(options.dev),
	};
	if (!to->sll_ifindex)
		err(EXIT_FAILURE, "%s", options.dev);
	memcpy(to->sll_addr, mac, ETH_ALEN);
	return fd;
}

static size_t build(unsigned char *packet, size_t len)
{
	return sender.destination.family == AF_INET ?
	       build_v4(packet, datagram, len) : build_v6(packet, datagram, len);
}

static void packet_send(int fd, const struct sockaddr_ll *to, size_t len)
{
	static unsigned char packet[DATAGRAM_MAX + HEADERS_MAX];
	size_t total = build(packet, len);

	if (sendto(fd, packet, total, 0, (const void *)to, sizeof(*to)) !=
	    (ssize_t)total)
		err(EXIT_FAILURE, "sendto");
}

/* --- many, each built once --- */

static void storm_build(struct mmsghdr *messages, struct iovec *vectors,
			struct sockaddr_ll *to, unsigned int count,
			char **hex)
{
	static unsigned char packets[STORM_MAX][STORM_BYTES + HEADERS_MAX];
	unsigned int i;

	for (i = 0; i < count; i++) {
		size_t len = datagram_read(hex[i], datagram);

		if (len > STORM_BYTES)
			errx(EXIT_FAILURE, "a datagram is too long");
		vectors[i].iov_base = packets[i];
		vectors[i].iov_len = build(packets[i], len);
		messages[i].msg_hdr = (struct msghdr) {
			.msg_name = to, .msg_namelen = sizeof(*to),
			.msg_iov = &vectors[i], .msg_iovlen = 1,
		};
	}
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NSEC_PER_SEC + now.tv_nsec;
}

static void storm(unsigned int count, char **hex)
{
	static struct mmsghdr messages[STORM_MAX];
	static struct iovec vectors[STORM_MAX];
	struct sockaddr_ll to;
	int fd = packet_open(&to);
	unsigned int left;
	uint64_t began;

	if (count > STORM_MAX)
		errx(EXIT_FAILURE, "too many datagrams");
	storm_build(messages, vectors, &to, count, hex);
	began = now_ns();
	for (left = options.storm; left;) {
		unsigned int batch = left < count ? left : count;
		int sent = sendmmsg(fd, messages, batch, 0);

		if (sent != (int)batch)
			err(EXIT_FAILURE, "sendmmsg");
		left -= sent;
	}
	if (options.timed)
		printf("%" PRIu64 "\n", now_ns() - began);
	close(fd);
}

static void send_all(int count, char **hex)
{
	struct sockaddr_ll to;
	int fd = options.dev ? packet_open(&to) : sender_open(&sender, options.segment);
	int i;

	if (options.segment)
		udp_send_segments(fd, count, hex);
	for (i = 0; i < count && !options.segment; i++) {
		size_t len = datagram_read(hex[i], datagram);

		if (options.dev)
			packet_send(fd, &to, len);
		else
			udp_send(fd, datagram, len);
	}
	close_later(fd);
}

static bool packet_option(int letter, const char *value)
{
	switch (letter) {
	case 'd':
		options.dev = value;
		return true;
	case 'm':
		options.mac = value;
		return true;
	case 'x':
		options.sum = strtoul(value, NULL, 16);
		options.has_sum = true;
		return true;
	case 'h':
		options.hops = atoi(value);
		return true;
	case 'o':
		options.tos = atoi(value);
		return true;
	case 'e':
		options.beyond = atoi(value);
		return true;
	case 'r':
		options.storm = atoi(value);
		return true;
	case 't':
		options.timed = true;
		return true;
	default:
		return false;
	}
}

static void options_check(int datagrams)
{
	if (datagrams < 1)
		errx(EXIT_FAILURE, "DESTINATION DATAGRAM... are missing");
	if (!options.dev != !options.mac || (options.dev && !sender.source.family))
		errx(EXIT_FAILURE, "-d, -m and -s belong together");
	if ((options.has_sum || options.storm || options.beyond) && !options.dev)
		errx(EXIT_FAILURE, "-x, -r and -e need -d");
	if (sender.length * (datagrams + 1) > DATAGRAM_MAX)
		errx(EXIT_FAILURE, "LENGTH is too large");
}

static void parse(int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, SENDER_OPTIONS "d:m:gx:h:o:e:r:t")) != -1)
		if (c == 'g')
			options.segment = true;
		else if (!packet_option(c, optarg) && !sender_option(&sender, c, optarg))
			exit(EXIT_FAILURE);
	options_check(argc - optind - 1);
	endpoint_parse(&sender.destination, argv[optind]);
}

int main(int argc, char **argv)
{
	parse(argc, argv);
	sender_drop_privileges(&sender);
	if (options.storm) {
		storm(argc - optind - 1, argv + optind + 1);
		return EXIT_SUCCESS;
	}
	for (; sender.count; sender.count--) {
		send_all(argc - optind - 1, argv + optind + 1);
		if (sender.interval)
			usleep(sender.interval);
	}
	return EXIT_SUCCESS;
}
