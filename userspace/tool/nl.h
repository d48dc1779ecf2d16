/* SPDX-License-Identifier: GPL-2.0 */
/* These functions send requests to the module, and collect its answers. */
#ifndef CONGA_TOOL_NL_H
#define CONGA_TOOL_NL_H

#include <stdbool.h>
#include <stddef.h>
#include "common/family.h"
#include "tool/grammar.h"

/* Replies start all zero; conga_nl_replies_clean() frees them. */
struct conga_replies {
	struct nl_msg **msgs;
	size_t count;
	size_t room;
	/* If set, it gets each reply immediately, and none is kept. */
	void (*each)(struct nl_msg *reply, void *arg);
	void *arg;
};

/* conga_nl_message - create a request before the socket is opened, so that a usage error needs
 * no module. Returns NULL after an error message if there is no memory.
 */
struct nl_msg *conga_nl_message(const struct conga_command *command);

/**
 * conga_nl_request() - send a request and collect the replies
 * @command: whose request it is
 * @msg: of conga_nl_message(), remains the caller's
 * @flags: as NLM_F_DUMP
 * @replies: the caller cleans whatever the outcome; NULL: none are expected
 * @error: if not NULL, a refusal by ENOENT is returned there and not printed
 * Return: a status.
 */
int conga_nl_request(const struct conga_command *command, struct nl_msg *msg, int flags,
		     struct conga_replies *replies, int *error);

/* conga_nl_order - send a request; a refusal for which @quiet is true is not printed, but returned
 * in *@error, which is 0 otherwise. Returns a status.
 */
int conga_nl_order(const struct conga_command *command, struct nl_msg *msg,
		   bool (*quiet)(int error), int *error);

/* conga_nl_expect - send a request that the kernel must reject; the errno @refusal is the
 * success, and so is EPERM, which sets *@forbidden to true. Returns a status.
 */
int conga_nl_expect(const struct conga_command *command, struct nl_msg *msg, int refusal,
		    bool *forbidden);

void conga_nl_replies_clean(struct conga_replies *replies);

/* conga_nl_find_group - find the current @number of a group of events; returns a status */
int conga_nl_find_group(enum conga_family_group group, int *number);

void conga_nl_close(void);

#endif /* CONGA_TOOL_NL_H */
