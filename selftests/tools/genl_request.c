// SPDX-License-Identifier: GPL-2.0
/*
 * genl_request - one request to the family "conga", attribute by attribute
 *
 * The tool never sends malformed requests, so a test must use this program. It prints the
 * kernel's verdict: "ok", or the name of the error and the sentence of the extended ACK.
 * It exits with 0 if the kernel gave a verdict, else with 2.
 *
 *	genl_request [-d] COMMAND [ATTRIBUTE:TYPE=VALUE]...
 *
 * -d: the request is for a dump.
 * COMMAND and ATTRIBUTE are numbers of linux/conga.h; TYPE is u8, u16, u32,
 * u64, string or hex.
 */
#include <err.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "message.h"

static void print_verdict(const struct message *msg)
{
	const int *error = NLMSG_DATA(&msg->nl);
	bool ended = msg->nl.nlmsg_type == NLMSG_ERROR || msg->nl.nlmsg_type == NLMSG_DONE;

	if (!ended || !*error)
		puts("ok");
	else
		printf("%s: %s\n", strerrorname_np(-*error), message_sentence(msg));
}

int main(int argc, char **argv)
{
	bool dump = argc > 1 && !strcmp(argv[1], "-d");
	struct message msg;
	uint16_t family;
	int fd, i;

	argv += dump;
	argc -= dump;
	if (argc < 2)
		errx(MESSAGE_NO_VERDICT, "[-d] COMMAND [ATTRIBUTE:TYPE=VALUE]...");
	fd = message_open(NETLINK_GENERIC);
	family = message_find_family(fd);
	if (!family)
		errx(MESSAGE_NO_VERDICT, "there is no family %s", MESSAGE_FAMILY);
	message_init(&msg, family, atoi(argv[1]), MESSAGE_VERSION);
	if (dump)
		msg.nl.nlmsg_flags |= NLM_F_DUMP;
	for (i = 2; i < argc; i++)
		message_put_word(&msg, argv[i]);
	message_exchange(fd, &msg);
	print_verdict(&msg);
	close(fd);
	return EXIT_SUCCESS;
}
