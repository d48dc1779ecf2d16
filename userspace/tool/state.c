// SPDX-License-Identifier: GPL-2.0
/* The whole state: the fabric, its ports, its leaves and their paths. */
#include <string.h>
#include "tool/tool.h"

/* What "conga OBJECT show" sends, without arguments. */
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

/* Without paths, of which there may be many. The caller cleans, whatever the outcome.
 * *@error is ENOENT without a fabric.
 */
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

/* Likewise. */
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

/* The next of @replies into @attrs; *@next starts at 0. */
bool conga_state_next(const struct conga_object *object, const struct conga_replies *replies,
		      size_t *next, struct nlattr **attrs)
{
	while (*next < replies->count)
		if (!conga_command_parse_reply(object, replies->msgs[(*next)++], attrs))
			return true;
	return false;
}

/* Addresses are a pair of attributes, of which one is there; @a_addr4 is the first. */
bool conga_state_same_addr(struct nlattr **a, int a_addr4, struct nlattr **b, int b_addr4)
{
	int is6 = !a[a_addr4];
	struct nlattr *one = a[a_addr4 + is6], *other = b[b_addr4 + is6];

	return one && other && nla_len(one) == nla_len(other) &&
		!memcmp(nla_data(one), nla_data(other), nla_len(one));
}
