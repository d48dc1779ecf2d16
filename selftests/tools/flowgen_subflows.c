// SPDX-License-Identifier: GPL-2.0
/* Subflows of multipath TCP: all are open before the first transfer. */
#include <errno.h>
#include <linux/mptcp.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "flowgen.h"

#ifndef SOL_MPTCP
#define SOL_MPTCP	284
#endif

#define GREETING_MS	20000
#define SETTLE_US	1000000	/* many round trips, and SYNs that were lost once */

__u64 n_subflows;		/* beside the first of each connection */

/* Linux requests further subflows when a connection's first data arrive. */
static void conn_greet(const struct conn *c)
{
	struct pollfd pfd = { .fd = c->tx_fd, .events = POLLIN };
	char byte = 0;

	if (send(c->rx_fd, &byte, 1, MSG_NOSIGNAL) != 1 || poll(&pfd, 1, GREETING_MS) != 1 ||
	    recv(c->tx_fd, &byte, 1, 0) != 1)
		die(EXIT_RUNTIME, "no byte gets from \"%s\" to \"%s\"", c->to->ns,
		    c->from->ns);
}

/* The accepting end counts the subflows that are up, and the other end those that it
 * requested.
 */
static __u8 conn_subflows(const struct conn *c)
{
	struct mptcp_info info = { 0 };
	socklen_t len = sizeof(info);

	if (getsockopt(c->rx_fd, SOL_MPTCP, MPTCP_INFO, &info, &len) && errno != EOPNOTSUPP)
		die(EXIT_RUNTIME, "cannot read MPTCP_INFO: %s", strerror(errno));
	return info.mptcpi_subflows;
}

void subflows_open(void)
{
	__u32 i;

	for (i = 0; i < n_conns && !interrupted; i++)
		conn_greet(&conns[i]);
	usleep(SETTLE_US);
	for (i = 0; i < n_conns; i++)
		n_subflows += conn_subflows(&conns[i]);
}
