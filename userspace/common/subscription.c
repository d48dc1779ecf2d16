// SPDX-License-Identifier: GPL-2.0
/* Events are read here, because libnl does not distinguish a queue overrun from a lack of
 * memory.
 */
#include <errno.h>
#include <sys/socket.h>
#include <linux/netlink.h>
#include <netlink/errno.h>
#include <netlink/msg.h>
#include <netlink/socket.h>
#include "common/subscription.h"

/* This is the size of one read in bytes. An event of conga is far smaller, but a link with many
 * functions may have one as long.
 */
#define CONGA_SUBSCRIPTION_ROOM	32768

/* Exceeds the system's limit if permitted, else uses the limit. */
static void conga_subscription_set_rcvbuf(int fd, int bytes)
{
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)))
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
}

int conga_subscription_open(struct conga_subscription *subscription, int protocol, int bytes)
{
	int err;

	subscription->sock = nl_socket_alloc();
	if (!subscription->sock)
		return -NLE_NOMEM;
	err = nl_connect(subscription->sock, protocol);
	if (err) {
		conga_subscription_close(subscription);
		return err;
	}
	conga_subscription_set_rcvbuf(nl_socket_get_fd(subscription->sock), bytes);
	return 0;
}

int conga_subscription_join(struct conga_subscription *subscription, int group)
{
	return nl_socket_add_membership(subscription->sock, group);
}

int conga_subscription_fd(const struct conga_subscription *subscription)
{
	return nl_socket_get_fd(subscription->sock);
}

static enum conga_subscription_result conga_subscription_none(void)
{
	if (errno == EAGAIN || errno == EINTR)
		return CONGA_SUBSCRIPTION_NONE;
	return errno == ENOBUFS ? CONGA_SUBSCRIPTION_LOST : CONGA_SUBSCRIPTION_FAILED;
}

/* Another process could send here; events come from the kernel, port 0. */
enum conga_subscription_result
conga_subscription_read(struct conga_subscription *subscription,
			void (*handle)(struct nlmsghdr *event, void *arg), void *arg)
{
	static union {
		struct nlmsghdr first;
		char bytes[CONGA_SUBSCRIPTION_ROOM];
	} buffer;
	struct sockaddr_nl from = { 0 };
	socklen_t from_len = sizeof(from);
	struct nlmsghdr *hdr;
	int len;

	len = recvfrom(conga_subscription_fd(subscription), &buffer, sizeof(buffer),
		       MSG_DONTWAIT | MSG_TRUNC, (struct sockaddr *)&from, &from_len);
	if (len < 0)
		return conga_subscription_none();
	if (from.nl_pid)
		return CONGA_SUBSCRIPTION_READ;
	if (len > (int)sizeof(buffer))
		return CONGA_SUBSCRIPTION_LOST;
	for (hdr = &buffer.first; nlmsg_ok(hdr, len); hdr = nlmsg_next(hdr, &len))
		handle(hdr, arg);
	return CONGA_SUBSCRIPTION_READ;
}

void conga_subscription_close(struct conga_subscription *subscription)
{
	nl_socket_free(subscription->sock);
	subscription->sock = NULL;
}
