// SPDX-License-Identifier: GPL-2.0
#include <string.h>
#include <unistd.h>
#include <linux/genetlink.h>
#include <netlink/attr.h>
#include <netlink/errno.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include "common/attr.h"
#include "common/family.h"

static const char *const conga_family_names[CONGA_FAMILY_GROUPS] = {
	[CONGA_FAMILY_CONFIG] = CONGA_MCGRP_CONFIG_NAME,
	[CONGA_FAMILY_STATE] = CONGA_MCGRP_STATE_NAME,
};

static void conga_family_read_group(struct conga_family *family, struct nlattr *group)
{
	struct nlattr *tb[CTRL_ATTR_MCAST_GRP_MAX + 1];
	int i;

	if (nla_parse_nested(tb, CTRL_ATTR_MCAST_GRP_MAX, group, NULL) < 0 ||
	    !tb[CTRL_ATTR_MCAST_GRP_NAME])
		return;
	for (i = 0; i < CONGA_FAMILY_GROUPS; i++)
		if (!nla_strcmp(tb[CTRL_ATTR_MCAST_GRP_NAME], conga_family_names[i]))
			family->groups[i] = conga_attr_number(tb[CTRL_ATTR_MCAST_GRP_ID]);
}

static int conga_family_on_reply(struct nl_msg *reply, void *arg)
{
	struct conga_family *family = arg;
	struct nlattr *tb[CTRL_ATTR_MAX + 1];
	struct nlattr *group;
	int rem;

	if (genlmsg_parse(nlmsg_hdr(reply), 0, tb, CTRL_ATTR_MAX, NULL) < 0 ||
	    !tb[CTRL_ATTR_FAMILY_ID] || !tb[CTRL_ATTR_VERSION])
		return 0;
	family->id = conga_attr_number(tb[CTRL_ATTR_FAMILY_ID]);
	family->version = conga_attr_number(tb[CTRL_ATTR_VERSION]);
	if (tb[CTRL_ATTR_MCAST_GROUPS])
		nla_for_each_nested(group, tb[CTRL_ATTR_MCAST_GROUPS], rem)
			conga_family_read_group(family, group);
	return 0;
}

static struct nl_msg *conga_family_question(void)
{
	struct nl_msg *msg = nlmsg_alloc();

	if (msg && genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, GENL_ID_CTRL, 0, 0,
			       CTRL_CMD_GETFAMILY, 1) &&
	    !nla_put_string(msg, CTRL_ATTR_FAMILY_NAME, CONGA_FAMILY_NAME))
		return msg;
	nlmsg_free(msg);
	return NULL;
}

int conga_family_resolve(struct conga_family *family, struct conga_netlink *netlink,
			 struct conga_netlink_answer *answer)
{
	struct nl_msg *msg = conga_family_question();
	int err;

	memset(family, 0, sizeof(*family));
	err = conga_netlink_request_once(netlink, msg, 0, conga_family_on_reply, family, answer);
	err = conga_netlink_code(answer, err);
	return err || family->id ? err : -NLE_MSGTYPE_NOSUPPORT;
}

struct nl_msg *conga_family_message(int cmd)
{
	struct nl_msg *msg = nlmsg_alloc();

	if (msg && genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, 0, 0, 0, cmd, CONGA_FAMILY_VERSION))
		return msg;
	nlmsg_free(msg);
	return NULL;
}

int conga_family_request(const struct conga_family *family, struct conga_netlink *netlink,
			 struct nl_msg *msg, int flags, conga_netlink_reader *read, void *arg,
			 struct conga_netlink_answer *answer)
{
	if (msg)
		nlmsg_hdr(msg)->nlmsg_type = family->id;
	return conga_netlink_request(netlink, msg, flags, read, arg, answer);
}

bool conga_family_is_loaded(void)
{
	return !access(CONGA_MODULE_PATH, F_OK);
}
