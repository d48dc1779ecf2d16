// SPDX-License-Identifier: GPL-2.0
/*
 * conntrack_flush - forget all connections of a network namespace
 *
 *	conntrack_flush NETNS
 *
 * As "conntrack -F" does, which is not installed everywhere.
 */
#include <err.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_conntrack.h>
#include <linux/netlink.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "netns.h"

int main(int argc, char **argv)
{
	struct {
		struct nlmsghdr		nl;
		struct nfgenmsg		nf;
	} request = {
		.nl = {
			.nlmsg_len	= sizeof(request),
			.nlmsg_type	= NFNL_SUBSYS_CTNETLINK << 8 | IPCTNL_MSG_CT_DELETE,
			.nlmsg_flags	= NLM_F_REQUEST | NLM_F_ACK,
		},
	};
	struct {
		struct nlmsghdr		nl;
		struct nlmsgerr		error;
		char			rest[128];
	} answer;
	int fd;

	if (argc != 2)
		errx(EXIT_FAILURE, "Usage: conntrack_flush NETNS");
	enter_netns(argv[1]);
	fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_NETFILTER);
	if (fd < 0 || send(fd, &request, sizeof(request), 0) != sizeof(request) ||
	    recv(fd, &answer, sizeof(answer), 0) < (ssize_t)NLMSG_LENGTH(sizeof(answer.error)))
		err(EXIT_FAILURE, "netlink");
	if (answer.nl.nlmsg_type != NLMSG_ERROR || answer.error.error)
		errx(EXIT_FAILURE, "not flushed: %s", strerror(-answer.error.error));
	return EXIT_SUCCESS;
}
