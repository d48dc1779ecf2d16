// SPDX-License-Identifier: GPL-2.0
/*
 * Replies are collected and printed only when the kernel has finished, so that a dump
 * that fails or is interrupted prints nothing; a command that streams gets each reply
 * immediately.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/conga.h>
#include <linux/netlink.h>
#include <netlink/errno.h>
#include <netlink/msg.h>
#include "common/family.h"
#include "common/netlink.h"
#include "common/status.h"
#include "tool/grammar.h"
#include "tool/nl.h"
#include "tool/repeat.h"
#include "tool/report.h"

/* A dump that changes interrupt is repeated unless its replies were streamed: this often, which
 * takes a second, or without a limit for repeated output. The pauses double, from 1 ms.
 */
#define CONGA_NL_TRIES		10
#define CONGA_NL_PAUSE_MAX	512	/* ms */
#define CONGA_NL_ROOM_MIN	16

static struct conga_netlink conga_nl_netlink = { .protocol = NETLINK_GENERIC };
static struct conga_family conga_nl_family;

/* These are libnl's own codes, not errno. */
static int conga_nl_failed(int err)
{
	fprintf(stderr, "conga: %s\n", nl_geterror(err));
	return CONGA_REFUSED;
}

void conga_nl_close(void)
{
	conga_netlink_close(&conga_nl_netlink);
}

struct nl_msg *conga_nl_message(const struct conga_command *command)
{
	struct nl_msg *msg = conga_family_message(command->cmd);

	if (!msg)
		conga_nl_failed(-NLE_NOMEM);
	return msg;
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

static int conga_nl_on_reply(struct nl_msg *reply, void *arg)
{
	struct conga_replies *replies = arg;

	if (!replies)
		return 0;
	if (replies->each) {
		replies->each(reply, replies->arg);
		return 0;
	}
	if (replies->count == replies->room && !conga_nl_replies_grow(replies))
		return 1;
	nlmsg_get(reply);
	replies->msgs[replies->count++] = reply;
	return 0;
}

static int conga_nl_try(struct conga_netlink_answer *answer, struct nl_msg *msg, int flags,
			struct conga_replies *replies)
{
	int tries, pause = 1, err;

	for (tries = 1; ; tries++) {
		err = conga_family_request(&conga_nl_family, &conga_nl_netlink, msg, flags,
					   conga_nl_on_reply, replies, answer);
		if (err != -NLE_DUMP_INTR || answer->error || !replies || replies->each)
			return err;
		if (tries >= CONGA_NL_TRIES && !conga_repeat_is_on())
			return err;
		conga_nl_replies_clean(replies);
		conga_repeat_pause(pause);
		if (pause < CONGA_NL_PAUSE_MAX)
			pause *= 2;
	}
}

/* Attributes are only ever added, so another version of the family is incompatible. */
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

/* The request loads the module if possible. */
static int conga_nl_resolve(void)
{
	struct conga_netlink_answer answer;
	int status, err;

	if (conga_nl_family.id)
		return CONGA_OK;
	err = conga_family_resolve(&conga_nl_family, &conga_nl_netlink, &answer);
	if (answer.error == ENOENT) {
		fprintf(stderr,
			"Error: the kernel module conga is not loaded: modprobe conga (it is in the package conga-dkms)\n");
		return CONGA_REFUSED;
	}
	status = err ? conga_nl_failed(err) : conga_nl_check_version(conga_nl_family.version);
	if (status)
		conga_nl_family.id = 0;
	return status;
}

int conga_nl_find_group(enum conga_family_group group, int *number)
{
	int status = conga_nl_resolve();

	if (status)
		return status;
	*number = conga_nl_family.groups[group];
	return *number ? CONGA_OK : conga_nl_failed(-NLE_OBJ_NOTFOUND);
}

/* An incomplete dump is discarded; an interrupted one is complete, but may be inconsistent. */
static int conga_nl_verdict(const struct conga_netlink_answer *answer, int err,
			    struct conga_replies *replies, const struct conga_command *command)
{
	if (replies && (answer->error || (err && err != -NLE_DUMP_INTR)))
		conga_nl_replies_clean(replies);
	if (answer->error) {
		conga_report_error(&answer->extack, answer->error, command);
		return CONGA_REFUSED;
	}
	if (err == -NLE_DUMP_INTR) {
		fputs("Error: the dump was interrupted by changes and may be inconsistent\n",
		      stderr);
		return CONGA_REFUSED;
	}
	if (err)
		return conga_nl_failed(err);
	conga_report_warning(&answer->extack);
	return CONGA_OK;
}

int conga_nl_request(const struct conga_command *command, struct nl_msg *msg, int flags,
		     struct conga_replies *replies, int *error)
{
	struct conga_netlink_answer answer;
	int status, err;

	status = conga_nl_resolve();
	if (status)
		return status;
	err = conga_nl_try(&answer, msg, flags, replies);
	if (error && answer.error == ENOENT) {
		*error = ENOENT;
		return CONGA_REFUSED;
	}
	return conga_nl_verdict(&answer, err, replies, command);
}

int conga_nl_order(const struct conga_command *command, struct nl_msg *msg,
		   bool (*quiet)(int error), int *error)
{
	struct conga_netlink_answer answer;
	int status, err;

	*error = 0;
	status = conga_nl_resolve();
	if (status)
		return status;
	err = conga_nl_try(&answer, msg, 0, NULL);
	if (!answer.error || !quiet(answer.error))
		return conga_nl_verdict(&answer, err, NULL, command);
	*error = answer.error;
	return CONGA_OK;
}

int conga_nl_expect(const struct conga_command *command, struct nl_msg *msg, int refusal,
		    bool *forbidden)
{
	struct conga_netlink_answer answer;
	int status, err;

	status = conga_nl_resolve();
	if (status)
		return status;
	err = conga_nl_try(&answer, msg, 0, NULL);
	*forbidden = answer.error == EPERM;
	return answer.error == refusal || *forbidden ?
		CONGA_OK : conga_nl_verdict(&answer, err, NULL, command);
}
