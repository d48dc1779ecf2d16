/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Both programs send requests by these functions: for one answer, or for a dump with a
 * callback. They print nothing.
 */
#ifndef CONGA_COMMON_NETLINK_H
#define CONGA_COMMON_NETLINK_H

#include <stdbool.h>
#include <stddef.h>
#include <netlink/netlink.h>
#include "common/extack.h"

/* The first request opens the socket. */
struct conga_netlink {
	int protocol;		/* NETLINK_* */
	unsigned int patience;	/* seconds to wait for an answer; 0: without a limit */
	struct nl_sock *sock;	/* NULL: not open */
};

/* This is the outcome of a request. */
struct conga_netlink_answer {
	int error;		/* errno with which the kernel rejected it; 0: accepted */
	bool no_memory;		/* for the request, or for a reply in its reader */
	struct conga_extack extack;
};

/* The function is called for each reply; another result than 0 means that there was no memory
 * for the reply, and further replies are not read.
 */
typedef int conga_netlink_reader(struct nl_msg *reply, void *arg);

/* conga_netlink_open - open the socket unless it is open; returns 0, or a negative code of libnl */
int conga_netlink_open(struct conga_netlink *netlink);

void conga_netlink_close(struct conga_netlink *netlink);

/**
 * conga_netlink_request() - send a request, and read all that is answered
 * @netlink: opened if it is not open. After trouble it is closed, so that a late reply is not
 *	     taken for that to the next request.
 * @msg: request with its header; may be sent again. NULL: there was no memory for it.
 * @flags: besides NLM_F_REQUEST and NLM_F_ACK, as NLM_F_DUMP
 * @read: may be NULL, if replies do not matter
 * @arg: for @read
 * @answer: filled, whatever the outcome
 * Return: 0; or a negative code of libnl if the exchange failed: -NLE_DUMP_INTR if objects
 * changed during a dump, whose replies were all read. If the kernel rejected the request, the
 * exchange was a success, and @answer says so.
 */
int conga_netlink_request(struct conga_netlink *netlink, struct nl_msg *msg, int flags,
			  conga_netlink_reader *read, void *arg,
			  struct conga_netlink_answer *answer);

/* conga_netlink_request_once - likewise, and free @msg */
int conga_netlink_request_once(struct conga_netlink *netlink, struct nl_msg *msg, int flags,
			       conga_netlink_reader *read, void *arg,
			       struct conga_netlink_answer *answer);

/* conga_netlink_message - create a request of rtnetlink: @type with the @header of that type,
 * @len bytes; returns NULL without memory
 */
struct nl_msg *conga_netlink_message(int type, const void *header, size_t len);

/* conga_netlink_code - the one code of libnl for an outcome: @err if it is not 0, else that of
 * the error in @answer, else 0
 */
int conga_netlink_code(const struct conga_netlink_answer *answer, int err);

#endif /* CONGA_COMMON_NETLINK_H */
