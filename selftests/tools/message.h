/* SPDX-License-Identifier: GPL-2.0 */
/* Netlink messages of any form, also malformed ones: requests to the family "conga", and to
 * rtnetlink. If a message cannot be sent at all, the program ends with MESSAGE_NO_VERDICT.
 */
#ifndef MESSAGE_H
#define MESSAGE_H

#include <stddef.h>
#include <stdint.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>

#define MESSAGE_FAMILY		"conga"
#define MESSAGE_VERSION		1	/* of the family */
#define MESSAGE_NO_VERDICT	2
#define MESSAGE_BUFFER		8192

struct message {
	struct nlmsghdr		nl;
	struct genlmsghdr	genl;
	char			attrs[MESSAGE_BUFFER];
};

/* Opens a socket of NETLINK_GENERIC or NETLINK_ROUTE, on which the kernel reports reasons.
 */
int message_open(int protocol);
/* Sends @msg and puts the first message of the answer in its place. */
void message_exchange(int fd, struct message *msg);
/* Returns the number of the family, or 0 if the kernel has none. */
uint16_t message_find_family(int fd);

/* Begins a message to a generic family, which is acknowledged. */
void message_init(struct message *msg, uint16_t type, uint8_t command, uint8_t version);
/* Begins a message of any other kind, with its own header. */
void message_init_with(struct message *msg, uint16_t type, uint16_t flags, const void *header,
		       size_t len);
/* Begins a message about the unicast route to an address of its own. */
void message_init_route(struct message *msg, uint16_t type, uint16_t flags, const char *to);
void message_put(struct message *msg, uint16_t type, const void *data, size_t len);
void message_put_address(struct message *msg, uint16_t type, const char *text);
/* ATTRIBUTE:TYPE=VALUE; TYPE is u8, u16, u32, u64, string or hex */
void message_put_word(struct message *msg, const char *word);
/* Returns the sentence of an error, also of one that ends a dump, or "" if it has none. */
const char *message_sentence(const struct message *msg);

/* Returns the attribute @type among @len bytes, or NULL. */
const struct nlattr *attr_find(const char *attrs, int len, int type);
const void *attr_data(const struct nlattr *attr);

#endif
