/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_FAMILY_H
#define _CONGA_FAMILY_H

#include <net/genetlink.h>

/* Multicast groups. */
enum conga_netlink_group {
	CONGA_NETLINK_CONFIG,
	CONGA_NETLINK_STATE,
};

extern struct genl_family conga_netlink_family;

#endif /* _CONGA_FAMILY_H */
