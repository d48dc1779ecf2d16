// SPDX-License-Identifier: GPL-2.0
/*
 * Requests and replies, on a socket for routes and one for conga.
 *
 * The kernel answers at once, but a time limit makes sure that nothing hangs.
 * After any trouble the socket is opened anew, so that a late reply is not taken
 * for that to the next request.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <linux/netlink.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/socket.h>
#include "daemon/daemon.h"

#define CONGAD_NL_PATIENCE_S	5
#define CONGAD_NL_WHY_MAX	256

static struct nl_sock *congad_nl_route;
static struct nl_sock *congad_nl_conga;
static int congad_nl_family;
static char congad_nl_text[CONGAD_NL_WHY_MAX];

/* One exchange: a request and all that comes back. */
struct congad_exchange {
	congad_nl_reader *read;
	void *arg;
	int error;		/* negative errno, by the kernel's word */
	bool unread;		/* a reply could not be taken */
	bool done;
};

const char *congad_nl_why(void)
{
	return congad_nl_text;
}

static int congad_nl_failed(const char *why)
{
	snprintf(congad_nl_text, sizeof(congad_nl_text), "%s", why);
	return CONGAD_FAILED;
}

/* Strict: a kernel must obey the filters of a dump, or refuse them. */
static void congad_nl_set_options(struct nl_sock *sock)
{
	struct timeval patience = { .tv_sec = CONGAD_NL_PATIENCE_S };
	int fd = nl_socket_get_fd(sock);
	int on = 1;

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	setsockopt(fd, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on));
	setsockopt(fd, SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof(on));
	setsockopt(fd, SOL_NETLINK, NETLINK_GET_STRICT_CHK, &on, sizeof(on));
	nl_socket_enable_msg_peek(sock);
}

static int congad_nl_open(struct nl_sock **sock, int protocol)
{
	int err;

	if (*sock)
		return 0;
	*sock = nl_socket_alloc();
	if (!*sock)
		return congad_nl_failed("out of memory");
	err = nl_connect(*sock, protocol);
	if (err) {
		nl_socket_free(*sock);
		*sock = NULL;
		return congad_nl_failed(nl_geterror(err));
	}
	congad_nl_set_options(*sock);
	return 0;
}

static void congad_nl_drop(struct nl_sock **sock)
{
	nl_socket_free(*sock);
	*sock = NULL;
}

void congad_nl_close(void)
{
	congad_nl_drop(&congad_nl_route);
	congad_nl_drop(&congad_nl_conga);
}

uint32_t congad_nl_u32(const struct nlattr *attr)
{
	return attr && nla_len(attr) >= (int)sizeof(uint32_t) ? nla_get_u32(attr) : 0;
}

static int congad_nl_on_reply(struct nl_msg *msg, void *arg)
{
	struct congad_exchange *exchange = arg;

	if (exchange->read && exchange->read(nlmsg_hdr(msg), exchange->arg))
		exchange->unread = true;
	return NL_OK;
}

/* The sentence of an extended ACK, which begins @offset bytes behind the header. */
static void congad_nl_read_extack(struct nlmsghdr *hdr, int offset)
{
	struct nlattr *tlv[NLMSGERR_ATTR_MAX + 1];

	offset = NLMSG_ALIGN(offset);
	if (!(hdr->nlmsg_flags & NLM_F_ACK_TLVS) || nlmsg_datalen(hdr) < offset)
		return;
	if (nla_parse(tlv, NLMSGERR_ATTR_MAX, (struct nlattr *)((char *)nlmsg_data(hdr) + offset),
		      nlmsg_datalen(hdr) - offset, NULL) < 0)
		return;
	if (tlv[NLMSGERR_ATTR_MSG])
		nla_strlcpy(congad_nl_text, tlv[NLMSGERR_ATTR_MSG], sizeof(congad_nl_text));
}

static void congad_nl_refused(struct congad_exchange *exchange, int error, struct nlmsghdr *hdr,
			      int offset)
{
	exchange->error = error;
	congad_nl_failed(strerror(-error));
	congad_nl_read_extack(hdr, offset);
}

static int congad_nl_on_error(struct sockaddr_nl *from, struct nlmsgerr *err, void *arg)
{
	struct nlmsghdr *hdr = (struct nlmsghdr *)((char *)err - NLMSG_HDRLEN);
	int echo = (hdr->nlmsg_flags & NLM_F_CAPPED) ? 0 : nlmsg_datalen(&err->msg);
	struct congad_exchange *exchange = arg;

	(void)from;
	exchange->done = true;
	congad_nl_refused(exchange, err->error, hdr, sizeof(*err) + echo);
	return NL_SKIP;
}

static int congad_nl_on_ack(struct nl_msg *msg, void *arg)
{
	struct congad_exchange *exchange = arg;

	(void)msg;
	exchange->done = true;
	return NL_SKIP;
}

