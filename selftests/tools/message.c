// SPDX-License-Identifier: GPL-2.0
#include <arpa/inet.h>
#include <err.h>
#include <linux/rtnetlink.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "message.h"

#define HEX_PER_BYTE	2
#define BITS		8		/* of a byte */

void message_init_with(struct message *msg, uint16_t type, uint16_t flags, const void *header,
		       size_t len)
{
	memset(msg, 0, sizeof(*msg));
	msg->nl.nlmsg_len = NLMSG_SPACE(len);
	msg->nl.nlmsg_type = type;
	msg->nl.nlmsg_flags = NLM_F_REQUEST | flags;
	memcpy(NLMSG_DATA(&msg->nl), header, len);
}

void message_init(struct message *msg, uint16_t type, uint8_t command, uint8_t version)
{
	struct genlmsghdr genl = { .cmd = command, .version = version };

	message_init_with(msg, type, NLM_F_ACK, &genl, sizeof(genl));
}

void message_put(struct message *msg, uint16_t type, const void *data, size_t len)
{
	struct nlattr *attr = (void *)((char *)msg + msg->nl.nlmsg_len);

	if (msg->nl.nlmsg_len + NLA_HDRLEN + NLA_ALIGN(len) > sizeof(*msg))
		errx(MESSAGE_NO_VERDICT, "the request is too long");
	attr->nla_type = type;
	attr->nla_len = NLA_HDRLEN + len;
	memcpy((char *)attr + NLA_HDRLEN, data, len);
	msg->nl.nlmsg_len += NLA_HDRLEN + NLA_ALIGN(len);
}

static int address_family(const char *text)
{
	return strchr(text, ':') ? AF_INET6 : AF_INET;
}

static size_t address_bytes(int family)
{
	return family == AF_INET ? sizeof(struct in_addr) : sizeof(struct in6_addr);
}

void message_put_address(struct message *msg, uint16_t type, const char *text)
{
	char addr[sizeof(struct in6_addr)];

	if (inet_pton(address_family(text), text, addr) != 1)
		errx(MESSAGE_NO_VERDICT, "no address: %s", text);
	message_put(msg, type, addr, address_bytes(address_family(text)));
}

void message_init_route(struct message *msg, uint16_t type, uint16_t flags, const char *to)
{
	struct rtmsg rtm = {
		.rtm_family	= address_family(to),
		.rtm_dst_len	= BITS * address_bytes(address_family(to)),
		.rtm_table	= RT_TABLE_MAIN,
		.rtm_protocol	= RTPROT_BOOT,
		.rtm_scope	= RT_SCOPE_UNIVERSE,
		.rtm_type	= RTN_UNICAST,
	};

	message_init_with(msg, type, NLM_F_ACK | flags, &rtm, sizeof(rtm));
	message_put_address(msg, RTA_DST, to);
}

const struct nlattr *attr_find(const char *attrs, int len, int type)
{
	while (len >= NLA_HDRLEN) {
		const struct nlattr *attr = (const void *)attrs;
		int step = NLA_ALIGN(attr->nla_len);

		if (attr->nla_len < NLA_HDRLEN || attr->nla_len > len)
			break;
		if ((attr->nla_type & NLA_TYPE_MASK) == type)
			return attr;
		attrs += step;
		len -= step;
	}
	return NULL;
}

const void *attr_data(const struct nlattr *attr)
{
	return (const char *)attr + NLA_HDRLEN;
}

int message_open(int protocol)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol);
	int on = 1;

	if (fd < 0)
		err(MESSAGE_NO_VERDICT, "socket");
	if (setsockopt(fd, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on)) ||
	    setsockopt(fd, SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof(on)))
		err(MESSAGE_NO_VERDICT, "setsockopt");
	return fd;
}

void message_exchange(int fd, struct message *msg)
{
	ssize_t len;

	if (send(fd, msg, msg->nl.nlmsg_len, 0) < 0)
		err(MESSAGE_NO_VERDICT, "send");
	len = recv(fd, msg, sizeof(*msg), 0);
	if (len < 0)
		err(MESSAGE_NO_VERDICT, "recv");
	if (len < NLMSG_HDRLEN || msg->nl.nlmsg_len > len)
		errx(MESSAGE_NO_VERDICT, "the answer is cut off");
}

uint16_t message_find_family(int fd)
{
	const struct nlattr *attr;
	struct message msg;
	uint16_t family;

	message_init(&msg, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 1);
	msg.nl.nlmsg_flags = NLM_F_REQUEST;
	message_put(&msg, CTRL_ATTR_FAMILY_NAME, MESSAGE_FAMILY, sizeof(MESSAGE_FAMILY));
	message_exchange(fd, &msg);
	attr = attr_find(msg.attrs, msg.nl.nlmsg_len - NLMSG_LENGTH(sizeof(msg.genl)),
			 CTRL_ATTR_FAMILY_ID);
	if (msg.nl.nlmsg_type == NLMSG_ERROR || !attr)
		return 0;
	memcpy(&family, attr_data(attr), sizeof(family));
	return family;
}

static void put_number(struct message *msg, int attr, int bits, const char *text)
{
	uint64_t value = strtoull(text, NULL, 0);

	/* The low bytes of the number are used on little and big endian machines alike. */
	uint8_t u8 = value;
	uint16_t u16 = value;
	uint32_t u32 = value;

	if (bits == 8)
		message_put(msg, attr, &u8, sizeof(u8));
	else if (bits == 16)
		message_put(msg, attr, &u16, sizeof(u16));
	else if (bits == 32)
		message_put(msg, attr, &u32, sizeof(u32));
	else
		message_put(msg, attr, &value, sizeof(value));
}

static void put_hex(struct message *msg, int attr, const char *text)
{
	unsigned char bytes[MESSAGE_BUFFER / HEX_PER_BYTE];
	size_t len = 0;

	for (; *text && len < sizeof(bytes); text += HEX_PER_BYTE)
		if (sscanf(text, "%2hhx", &bytes[len++]) != 1)
			errx(MESSAGE_NO_VERDICT, "not hexadecimal: %s", text);
	message_put(msg, attr, bytes, len);
}

void message_put_word(struct message *msg, const char *word)
{
	const char *type = strchr(word, ':');
	const char *value = strchr(word, '=');
	int attr = atoi(word), bits;

	if (!type || !value)
		errx(MESSAGE_NO_VERDICT, "not an attribute: %s", word);
	value++;
	if (sscanf(type, ":u%d=", &bits) == 1)
		put_number(msg, attr, bits, value);
	else if (!strncmp(type, ":string=", value - type))
		message_put(msg, attr, value, strlen(value) + 1);
	else if (!strncmp(type, ":hex=", value - type))
		put_hex(msg, attr, value);
	else
		errx(MESSAGE_NO_VERDICT, "unknown type: %s", word);
}

const char *message_sentence(const struct message *msg)
{
	bool dump_ended = msg->nl.nlmsg_type == NLMSG_DONE;
	const char *tlvs = (const char *)NLMSG_DATA(&msg->nl) +
			   (dump_ended ? sizeof(int) : sizeof(struct nlmsgerr));
	const struct nlattr *text = NULL;

	if (msg->nl.nlmsg_flags & NLM_F_ACK_TLVS)
		text = attr_find(tlvs, (const char *)msg + msg->nl.nlmsg_len - tlvs,
				 NLMSGERR_ATTR_MSG);
	return text ? attr_data(text) : "";
}
