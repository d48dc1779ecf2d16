// SPDX-License-Identifier: GPL-2.0
/*
 * The one socket, requests and replies. Replies are collected and printed
 * only when the kernel has finished, so that a dump that fails or is
 * interrupted half-way prints nothing; those of a command that streams are
 * handed on as they come.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <linux/netlink.h>
#include <netlink/socket.h>
#include <netlink/genl/genl.h>
#include <netlink/genl/ctrl.h>
#include "tool/tool.h"

/* A dump that objects keep changing under is asked for again, unless it was handed on:
 * this often, which takes a second, or as long as it takes for what is told again and
 * again. The pauses double, from 1 ms.
 */
#define CONGA_NL_TRIES		10
#define CONGA_NL_PAUSE_MAX	512	/* ms */
#define CONGA_NL_ROOM_MIN	16

static struct nl_sock *conga_nl_sock;
static int conga_nl_family;

/* One exchange: a request and all that comes back. */
struct conga_exchange {
	const struct nlmsghdr *request;
	struct conga_replies *replies;
	struct conga_extack extack;
	int error;		/* errno by the kernel's word */
	bool done;
};

/* These are libnl's own codes, not errno. */
static int conga_nl_failed(int err)
{
	fprintf(stderr, "conga: %s\n", nl_geterror(err));
	return CONGA_REFUSED;
}

static int conga_nl_no_memory(void)
{
	return conga_nl_failed(-NLE_NOMEM);
}

/* A kernel that does not know them says less, so failure is none. */
static void conga_nl_set_options(void)
{
	int fd = nl_socket_get_fd(conga_nl_sock);
	int on = 1;

	setsockopt(fd, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on));
	setsockopt(fd, SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof(on));
}

void conga_nl_close(void)
{
	nl_socket_free(conga_nl_sock);
	conga_nl_sock = NULL;
}

/* Made before the socket is opened, so that a usage error needs no module. */
struct nl_msg *conga_nl_message(const struct conga_command *command)
{
	struct nl_msg *msg = nlmsg_alloc();

	if (msg && genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, 0, 0, 0, command->cmd,
			       CONGA_FAMILY_VERSION))
		return msg;
	nlmsg_free(msg);
	conga_nl_no_memory();
	return NULL;
}

void conga_nl_replies_clean(struct conga_replies *replies)
{
	size_t i;

	for (i = 0; i < replies->count; i++)
		nlmsg_free(replies->msgs[i]);
	free(replies->msgs);
	memset(replies, 0, sizeof(*replies));
}

static bool conga_nl_replies_grow(struct conga_replies *replies)
{
	size_t room = replies->room ? 2 * replies->room : CONGA_NL_ROOM_MIN;
	struct nl_msg **msgs = reallocarray(replies->msgs, room, sizeof(*msgs));

	if (!msgs)
		return false;
	replies->msgs = msgs;
	replies->room = room;
	return true;
}

static int conga_nl_on_reply(struct nl_msg *msg, void *arg)
{
	struct conga_exchange *exchange = arg;
	struct conga_replies *replies = exchange->replies;

	if (!replies)
		return NL_OK;
	if (replies->each) {
		replies->each(msg, replies->arg);
		return NL_OK;
	}
	if (replies->count == replies->room && !conga_nl_replies_grow(replies))
		return -NLE_NOMEM;
	nlmsg_get(msg);
	replies->msgs[replies->count++] = msg;
	return NL_OK;
}

/* The extended ACK of @hdr begins @offset bytes behind its header. */
static void conga_nl_read_extack(struct conga_exchange *exchange, struct nlmsghdr *hdr,
				 int offset)
{
	offset = NLMSG_ALIGN(offset);
	if ((hdr->nlmsg_flags & NLM_F_ACK_TLVS) && nlmsg_datalen(hdr) >= offset)
		conga_extack_parse(&exchange->extack,
				   (struct nlattr *)((char *)nlmsg_data(hdr) + offset),
				   nlmsg_datalen(hdr) - offset, exchange->request);
}

/* Without NLM_F_CAPPED our own request stands between the two. */
static int conga_nl_extack_offset(const struct nlmsghdr *hdr, const struct nlmsgerr *err)
{
	int echo = (hdr->nlmsg_flags & NLM_F_CAPPED) ? 0 : nlmsg_datalen(&err->msg);

	return sizeof(*err) + echo;
}

