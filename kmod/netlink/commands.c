// SPDX-License-Identifier: GPL-2.0
/* The operations of the family: their functions, their attributes and the privileges that
 * they need.
 */
#include <net/genetlink.h>

#include "netlink/commands.h"
#include "netlink/dump.h"
#include "netlink/family.h"
#include "netlink/get.h"
#include "netlink/get_path.h"
#include "netlink/ping_path.h"
#include "netlink/policy_params.h"
#include "netlink/rules.h"
#include "netlink/rules_generated.h"
#include "netlink/set_fabric.h"
#include "netlink/set_leaf.h"
#include "netlink/set_port.h"

/* A change needs CAP_NET_ADMIN. */
#define CONGA_NETLINK_CHANGE(command, handler, attributes, max)		\
	{								\
		.cmd		= (command),				\
		.doit		= (handler),				\
		.policy		= (attributes),				\
		.maxattr	= (max),				\
		.flags		= GENL_UNS_ADMIN_PERM,			\
	}

#define CONGA_NETLINK_READ(command, handler, dumper, attributes, max)	\
	{								\
		.cmd		= (command),				\
		.doit		= (handler),				\
		.dumpit		= (dumper),				\
		.policy		= (attributes),				\
		.maxattr	= (max),				\
	}

static const struct genl_ops conga_netlink_ops[] = {
	CONGA_NETLINK_CHANGE(CONGA_CMD_FABRIC_NEW, conga_netlink_fabric_new,
			     conga_netlink_fabric_new_policy, CONGA_A_FABRIC_MAX),
	CONGA_NETLINK_CHANGE(CONGA_CMD_FABRIC_SET, conga_netlink_fabric_set,
			     conga_netlink_fabric_new_policy, CONGA_A_FABRIC_MAX),
	CONGA_NETLINK_READ(CONGA_CMD_FABRIC_GET, conga_netlink_fabric_get, NULL,
			   conga_netlink_empty_policy, CONGA_NETLINK_NO_ATTRS),
	CONGA_NETLINK_CHANGE(CONGA_CMD_FABRIC_DEL, conga_netlink_fabric_del,
			     conga_netlink_empty_policy, CONGA_NETLINK_NO_ATTRS),
	CONGA_NETLINK_CHANGE(CONGA_CMD_PORT_NEW, conga_netlink_port_new,
			     conga_netlink_port_new_policy, CONGA_A_PORT_MAX),
	CONGA_NETLINK_CHANGE(CONGA_CMD_PORT_SET, conga_netlink_port_set,
			     conga_netlink_port_set_policy, CONGA_A_PORT_MAX),
	CONGA_NETLINK_READ(CONGA_CMD_PORT_GET, conga_netlink_port_get, conga_netlink_port_dump,
			   conga_netlink_port_get_policy, CONGA_A_PORT_MAX),
	CONGA_NETLINK_CHANGE(CONGA_CMD_PORT_DEL, conga_netlink_port_del,
			     conga_netlink_port_del_policy, CONGA_A_PORT_MAX),
	CONGA_NETLINK_CHANGE(CONGA_CMD_LEAF_NEW, conga_netlink_leaf_new,
			     conga_netlink_leaf_new_policy, CONGA_A_LEAF_MAX),
	CONGA_NETLINK_CHANGE(CONGA_CMD_LEAF_SET, conga_netlink_leaf_set,
			     conga_netlink_leaf_new_policy, CONGA_A_LEAF_MAX),
	CONGA_NETLINK_READ(CONGA_CMD_LEAF_GET, conga_netlink_leaf_get, conga_netlink_leaf_dump,
			   conga_netlink_leaf_get_policy, CONGA_A_LEAF_MAX),
	CONGA_NETLINK_CHANGE(CONGA_CMD_LEAF_DEL, conga_netlink_leaf_del,
			     conga_netlink_leaf_del_policy, CONGA_A_LEAF_MAX),
	CONGA_NETLINK_READ(CONGA_CMD_PATH_GET, conga_netlink_path_get, conga_netlink_path_dump,
			   conga_netlink_path_get_policy, CONGA_A_PATH_MAX),
	CONGA_NETLINK_READ(CONGA_CMD_TABLE_GET, NULL, conga_netlink_table_dump,
			   conga_netlink_table_get_policy, CONGA_A_TABLE_MAX),
	{
		.cmd		= CONGA_CMD_FLOWLET_GET,
		.dumpit		= conga_netlink_flowlet_dump,
		.policy		= conga_netlink_flowlet_get_policy,
		.maxattr	= CONGA_A_FLOWLET_MAX,
		.flags		= GENL_UNS_ADMIN_PERM,
	},
	CONGA_NETLINK_CHANGE(CONGA_CMD_FLOWLET_FLUSH, conga_netlink_flowlet_flush,
			     conga_netlink_empty_policy, CONGA_NETLINK_NO_ATTRS),
	CONGA_NETLINK_READ(CONGA_CMD_POLICY_GET, NULL, conga_netlink_policy_dump,
			   conga_netlink_empty_policy, CONGA_NETLINK_NO_ATTRS),
	CONGA_NETLINK_READ(CONGA_CMD_STATS_GET, conga_netlink_stats_get, NULL,
			   conga_netlink_empty_policy, CONGA_NETLINK_NO_ATTRS),
	CONGA_NETLINK_CHANGE(CONGA_CMD_PATH_PING, conga_netlink_path_ping,
			     conga_netlink_path_ping_policy, CONGA_A_PATH_MAX),
};

int __init conga_netlink_init(void)
{
	conga_netlink_policy_init();
	conga_netlink_family.ops = conga_netlink_ops;
	conga_netlink_family.n_ops = ARRAY_SIZE(conga_netlink_ops);
	return genl_register_family(&conga_netlink_family);
}

void conga_netlink_exit(void)
{
	genl_unregister_family(&conga_netlink_family);
}
