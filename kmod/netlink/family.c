// SPDX-License-Identifier: GPL-2.0
/* The generic netlink family, without its operations, which commands.c adds. */
#include <net/genetlink.h>
#include <uapi/linux/conga.h>

#include "netlink/family.h"

static const struct genl_multicast_group conga_netlink_groups[] = {
	[CONGA_NETLINK_CONFIG]	= { .name = CONGA_MCGRP_CONFIG_NAME },
	[CONGA_NETLINK_STATE]	= { .name = CONGA_MCGRP_STATE_NAME },
};

struct genl_family conga_netlink_family __ro_after_init = {
	.name		= CONGA_FAMILY_NAME,
	.version	= CONGA_FAMILY_VERSION,
	.netnsok	= true,
	.parallel_ops	= true,
	.module		= THIS_MODULE,
	.mcgrps		= conga_netlink_groups,
	.n_mcgrps	= ARRAY_SIZE(conga_netlink_groups),
};