/* The end of a dump carries its result, negative if it broke off. */
static int congad_nl_on_done(struct nl_msg *msg, void *arg)
{
	struct nlmsghdr *hdr = nlmsg_hdr(msg);
	struct congad_exchange *exchange = arg;
	int result = 0;

	exchange->done = true;
	if (nlmsg_datalen(hdr) >= (int)sizeof(result))
		memcpy(&result, nlmsg_data(hdr), sizeof(result));
	if (result < 0)
		congad_nl_refused(exchange, result, hdr, sizeof(result));
	return NL_SKIP;
}

static struct nl_cb *congad_nl_callbacks(struct congad_exchange *exchange)
{
	struct nl_cb *cb = nl_cb_alloc(NL_CB_DEFAULT);

	if (!cb)
		return NULL;
	nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, congad_nl_on_reply, exchange);
	nl_cb_set(cb, NL_CB_FINISH, NL_CB_CUSTOM, congad_nl_on_done, exchange);
	nl_cb_set(cb, NL_CB_ACK, NL_CB_CUSTOM, congad_nl_on_ack, exchange);
	nl_cb_err(cb, NL_CB_CUSTOM, congad_nl_on_error, exchange);
	return cb;
}

/* Returns a code of libnl: negative if the exchange itself failed. */
static int congad_nl_exchange(struct nl_sock *sock, struct nl_msg *msg,
			      struct congad_exchange *exchange)
{
	struct nl_cb *cb = congad_nl_callbacks(exchange);
	int err;

	if (!cb)
		return -NLE_NOMEM;
	err = nl_send_auto(sock, msg);
	while (err >= 0 && !exchange->done)
		err = nl_recvmsgs(sock, cb);
	nl_cb_put(cb);
	return err;
}

static int congad_nl_verdict(struct nl_sock **sock, const struct congad_exchange *exchange, int err)
{
	if (err < 0 && err != -NLE_DUMP_INTR)
		congad_nl_drop(sock);
	if (exchange->error)
		return exchange->error;
	if (err < 0)
		congad_nl_failed(nl_geterror(err));
	if (err == -NLE_DUMP_INTR)
		return CONGAD_INTERRUPTED;
	if (err < 0)
		return CONGAD_FAILED;
	return exchange->unread ? congad_nl_failed("out of memory") : 0;
}

/* Frees @msg, which may be NULL, whatever the outcome. */
static int congad_nl_ask(struct nl_sock **sock, int protocol, struct nl_msg *msg, int flags,
			 struct congad_exchange *exchange)
{
	int err;

	if (!msg)
		return congad_nl_failed("out of memory");
	err = congad_nl_open(sock, protocol);
	if (!err) {
		nlmsg_hdr(msg)->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | flags;
		err = congad_nl_exchange(*sock, msg, exchange);
		err = congad_nl_verdict(sock, exchange, err);
	}
	nlmsg_free(msg);
	return err;
}

int congad_nl_ask_route(struct nl_msg *msg, int flags, congad_nl_reader *read, void *arg)
{
	struct congad_exchange exchange = { .read = read, .arg = arg };

	return congad_nl_ask(&congad_nl_route, NETLINK_ROUTE, msg, flags, &exchange);
}

int congad_nl_ask_conga(struct nl_msg *msg, int flags, congad_nl_reader *read, void *arg)
{
	struct congad_exchange exchange = { .read = read, .arg = arg };

	return congad_nl_ask(&congad_nl_conga, NETLINK_GENERIC, msg, flags, &exchange);
}

/* congad_nl_resolve - conga's numbers, which a reload of the module changes */
int congad_nl_resolve(int *config_group)
{
	int err = congad_nl_open(&congad_nl_conga, NETLINK_GENERIC);

	if (err)
		return err;
	congad_nl_family = genl_ctrl_resolve(congad_nl_conga, CONGA_FAMILY_NAME);
	*config_group = genl_ctrl_resolve_grp(congad_nl_conga, CONGA_FAMILY_NAME,
					      CONGA_MCGRP_CONFIG_NAME);
	if (congad_nl_family >= 0)
		return 0;
	congad_nl_failed(nl_geterror(congad_nl_family));
	err = congad_nl_family == -NLE_OBJ_NOTFOUND ? -ENOENT : CONGAD_FAILED;
	congad_nl_family = 0;
	return err;
}

struct nl_msg *congad_nl_message(int type, const void *header, size_t len)
{
	struct nl_msg *msg = nlmsg_alloc_simple(type, 0);

	if (!msg || !nlmsg_append(msg, (void *)header, len, NLMSG_ALIGNTO))
		return msg;
	nlmsg_free(msg);
	return NULL;
}

struct nl_msg *congad_nl_message_conga(int cmd)
{
	struct nl_msg *msg = nlmsg_alloc();

	if (msg && genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, congad_nl_family, 0, 0, cmd,
			       CONGA_FAMILY_VERSION))
		return msg;
	nlmsg_free(msg);
	return NULL;
}
