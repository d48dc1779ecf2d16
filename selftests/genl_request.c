// SPDX-License-Identifier: GPL-2.0
/*
 * genl_request - one request to the family "conga", attribute by attribute
 *
 * The tool does not send what is wrong in form, so a test has to. Prints the
 * kernel's verdict: "ok", or the name of the error and the sentence of the
 * extended ACK. Exits with 0 if the kernel gave a verdict, else with 2.
 *
 *	genl_request COMMAND [ATTRIBUTE:TYPE=VALUE]...
 *
 * COMMAND and ATTRIBUTE are numbers of linux/conga.h; TYPE is u8, u16, u32,
 * u64, string or hex.
 */
#include <err.h>
#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define FAMILY		"conga"
#define FAMILY_VERSION	1
#define BUFFER_SIZE	8192
#define EXIT_NO_VERDICT	2
#define HEX_PER_BYTE	2

struct message {
	struct nlmsghdr		nl;
	struct genlmsghdr	genl;
	char			attrs[BUFFER_SIZE];
};

static void message_init(struct message *msg, uint16_t type, uint8_t command,
			 uint8_t version)
{
	memset(msg, 0, sizeof(*msg));
	msg->nl.nlmsg_len = NLMSG_LENGTH(sizeof(msg->genl));
	msg->nl.nlmsg_type = type;
	msg->nl.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
	msg->genl.cmd = command;
	msg->genl.version = version;
}

static void message_put(struct message *msg, uint16_t type, const void *data,
			size_t len)
{
	struct nlattr *attr = (void *)((char *)msg + msg->nl.nlmsg_len);

	if (msg->nl.nlmsg_len + NLA_HDRLEN + NLA_ALIGN(len) > sizeof(*msg))
		errx(EXIT_NO_VERDICT, "the request is too long");
	attr->nla_type = type;
	attr->nla_len = NLA_HDRLEN + len;
	memcpy((char *)attr + NLA_HDRLEN, data, len);
	msg->nl.nlmsg_len += NLA_HDRLEN + NLA_ALIGN(len);
}

/* The attribute @type among @len bytes, or NULL. */
static const struct nlattr *attr_find(const char *attrs, int len, int type)
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

static const void *attr_data(const struct nlattr *attr)
{
	return (const char *)attr + NLA_HDRLEN;
}

static int open_socket(void)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	int on = 1;

	if (fd < 0)
		err(EXIT_NO_VERDICT, "socket");
	if (setsockopt(fd, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on)) ||
	    setsockopt(fd, SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof(on)))
		err(EXIT_NO_VERDICT, "setsockopt");
	return fd;
}

/* Sends @msg and puts the first message of the answer in its place. */
static void exchange(int fd, struct message *msg)
{
	ssize_t len;

	if (send(fd, msg, msg->nl.nlmsg_len, 0) < 0)
		err(EXIT_NO_VERDICT, "send");
	len = recv(fd, msg, sizeof(*msg), 0);
	if (len < 0)
		err(EXIT_NO_VERDICT, "recv");
	if (len < NLMSG_HDRLEN || msg->nl.nlmsg_len > len)
		errx(EXIT_NO_VERDICT, "the answer is cut off");
}

static uint16_t resolve_family(int fd)
{
	const struct nlattr *attr;
	struct message msg;
	uint16_t family;

	message_init(&msg, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 1);
	msg.nl.nlmsg_flags = NLM_F_REQUEST;
	message_put(&msg, CTRL_ATTR_FAMILY_NAME, FAMILY,
		    sizeof(FAMILY));
	exchange(fd, &msg);
	attr = attr_find(msg.attrs, msg.nl.nlmsg_len -
			 NLMSG_LENGTH(sizeof(msg.genl)), CTRL_ATTR_FAMILY_ID);
	if (msg.nl.nlmsg_type == NLMSG_ERROR || !attr)
		errx(EXIT_NO_VERDICT, "there is no family %s", FAMILY);
	memcpy(&family, attr_data(attr), sizeof(family));
	return family;
}

static void put_number(struct message *msg, int attr, int bits, const char *text)
{
	uint64_t value = strtoull(text, NULL, 0);

	/* Little endian or not: the low bytes of the number. */
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
	unsigned char bytes[BUFFER_SIZE / HEX_PER_BYTE];
	size_t len = 0;

	for (; *text && len < sizeof(bytes); text += HEX_PER_BYTE)
		if (sscanf(text, "%2hhx", &bytes[len++]) != 1)
			errx(EXIT_NO_VERDICT, "not hexadecimal: %s", text);
	message_put(msg, attr, bytes, len);
}

/* ATTRIBUTE:TYPE=VALUE */
static void put_word(struct message *msg, const char *word)
{
	const char *type = strchr(word, ':');
	const char *value = strchr(word, '=');
	int attr = atoi(word), bits;

	if (!type || !value)
		errx(EXIT_NO_VERDICT, "not an attribute: %s", word);
	value++;
	if (sscanf(type, ":u%d=", &bits) == 1)
		put_number(msg, attr, bits, value);
	else if (!strncmp(type, ":string=", value - type))
		message_put(msg, attr, value, strlen(value) + 1);
	else if (!strncmp(type, ":hex=", value - type))
		put_hex(msg, attr, value);
	else
		errx(EXIT_NO_VERDICT, "unknown type: %s", word);
}

static void print_verdict(const struct message *msg)
{
	const struct nlmsgerr *error = NLMSG_DATA(&msg->nl);
	const char *tlvs = (const char *)error + sizeof(*error);
	const struct nlattr *text = NULL;

	if (msg->nl.nlmsg_type != NLMSG_ERROR || !error->error) {
		puts("ok");
		return;
	}
	if (msg->nl.nlmsg_flags & NLM_F_ACK_TLVS)
		text = attr_find(tlvs, (const char *)msg + msg->nl.nlmsg_len -
				 tlvs, NLMSGERR_ATTR_MSG);
	printf("%s: %s\n", strerrorname_np(-error->error),
	       text ? (const char *)attr_data(text) : "");
}

int main(int argc, char **argv)
{
	struct message msg;
	int fd, i;

	if (argc < 2)
		errx(EXIT_NO_VERDICT, "COMMAND [ATTRIBUTE:TYPE=VALUE]...");
	fd = open_socket();
	message_init(&msg, resolve_family(fd), atoi(argv[1]),
		     FAMILY_VERSION);
	for (i = 2; i < argc; i++)
		put_word(&msg, argv[i]);
	exchange(fd, &msg);
	print_verdict(&msg);
	close(fd);
	return EXIT_SUCCESS;
}
