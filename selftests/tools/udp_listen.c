// SPDX-License-Identifier: GPL-2.0
/*
 * udp_listen - print UDP datagrams, one a line, in hexadecimal
 *
 *	udp_listen NETNS PORT
 *
 * Listens on all IPv4 and IPv6 addresses of a network namespace, until it is killed. The
 * first line is "listening". An empty datagram is "-".
 */
#include <arpa/inet.h>
#include <err.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "netns.h"

#define DATAGRAM_MAX	65535
#define BUFFER_BYTES	(16 << 20)	/* a slow kernel sends many before we read */

static int listen_on(unsigned short port)
{
	struct sockaddr_in6 addr = {
		.sin6_family = AF_INET6,
		.sin6_port = htons(port),
	};
	int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int buffer = BUFFER_BYTES, off = 0;

	if (fd < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &buffer, sizeof(buffer)) ||
	    setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off)) ||
	    bind(fd, (void *)&addr, sizeof(addr)))
		err(EXIT_FAILURE, "port %u", port);
	return fd;
}

static void print_hex(const unsigned char *data, ssize_t len)
{
	ssize_t i;

	if (!len)
		putchar('-');
	for (i = 0; i < len; i++)
		printf("%02x", data[i]);
	putchar('\n');
}

int main(int argc, char **argv)
{
	static unsigned char datagram[DATAGRAM_MAX];
	ssize_t len;
	int fd;

	if (argc != 3)
		errx(EXIT_FAILURE, "NETNS PORT");
	setvbuf(stdout, NULL, _IOLBF, 0);
	enter_netns(argv[1]);
	fd = listen_on(atoi(argv[2]));
	puts("listening");
	while ((len = recv(fd, datagram, sizeof(datagram), 0)) >= 0)
		print_hex(datagram, len);
	err(EXIT_FAILURE, "recv");
}
