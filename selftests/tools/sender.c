// SPDX-License-Identifier: GPL-2.0
#include <arpa/inet.h>
#include <err.h>
#include <grp.h>
#include <netinet/udp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "netns.h"
#include "sender.h"

#ifndef UDP_SEGMENT
#define UDP_SEGMENT	103
#endif

void endpoint_parse(struct endpoint *end, const char *text)
{
	if (inet_pton(AF_INET, text, &end->v4) == 1)
		end->family = AF_INET;
	else if (inet_pton(AF_INET6, text, &end->v6) == 1)
		end->family = AF_INET6;
	else
		errx(EXIT_FAILURE, "not an address: %s", text);
}

static socklen_t endpoint_sockaddr(const struct endpoint *end, uint16_t port,
				   struct sockaddr_storage *addr)
{
	struct sockaddr_in *in = (void *)addr;
	struct sockaddr_in6 *in6 = (void *)addr;

	memset(addr, 0, sizeof(*addr));
	addr->ss_family = end->family;
	if (end->family == AF_INET) {
		in->sin_port = htons(port);
		in->sin_addr = end->v4;
		return sizeof(*in);
	}
	in6->sin6_port = htons(port);
	in6->sin6_addr = end->v6;
	return sizeof(*in6);
}

bool sender_option(struct sender *sender, int letter, const char *value)
{
	switch (letter) {
	case 'n':
		enter_netns(value);
		return true;
	case 'u':
		sender->user = atoi(value);
		return true;
	case 's':
		endpoint_parse(&sender->source, value);
		return true;
	case 'p':
		sender->port = atoi(value);
		return true;
	case 'c':
		sender->count = atoi(value);
		return true;
	case 'l':
		sender->length = atoi(value);
		return true;
	case 'i':
		sender->interval = atoi(value);
		return true;
	default:
		return false;
	}
}

void sender_drop_privileges(const struct sender *sender)
{
	unsigned int user = sender->user;

	if (user && (setgroups(0, NULL) || setresgid(user, user, user) ||
		     setresuid(user, user, user)))
		err(EXIT_FAILURE, "cannot become user %u", user);
}

int sender_open(const struct sender *sender, bool segments)
{
	int fd = socket(sender->destination.family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int segment = sender->length;
	struct sockaddr_storage addr;
	socklen_t len;

	if (fd < 0)
		err(EXIT_FAILURE, "socket");
	if (segments && setsockopt(fd, IPPROTO_UDP, UDP_SEGMENT, &segment, sizeof(segment)))
		err(EXIT_FAILURE, "UDP_SEGMENT");
	if (sender->source.family) {
		len = endpoint_sockaddr(&sender->source, 0, &addr);
		if (bind(fd, (void *)&addr, len))
			err(EXIT_FAILURE, "bind");
	}
	len = endpoint_sockaddr(&sender->destination, sender->port, &addr);
	if (connect(fd, (void *)&addr, len))
		err(EXIT_FAILURE, "connect");
	return fd;
}
