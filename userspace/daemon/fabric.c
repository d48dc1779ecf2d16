// SPDX-License-Identifier: GPL-2.0
/* conga's netlink family: what exists; add and remove, as a daemon. */
#include <errno.h>
#include <netlink/genl/genl.h>
#include "daemon/daemon.h"

static int congad_port_compare(const void *a, const void *b)
{
	const struct congad_port *first = a, *second = b;

	return first->ifindex - second->ifindex;
}

/* congad_fabric_find - 0: there is one; -ENOENT: none, or not even the module */
int congad_fabric_find(void)
{
	return congad_nl_ask_conga(congad_nl_message_conga(CONGA_CMD_FABRIC_GET), 0, NULL, NULL);
}

int congad_fabric_add(void)
{
	return congad_nl_ask_conga(congad_nl_message_conga(CONGA_CMD_FABRIC_NEW), 0, NULL, NULL);
}

static int congad_fabric_on_port(struct nlmsghdr *hdr, void *arg)
{
	struct nlattr *tb[CONGA_A_PORT_MAX + 1];
	struct congad_fabric *fabric = arg;
	struct congad_port port;

	if (genlmsg_parse(hdr, 0, tb, CONGA_A_PORT_MAX, NULL) < 0)
		return 0;
	port.ifindex = congad_nl_u32(tb[CONGA_A_PORT_IFINDEX]);
	port.role = congad_nl_u32(tb[CONGA_A_PORT_ROLE]);
	port.is_auto = congad_nl_u32(tb[CONGA_A_PORT_ORIGIN]) == CONGA_ORIGIN_AUTO;
	return congad_array_add(&fabric->ports, &port);
}

static int congad_fabric_on_leaf(struct nlmsghdr *hdr, void *arg)
{
	struct nlattr *tb[CONGA_A_LEAF_MAX + 1];
	struct congad_fabric *fabric = arg;
	struct congad_leaf leaf;

	if (genlmsg_parse(hdr, 0, tb, CONGA_A_LEAF_MAX, NULL) < 0 ||
	    (!congad_addr_read(tb[CONGA_A_LEAF_ADDR4], &leaf.addr) &&
	     !congad_addr_read(tb[CONGA_A_LEAF_ADDR6], &leaf.addr)))
		return 0;
	leaf.is_auto = congad_nl_u32(tb[CONGA_A_LEAF_ORIGIN]) == CONGA_ORIGIN_AUTO;
	return congad_array_add(&fabric->leaves, &leaf);
}

/* congad_fabric_read - its ports and leaves; the caller cleans whatever the outcome */
int congad_fabric_read(struct congad_fabric *fabric)
{
	int err;

	*fabric = (struct congad_fabric) {
		.ports = CONGAD_ARRAY(struct congad_port, congad_port_compare),
		.leaves = CONGAD_ARRAY(struct congad_leaf, congad_addr_compare),
	};
	err = congad_nl_ask_conga(congad_nl_message_conga(CONGA_CMD_PORT_GET), NLM_F_DUMP,
				  congad_fabric_on_port, fabric);
	if (!err)
		err = congad_nl_ask_conga(congad_nl_message_conga(CONGA_CMD_LEAF_GET), NLM_F_DUMP,
					  congad_fabric_on_leaf, fabric);
	congad_array_sort(&fabric->ports);
	congad_array_sort(&fabric->leaves);
	return err;
}

void congad_fabric_clean(struct congad_fabric *fabric)
{
	congad_array_clean(&fabric->ports);
	congad_array_clean(&fabric->leaves);
}

/* A request has room for all these attributes. */
static struct nl_msg *congad_fabric_message_port(int cmd, int ifindex)
{
	struct nl_msg *msg = congad_nl_message_conga(cmd);

	if (!msg)
		return NULL;
	nla_put_u32(msg, CONGA_A_PORT_IFINDEX, ifindex);
	nla_put_u32(msg, CONGA_A_PORT_ORIGIN, CONGA_ORIGIN_AUTO);
	return msg;
}

static struct nl_msg *congad_fabric_message_leaf(int cmd, const struct in6_addr *addr)
{
	struct nl_msg *msg = congad_nl_message_conga(cmd);

	if (!msg)
		return NULL;
	congad_addr_put(msg, CONGA_A_LEAF_ADDR4, CONGA_A_LEAF_ADDR6, addr);
	nla_put_u32(msg, CONGA_A_LEAF_ORIGIN, CONGA_ORIGIN_AUTO);
	return msg;
}

/* @rate 0: the link's speed, if it tells one */
int congad_fabric_port_add(int ifindex, enum conga_role role, unsigned long long rate)
{
	struct nl_msg *msg = congad_fabric_message_port(CONGA_CMD_PORT_NEW, ifindex);

	if (msg)
		nla_put_u32(msg, CONGA_A_PORT_ROLE, role);
	if (msg && rate)
		nla_put_u64(msg, CONGA_A_PORT_RATE, rate);
	return congad_nl_ask_conga(msg, 0, NULL, NULL);
}

int congad_fabric_port_del(int ifindex)
{
	return congad_nl_ask_conga(congad_fabric_message_port(CONGA_CMD_PORT_DEL, ifindex), 0,
				   NULL, NULL);
}

int congad_fabric_leaf_add(const struct in6_addr *addr)
{
	return congad_nl_ask_conga(congad_fabric_message_leaf(CONGA_CMD_LEAF_NEW, addr), 0,
				   NULL, NULL);
}

int congad_fabric_leaf_del(const struct in6_addr *addr)
{
	return congad_nl_ask_conga(congad_fabric_message_leaf(CONGA_CMD_LEAF_DEL, addr), 0,
				   NULL, NULL);
}
