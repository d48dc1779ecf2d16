// SPDX-License-Identifier: GPL-2.0
#include <netlink/attr.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include "common/addr.h"
#include "common/attr.h"
#include "common/family.h"
#include "daemon/fabric.h"
#include "daemon/nl.h"

static int congad_fabric_compare_port(const void *a, const void *b)
{
	const struct congad_port *first = a, *second = b;

	return first->ifindex - second->ifindex;
}

int congad_fabric_find(void)
{
	return congad_nl_ask_conga(conga_family_message(CONGA_CMD_FABRIC_GET), 0, NULL, NULL);
}

int congad_fabric_add(void)
{
	return congad_nl_ask_conga(conga_family_message(CONGA_CMD_FABRIC_NEW), 0, NULL, NULL);
}

static int congad_fabric_on_fabric(struct nl_msg *reply, void *arg)
{
	struct congad_fabric *fabric = arg;
	struct nlattr *attr;
	int rem;

	nlmsg_for_each_attr(attr, nlmsg_hdr(reply), GENL_HDRLEN, rem)
		if (nla_type(attr) == CONGA_A_FABRIC_DSTPORT &&
		    fabric->dstport_count < CONGA_DSTPORTS_MAX)
			fabric->dstports[fabric->dstport_count++] = conga_attr_number(attr);
	return 0;
}

static int congad_fabric_on_port(struct nl_msg *reply, void *arg)
{
	struct nlattr *tb[CONGA_A_PORT_MAX + 1];
	struct congad_fabric *fabric = arg;
	struct congad_port port;

	if (genlmsg_parse(nlmsg_hdr(reply), 0, tb, CONGA_A_PORT_MAX, NULL) < 0)
		return 0;
	port.ifindex = conga_attr_number(tb[CONGA_A_PORT_IFINDEX]);
	port.role = conga_attr_number(tb[CONGA_A_PORT_ROLE]);
	port.rate = conga_attr_number(tb[CONGA_A_PORT_RATE]);
	port.rate_source = conga_attr_number(tb[CONGA_A_PORT_RATE_SOURCE]);
	port.is_auto = conga_attr_number(tb[CONGA_A_PORT_ORIGIN]) == CONGA_ORIGIN_AUTO;
	return conga_array_add(&fabric->ports, &port);
}

static int congad_fabric_on_leaf(struct nl_msg *reply, void *arg)
{
	struct nlattr *tb[CONGA_A_LEAF_MAX + 1];
	struct congad_fabric *fabric = arg;
	struct congad_leaf leaf;

	if (genlmsg_parse(nlmsg_hdr(reply), 0, tb, CONGA_A_LEAF_MAX, NULL) < 0 ||
	    (!conga_addr_read(tb[CONGA_A_LEAF_ADDR4], &leaf.addr) &&
	     !conga_addr_read(tb[CONGA_A_LEAF_ADDR6], &leaf.addr)))
		return 0;
	leaf.is_auto = conga_attr_number(tb[CONGA_A_LEAF_ORIGIN]) == CONGA_ORIGIN_AUTO;
	return conga_array_add(&fabric->leaves, &leaf);
}

int congad_fabric_read(struct congad_fabric *fabric)
{
	int err;

	*fabric = (struct congad_fabric) {
		.ports = CONGA_ARRAY(struct congad_port, congad_fabric_compare_port),
		.leaves = CONGA_ARRAY(struct congad_leaf, conga_addr_compare),
	};
	err = congad_nl_ask_conga(conga_family_message(CONGA_CMD_FABRIC_GET), 0,
				  congad_fabric_on_fabric, fabric);
	if (!err)
		err = congad_nl_ask_conga(conga_family_message(CONGA_CMD_PORT_GET), NLM_F_DUMP,
					  congad_fabric_on_port, fabric);
	if (!err)
		err = congad_nl_ask_conga(conga_family_message(CONGA_CMD_LEAF_GET), NLM_F_DUMP,
					  congad_fabric_on_leaf, fabric);
	conga_array_sort(&fabric->ports);
	conga_array_sort(&fabric->leaves);
	return err;
}

void congad_fabric_clean(struct congad_fabric *fabric)
{
	conga_array_clean(&fabric->ports);
	conga_array_clean(&fabric->leaves);
}

/* A request has room for all these attributes. */
static struct nl_msg *congad_fabric_message_port(int cmd, int ifindex)
{
	struct nl_msg *msg = conga_family_message(cmd);

	if (!msg)
		return NULL;
	nla_put_u32(msg, CONGA_A_PORT_IFINDEX, ifindex);
	nla_put_u32(msg, CONGA_A_PORT_ORIGIN, CONGA_ORIGIN_AUTO);
	return msg;
}

static struct nl_msg *congad_fabric_message_leaf(int cmd, const struct in6_addr *addr)
{
	struct nl_msg *msg = conga_family_message(cmd);

	if (!msg)
		return NULL;
	conga_addr_put(msg, CONGA_A_LEAF_ADDR4, CONGA_A_LEAF_ADDR6, addr);
	nla_put_u32(msg, CONGA_A_LEAF_ORIGIN, CONGA_ORIGIN_AUTO);
	return msg;
}

int congad_fabric_port_add(int ifindex, enum conga_role role, unsigned long long rate)
{
	struct nl_msg *msg = congad_fabric_message_port(CONGA_CMD_PORT_NEW, ifindex);

	if (msg)
		nla_put_u32(msg, CONGA_A_PORT_ROLE, role);
	if (msg && rate)
		nla_put_u64(msg, CONGA_A_PORT_RATE, rate);
	return congad_nl_ask_conga(msg, 0, NULL, NULL);
}

int congad_fabric_port_set_rate(int ifindex, unsigned long long rate)
{
	struct nl_msg *msg = congad_fabric_message_port(CONGA_CMD_PORT_SET, ifindex);

	if (msg)
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
