// SPDX-License-Identifier: GPL-2.0
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <linux/netlink.h>
#include <netlink/errno.h>
#include <netlink/handlers.h>
#include <netlink/msg.h>
#include <netlink/socket.h>
#include "common/netlink.h"

/* An exchange is a request and all its replies. */
struct conga_netlink_exchange {
	const struct nlmsghdr *request;
	conga_netlink_reader *read;
	void *arg;
	struct conga_netlink_answer *answer;
	bool done;
};

static void conga_netlink_set(int fd, int option)
{
	int on = 1;

	setsockopt(fd, SOL_NETLINK, option, &on, sizeof(on));
}

/* A kernel that does not know these options reports less, so a failure is ignored. With the
 * strict check a kernel must obey the filters of a dump, or reject them.
 */
static void conga_netlink_set_options(struct conga_netlink *netlink)
{
	struct timeval patience = { .tv_sec = netlink->patience };
	int fd = nl_socket_get_fd(netlink->sock);

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	conga_netlink_set(fd, NETLINK_EXT_ACK);
	conga_netlink_set(fd, NETLINK_CAP_ACK);
	conga_netlink_set(fd, NETLINK_GET_STRICT_CHK);
	nl_socket_enable_msg_peek(netlink->sock);
}

int conga_netlink_open(struct conga_netlink *netlink)
{
	int err;

	if (netlink->sock)
		return 0;
	netlink->sock = nl_socket_alloc();
	if (!netlink->sock)
		return -NLE_NOMEM;
	err = nl_connect(netlink->sock, netlink->protocol);
	if (err) {
		conga_netlink_close(netlink);
		return err;
	}
	conga_netlink_set_options(netlink);
	return 0;
}

void conga_netlink_close(struct conga_netlink *netlink)
{
	nl_socket_free(netlink->sock);
	netlink->sock = NULL;
}

static int conga_netlink_on_reply(struct nl_msg *msg, void *arg)
{
	struct conga_netlink_exchange *exchange = arg;
	struct conga_netlink_answer *answer = exchange->answer;

	if (exchange->read && !answer->no_memory && exchange->read(msg, exchange->arg))
		answer->no_memory = true;
	return NL_OK;
}

static int conga_netlink_on_error(struct sockaddr_nl *from, struct nlmsgerr *err, void *arg)
{
	struct nlmsghdr *hdr = (struct nlmsghdr *)((char *)err - NLMSG_HDRLEN);
	struct conga_netlink_exchange *exchange = arg;

	(void)from;
	exchange->answer->error = -err->error;
	exchange->done = true;
	conga_extack_read_error(&exchange->answer->extack, hdr, exchange->request);
	return NL_SKIP;
}

static int conga_netlink_on_ack(struct nl_msg *msg, void *arg)
{
	struct conga_netlink_exchange *exchange = arg;

	exchange->done = true;
	conga_extack_read_error(&exchange->answer->extack, nlmsg_hdr(msg), exchange->request);
	return NL_SKIP;
}

/* The end of a dump carries its result, which is negative if the dump failed. */
static int conga_netlink_on_done(struct nl_msg *msg, void *arg)
{
	struct conga_netlink_exchange *exchange = arg;
	struct nlmsghdr *hdr = nlmsg_hdr(msg);
	int result;

	exchange->done = true;
	if (nlmsg_datalen(hdr) < (int)sizeof(result))
		return NL_SKIP;
	memcpy(&result, nlmsg_data(hdr), sizeof(result));
	if (result < 0)
		exchange->answer->error = -result;
	conga_extack_read_done(&exchange->answer->extack, hdr, exchange->request);
	return NL_SKIP;
}

static struct nl_cb *conga_netlink_callbacks(struct conga_netlink_exchange *exchange)
{
	struct nl_cb *cb = nl_cb_alloc(NL_CB_DEFAULT);

	if (!cb)
		return NULL;
	nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, conga_netlink_on_reply, exchange);
	nl_cb_set(cb, NL_CB_FINISH, NL_CB_CUSTOM, conga_netlink_on_done, exchange);
	nl_cb_set(cb, NL_CB_ACK, NL_CB_CUSTOM, conga_netlink_on_ack, exchange);
	nl_cb_err(cb, NL_CB_CUSTOM, conga_netlink_on_error, exchange);
	return cb;
}

static int conga_netlink_exchange(struct nl_sock *sock, struct nl_msg *msg,
				  struct conga_netlink_exchange *exchange)
{
	struct nl_cb *cb = conga_netlink_callbacks(exchange);
	int err;

	if (!cb)
		return -NLE_NOMEM;
	nlmsg_hdr(msg)->nlmsg_seq = NL_AUTO_SEQ;
	exchange->request = nlmsg_hdr(msg);
	err = nl_send_auto(sock, msg);
	while (err >= 0 && !exchange->done)
		err = nl_recvmsgs(sock, cb);
	nl_cb_put(cb);
	return err < 0 ? err : 0;
}

int conga_netlink_request(struct conga_netlink *netlink, struct nl_msg *msg, int flags,
			  conga_netlink_reader *read, void *arg,
			  struct conga_netlink_answer *answer)
{
	struct conga_netlink_exchange exchange = { .read = read, .arg = arg, .answer = answer };
	int err;

	memset(answer, 0, sizeof(*answer));
	answer->no_memory = !msg;
	err = msg ? conga_netlink_open(netlink) : -NLE_NOMEM;
	if (err)
		return err;
	nlmsg_hdr(msg)->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | flags;
	err = conga_netlink_exchange(netlink->sock, msg, &exchange);
	if (err && err != -NLE_DUMP_INTR)
		conga_netlink_close(netlink);
	return !err && answer->no_memory ? -NLE_NOMEM : err;
}

int conga_netlink_request_once(struct conga_netlink *netlink, struct nl_msg *msg, int flags,
			       conga_netlink_reader *read, void *arg,
			       struct conga_netlink_answer *answer)
{
	int err = conga_netlink_request(netlink, msg, flags, read, arg, answer);

	nlmsg_free(msg);
	return err;
}

struct nl_msg *conga_netlink_message(int type, const void *header, size_t len)
{
	struct nl_msg *msg = nlmsg_alloc_simple(type, 0);

	if (!msg || !nlmsg_append(msg, (void *)header, len, NLMSG_ALIGNTO))
		return msg;
	nlmsg_free(msg);
	return NULL;
}

int conga_netlink_code(const struct conga_netlink_answer *answer, int err)
{
	return err || !answer->error ? err : -nl_syserr2nlerr(answer->error);
}