static int conga_nl_on_error(struct sockaddr_nl *from, struct nlmsgerr *err, void *arg)
{
	struct nlmsghdr *hdr = (struct nlmsghdr *)((char *)err - NLMSG_HDRLEN);
	struct conga_exchange *exchange = arg;

	(void)from;
	exchange->error = -err->error;
	exchange->done = true;
	conga_nl_read_extack(exchange, hdr, conga_nl_extack_offset(hdr, err));
	return NL_SKIP;
}

static int conga_nl_on_ack(struct nl_msg *msg, void *arg)
{
	struct nlmsghdr *hdr = nlmsg_hdr(msg);
	struct conga_exchange *exchange = arg;

	exchange->done = true;
	conga_nl_read_extack(exchange, hdr, conga_nl_extack_offset(hdr, nlmsg_data(hdr)));
	return NL_SKIP;
}

/* The end of a dump carries its result, negative if it broke off. */
static int conga_nl_on_done(struct nl_msg *msg, void *arg)
{
	struct nlmsghdr *hdr = nlmsg_hdr(msg);
	struct conga_exchange *exchange = arg;
	int result;

	exchange->done = true;
	if (nlmsg_datalen(hdr) < (int)sizeof(result))
		return NL_SKIP;
	memcpy(&result, nlmsg_data(hdr), sizeof(result));
	if (result < 0)
		exchange->error = -result;
	conga_nl_read_extack(exchange, hdr, sizeof(result));
	return NL_SKIP;
}

static struct nl_cb *conga_nl_callbacks(struct conga_exchange *exchange)
{
	struct nl_cb *cb = nl_cb_alloc(NL_CB_DEFAULT);

	if (!cb)
		return NULL;
	nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, conga_nl_on_reply, exchange);
	nl_cb_set(cb, NL_CB_FINISH, NL_CB_CUSTOM, conga_nl_on_done, exchange);
	nl_cb_set(cb, NL_CB_ACK, NL_CB_CUSTOM, conga_nl_on_ack, exchange);
	nl_cb_err(cb, NL_CB_CUSTOM, conga_nl_on_error, exchange);
	return cb;
}

/* Returns a code of libnl: negative if the exchange itself failed. */
static int conga_nl_exchange(struct conga_exchange *exchange, struct nl_msg *msg)
{
	struct nl_cb *cb = conga_nl_callbacks(exchange);
	int err;

	if (!cb)
		return -NLE_NOMEM;
	nlmsg_hdr(msg)->nlmsg_seq = NL_AUTO_SEQ;
	exchange->request = nlmsg_hdr(msg);
	err = nl_send_auto(conga_nl_sock, msg);
	while (err >= 0 && !exchange->done)
		err = nl_recvmsgs(conga_nl_sock, cb);
	nl_cb_put(cb);
	return err;
}

static int conga_nl_try(struct conga_exchange *exchange, struct nl_msg *msg,
			struct conga_replies *replies)
{
	int tries, pause = 1, err;

	for (tries = 1; ; tries++) {
		memset(exchange, 0, sizeof(*exchange));
		exchange->replies = replies;
		err = conga_nl_exchange(exchange, msg);
		if (err != -NLE_DUMP_INTR || exchange->error || !replies || replies->each)
			return err;
		if (tries >= CONGA_NL_TRIES && !conga_repeat_is_on())
			return err;
		conga_nl_replies_clean(replies);
		conga_repeat_pause(pause);
		if (pause < CONGA_NL_PAUSE_MAX)
			pause *= 2;
	}
}

static int conga_nl_ask_family(struct conga_replies *replies)
{
	struct nl_msg *msg = nlmsg_alloc();
	struct conga_exchange exchange = { 0 };
	int err = -NLE_NOMEM;

	if (msg && genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, GENL_ID_CTRL, 0,
			       NLM_F_REQUEST | NLM_F_ACK, CTRL_CMD_GETFAMILY, 1) &&
	    !nla_put_string(msg, CTRL_ATTR_FAMILY_NAME, CONGA_FAMILY_NAME))
		err = conga_nl_try(&exchange, msg, replies);
	nlmsg_free(msg);
	if (exchange.error == ENOENT) {
		fprintf(stderr,
			"Error: the kernel module conga is not loaded: modprobe conga (it is in the package conga-dkms)\n");
		return CONGA_REFUSED;
	}
	return err < 0 ? conga_nl_failed(err) : CONGA_OK;
}

