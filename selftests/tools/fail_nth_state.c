// SPDX-License-Identifier: GPL-2.0
/* What is configured in the namespace of fail_nth, as the family "conga" dumps it: bytes of its
 * attributes, but for those that change by themselves.
 */
#include <err.h>
#include <linux/conga.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fail_nth.h"
#include "message.h"

static bool list_has(const int *list, int attr)
{
	for (; *list; list++)
		if (*list == attr)
			return true;
	return false;
}

/* Packets change these counters. Hellos, which are on for a ping only, change the others. */
static bool state_moves(int command, int attr)
{
	static const int moving[][10] = {
		[CONGA_CMD_FABRIC_GET]	= { CONGA_A_FABRIC_PROBE_LATE,
					    CONGA_A_FABRIC_PROBE_LATEST },
		[CONGA_CMD_PORT_GET]	= { CONGA_A_PORT_DRE_BYTES, CONGA_A_PORT_METRIC,
					    CONGA_A_PORT_TX_PACKETS, CONGA_A_PORT_TX_BYTES,
					    CONGA_A_PORT_FLOWLETS, CONGA_A_PORT_SHORT_FLOWS },
		[CONGA_CMD_LEAF_GET]	= { CONGA_A_LEAF_BEST, CONGA_A_LEAF_UTILISATION,
					    CONGA_A_LEAF_PROBE_AGE },
		[CONGA_CMD_PATH_GET]	= { CONGA_A_PATH_LOCAL, CONGA_A_PATH_REMOTE,
					    CONGA_A_PATH_AGE, CONGA_A_PATH_DELAY,
					    CONGA_A_PATH_QUEUE },
	};
	static const int by_hellos[][10] = {
		[CONGA_CMD_LEAF_GET]	= { CONGA_A_LEAF_STATE, CONGA_A_LEAF_REASON,
					    CONGA_A_LEAF_UNANSWERED, CONGA_A_LEAF_HEARD },
		[CONGA_CMD_PATH_GET]	= { CONGA_A_PATH_STATE, CONGA_A_PATH_REASON,
					    CONGA_A_PATH_HELLOS, CONGA_A_PATH_HELLOS_MISSED },
	};

	return list_has(moving[command], attr) || (pinging && list_has(by_hellos[command], attr));
}

static void state_add(struct state *state, int command, const struct nlmsghdr *nl)
{
	const char *at = (const char *)NLMSG_DATA(nl) + GENL_HDRLEN;
	const char *end = (const char *)nl + nl->nlmsg_len;

	while (at + NLA_HDRLEN <= end) {
		const struct nlattr *attr = (const void *)at;
		size_t step = NLA_ALIGN(attr->nla_len);

		at += step;
		if (state_moves(command, attr->nla_type & NLA_TYPE_MASK))
			continue;
		if (state->length + step > sizeof(state->bytes))
			errx(MESSAGE_NO_VERDICT, "too much is configured");
		memcpy(&state->bytes[state->length], attr, attr->nla_len);
		state->length += step;
	}
}

static void state_read_one(struct state *state, int fd, int command, uint16_t flags)
{
	static char bytes[ANSWER_BYTES] __attribute__((aligned(NLMSG_ALIGNTO)));
	const struct nlmsghdr *nl;
	struct message msg;
	ssize_t left;

	message_init(&msg, message_find_family(fd), command, MESSAGE_VERSION);
	msg.nl.nlmsg_flags |= flags;
	if (send(fd, &msg, msg.nl.nlmsg_len, 0) < 0)
		err(MESSAGE_NO_VERDICT, "send");
	for (;;) {
		left = recv(fd, bytes, sizeof(bytes), 0);
		if (left < 0)
			err(MESSAGE_NO_VERDICT, "recv");
		for (nl = (void *)bytes; NLMSG_OK(nl, left); nl = NLMSG_NEXT(nl, left)) {
			if (nl->nlmsg_type == NLMSG_ERROR || nl->nlmsg_type == NLMSG_DONE)
				return;
			state_add(state, command, nl);
		}
	}
}

void state_read(struct state *state)
{
	int fd = message_open(NETLINK_GENERIC);

	memset(state, 0, sizeof(*state));
	state_read_one(state, fd, CONGA_CMD_FABRIC_GET, 0);
	state_read_one(state, fd, CONGA_CMD_PORT_GET, NLM_F_DUMP);
	state_read_one(state, fd, CONGA_CMD_LEAF_GET, NLM_F_DUMP);
	state_read_one(state, fd, CONGA_CMD_PATH_GET, NLM_F_DUMP);
	close(fd);
}

bool state_is(const struct state *before)
{
	static struct state now;

	state_read(&now);
	return now.length == before->length && !memcmp(now.bytes, before->bytes, now.length);
}
