/* SPDX-License-Identifier: GPL-2.0 */
/* A sender of UDP datagrams: its options, and its socket. Errors end the program. */
#ifndef SELFTESTS_SENDER_H
#define SELFTESTS_SENDER_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#define SENDER_OPTIONS	"n:u:s:p:c:l:i:"

struct endpoint {
	int			family;
	struct in_addr		v4;
	struct in6_addr		v6;
};

struct sender {
	struct endpoint source, destination;
	unsigned int user, count, length, interval;
	uint16_t port;
};

void endpoint_parse(struct endpoint *end, const char *text);

/* Handles one of SENDER_OPTIONS, or returns false; -n enters the namespace at once. */
bool sender_option(struct sender *sender, int letter, const char *value);

/* Becomes the user of option -u, if there is one, and loses all capabilities. */
void sender_drop_privileges(const struct sender *sender);

/* Returns a connected socket; with @segments the kernel cuts what is sent to the length. */
int sender_open(const struct sender *sender, bool segments);

#endif /* SELFTESTS_SENDER_H */
