// SPDX-License-Identifier: GPL-2.0
/* The kernel answers immediately, and a time limit ensures that the daemon never hangs. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <linux/netlink.h>
#include <netlink/errno.h>
#include <netlink/msg.h>
#include "common/family.h"
#include "daemon/nl.h"

#define CONGAD_NL_PATIENCE_S	5
#define CONGAD_NL_WHY_MAX	256

struct conga_netlink congad_nl_route = {
	.protocol = NETLINK_ROUTE,
	.patience = CONGAD_NL_PATIENCE_S,
};

static struct conga_netlink congad_nl_conga = {
	.protocol = NETLINK_GENERIC,
	.patience = CONGAD_NL_PATIENCE_S,
};

static struct conga_family congad_nl_family;
static char congad_nl_text[CONGAD_NL_WHY_MAX];

const char *congad_nl_why(void)
{
	return congad_nl_text;
}

static int congad_nl_failed(const char *why)
{
	snprintf(congad_nl_text, sizeof(congad_nl_text), "%s", why);
	return CONGAD_FAILED;
}

static int congad_nl_rejected(const struct conga_netlink_answer *answer)
{
	const char *text = answer->extack.text;

	congad_nl_failed(*text ? text : strerror(answer->error));
	return -answer->error;
}

int congad_nl_verdict(const struct conga_netlink_answer *answer, int err)
{
	if (answer->error)
		return congad_nl_rejected(answer);
	if (err == -NLE_DUMP_INTR) {
		congad_nl_failed(nl_geterror(err));
		return CONGAD_INTERRUPTED;
	}
	if (answer->no_memory)
		return congad_nl_failed("out of memory");
	return err ? congad_nl_failed(nl_geterror(err)) : 0;
}

int congad_nl_ask_conga(struct nl_msg *msg, int flags, conga_netlink_reader *read, void *arg)
{
	struct conga_netlink_answer answer;
	int err;

	err = conga_family_request(&congad_nl_family, &congad_nl_conga, msg, flags, read, arg,
				   &answer);
	nlmsg_free(msg);
	return congad_nl_verdict(&answer, err);
}

int congad_nl_resolve(int *config_group)
{
	struct conga_netlink_answer answer;
	int err;

	err = conga_family_resolve(&congad_nl_family, &congad_nl_conga, &answer);
	*config_group = congad_nl_family.groups[CONGA_FAMILY_CONFIG];
	return congad_nl_verdict(&answer, err);
}

void congad_nl_close(void)
{
	conga_netlink_close(&congad_nl_route);
	conga_netlink_close(&congad_nl_conga);
}