/* Attributes are only ever added, so that another version is another language. */
static int conga_nl_check_version(unsigned int version)
{
	bool older = version < CONGA_FAMILY_VERSION;

	if (version == CONGA_FAMILY_VERSION)
		return CONGA_OK;
	fprintf(stderr,
		"Error: the module is %s than this tool, its netlink family has version %u, not %u: update %s\n",
		older ? "older" : "newer", version, CONGA_FAMILY_VERSION,
		older ? "the module (conga-dkms)" : "the tool (conga-tools)");
	return CONGA_REFUSED;
}

/* The question loads the module if it can be loaded. */
static int conga_nl_resolve(void)
{
	struct nlattr *attrs[CTRL_ATTR_MAX + 1] = { NULL };
	struct conga_replies replies = { 0 };
	int status = conga_nl_ask_family(&replies);

	if (!status && replies.count)
		genlmsg_parse(nlmsg_hdr(replies.msgs[0]), 0, attrs, CTRL_ATTR_MAX, NULL);
	if (!status && (!attrs[CTRL_ATTR_FAMILY_ID] || !attrs[CTRL_ATTR_VERSION]))
		status = conga_nl_failed(-NLE_MSGTYPE_NOSUPPORT);
	if (!status) {
		conga_nl_family = conga_print_value(attrs[CTRL_ATTR_FAMILY_ID]);
		status = conga_nl_check_version(conga_print_value(attrs[CTRL_ATTR_VERSION]));
	}
	conga_nl_replies_clean(&replies);
	return status;
}

static int conga_nl_open(void)
{
	int status, err;

	if (conga_nl_sock)
		return CONGA_OK;
	conga_nl_sock = nl_socket_alloc();
	if (!conga_nl_sock)
		return conga_nl_no_memory();
	err = genl_connect(conga_nl_sock);
	if (err) {
		conga_nl_close();
		return conga_nl_failed(err);
	}
	conga_nl_set_options();
	status = conga_nl_resolve();
	if (status)
		conga_nl_close();
	return status;
}

/* The number of the family, or of one of its multicast groups. */
int conga_nl_find_family(int *family)
{
	int status = conga_nl_open();

	*family = conga_nl_family;
	return status;
}

int conga_nl_find_group(const char *name, int *group)
{
	int status = conga_nl_open();

	if (status)
		return status;
	*group = genl_ctrl_resolve_grp(conga_nl_sock, CONGA_FAMILY_NAME, name);
	return *group < 0 ? conga_nl_failed(*group) : CONGA_OK;
}

/* Half a dump is nothing; one that was interrupted is complete, but blurred. */
static int conga_nl_verdict(const struct conga_exchange *exchange, int err,
			    const struct conga_command *command)
{
	if (exchange->replies && (exchange->error || (err < 0 && err != -NLE_DUMP_INTR)))
		conga_nl_replies_clean(exchange->replies);
	if (exchange->error) {
		conga_extack_report(&exchange->extack, exchange->error, command);
		return CONGA_REFUSED;
	}
	if (err == -NLE_DUMP_INTR) {
		fputs("Error: the dump was interrupted by changes and may be inconsistent\n",
		      stderr);
		return CONGA_REFUSED;
	}
	if (err < 0)
		return conga_nl_failed(err);
	conga_extack_warn(&exchange->extack);
	return CONGA_OK;
}

static int conga_nl_prepare(struct nl_msg *msg, int flags)
{
	int status = conga_nl_open();

	nlmsg_hdr(msg)->nlmsg_type = conga_nl_family;
	nlmsg_hdr(msg)->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | flags;
	return status;
}

/*
 * Sends @msg and collects the answer in @replies, which the caller cleans
 * whatever the outcome. With @error, a refusal by ENOENT is returned there
 * and not reported.
 */
int conga_nl_request(const struct conga_command *command, struct nl_msg *msg, int flags,
		     struct conga_replies *replies, int *error)
{
	struct conga_exchange exchange;
	int status, err;

	status = conga_nl_prepare(msg, flags);
	if (status)
		return status;
	err = conga_nl_try(&exchange, msg, replies);
	if (error && exchange.error == ENOENT) {
		*error = ENOENT;
		return CONGA_REFUSED;
	}
	return conga_nl_verdict(&exchange, err, command);
}

/* As a request that the kernel must refuse: with @refusal all is well. */
int conga_nl_expect(const struct conga_command *command, struct nl_msg *msg, int refusal)
{
	struct conga_exchange exchange;
	int status, err;

	status = conga_nl_prepare(msg, 0);
	if (status)
		return status;
	err = conga_nl_try(&exchange, msg, NULL);
	return exchange.error == refusal ? CONGA_OK : conga_nl_verdict(&exchange, err, command);
}
