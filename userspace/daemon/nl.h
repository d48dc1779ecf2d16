/* SPDX-License-Identifier: GPL-2.0 */
/* The daemon has two sockets; these functions send its requests. */
#ifndef CONGA_DAEMON_NL_H
#define CONGA_DAEMON_NL_H

#include "common/netlink.h"

/*
 * Functions that can fail return a status: 0; or negative, the errno with which the
 * kernel rejected the request; or one of these values, if the outcome is unknown.
 * congad_nl_why() has the text.
 */
enum congad_status {
	CONGAD_FAILED = 1,
	CONGAD_INTERRUPTED,	/* things changed while they were read */
};

/* Functions of common/ use this socket for rtnetlink; congad_nl_verdict() takes their result. */
extern struct conga_netlink congad_nl_route;

/* congad_nl_verdict - the status of a request; @err is what the request returned */
int congad_nl_verdict(const struct conga_netlink_answer *answer, int err);

/**
 * congad_nl_ask_conga() - a request to conga's family
 * @msg: of conga_family_message(), is freed; NULL: there was no memory for it
 * @flags: as NLM_F_DUMP
 * @read: is called for each reply; may be NULL
 * @arg: for @read
 * Return: a status.
 */
int congad_nl_ask_conga(struct nl_msg *msg, int flags, conga_netlink_reader *read, void *arg);

/**
 * congad_nl_resolve() - look conga's family up again
 * @config_group: number of the group of changes; 0 if it is not there
 * Return: a status; -ENOENT without the module.
 */
int congad_nl_resolve(int *config_group);

/* congad_nl_why - why the last request failed, valid until the next one */
const char *congad_nl_why(void);

void congad_nl_close(void);

#endif /* CONGA_DAEMON_NL_H */
