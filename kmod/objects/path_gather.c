// SPDX-License-Identifier: GPL-2.0
/* What path4.c and path6.c find in a search: nexthops of the kernel's decision, used or not. */
#include <net/ip_fib.h>
#include <net/l3mdev.h>

#include "objects/path_dst.h"
#include "objects/path_gather.h"
#include "objects/port.h"

/* conga_path_domain - the L3 master device for the look-up */
s32 conga_path_domain(const struct conga_path_search *search, const struct net_device *dev)
{
	if (search->key->domain == CONGA_PATH_OWN_DOMAIN)
		return l3mdev_master_ifindex_rcu(dev);
	return search->key->domain;
}

/* conga_path_gather - takes the reference of @dst over; @kept is its cookie or its MTU */
void conga_path_gather(struct conga_path_search *search, const struct conga_port *port,
		       struct dst_entry *dst, u32 kept, unsigned int weight)
{
	if (search->nexthops == CONGA_PATH_NEXTHOPS) {
		dst_release(dst);
		return;
	}
	search->nexthop[search->nexthops++] = (struct conga_nexthop) {
		.dst	= dst,
		.cookie	= kept,
		.weight	= clamp(weight, 1U, (unsigned int)U16_MAX),
		.tag	= port->tag,
	};
}

/* conga_path_note - note an unused nexthop of the decision, unless it was gathered */
void conga_path_note(struct conga_path_search *search, const struct fib_nh_common *nhc)
{
	struct conga_path_member member = { .dev = nhc->nhc_dev };
	u8 i;

	if (nhc->nhc_gw_family == AF_INET6)
		member.gateway = ipv6_addr_hash(&nhc->nhc_gw.ipv6);
	else if (nhc->nhc_gw_family == AF_INET)
		member.gateway = (__force u32)nhc->nhc_gw.ipv4;
	for (i = 0; i < search->nexthops; i++)
		if (conga_path_member_is(&member, search->nexthop[i].dst))
			return;
	if (search->members < CONGA_PATH_MEMBERS)
		search->member[search->members++] = member;
}
