// SPDX-License-Identifier: GPL-2.0
#include <stdbool.h>
#include <string.h>
#include <linux/netlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include "common/status.h"
#include "tool/fabric.h"
#include "tool/grammar.h"
#include "tool/leaf.h"
#include "tool/nl.h"
#include "tool/path.h"
#include "tool/port.h"
#include "tool/state.h"

int conga_state_read_object(const struct conga_object *object, int flags,
			    struct conga_replies *replies, int *error)
{
	struct nl_msg *msg = conga_nl_message(object->commands);
	int status;

	if (!msg)
		return CONGA_REFUSED;
	status = conga_nl_request(object->commands, msg, flags, replies, error);
	nlmsg_free(msg);
	return status;
}

int conga_state_read_objects(struct conga_state *state, int *error)
{
	int status;

	status = conga_state_read_object(&conga_fabric_object, 0, &state->fabric, error);
	if (!status)
		status = conga_state_read_object(&conga_port_object, NLM_F_DUMP, &state->ports,
						 error);
	if (!status)
		status = conga_state_read_object(&conga_leaf_object, NLM_F_DUMP, &state->leaves,
						 error);
	return status;
}

int conga_state_read(struct conga_state *state, int *error)
{
	int status = conga_state_read_objects(state, error);

	if (!status)
		status = conga_state_read_object(&conga_path_object, NLM_F_DUMP, &state->paths,
						 error);
	return status;
}

void conga_state_clean(struct conga_state *state)
{
	conga_nl_replies_clean(&state->fabric);
	conga_nl_replies_clean(&state->ports);
	conga_nl_replies_clean(&state->leaves);
	conga_nl_replies_clean(&state->paths);
}

bool conga_state_same_addr(struct nlattr **a, int a_addr4, struct nlattr **b, int b_addr4)
{
	int is6 = !a[a_addr4];
	struct nlattr *one = a[a_addr4 + is6], *other = b[b_addr4 + is6];

	return one && other && nla_len(one) == nla_len(other) &&
		!memcmp(nla_data(one), nla_data(other), nla_len(one));
}
