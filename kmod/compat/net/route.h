/* SPDX-License-Identifier: GPL-2.0 */
/* Up to 6.10 IPv4 routes by three bits of the DSCP, later by all of it; later still a
 * look-up has a type of its own for the DSCP.
 */
#ifndef _CONGA_COMPAT_NET_ROUTE_H
#define _CONGA_COMPAT_NET_ROUTE_H

#include_next <net/route.h>

#ifdef IPTOS_RT_MASK
#define CONGA_ROUTE_DSCP_MASK	IPTOS_RT_MASK
#else
#define CONGA_ROUTE_DSCP_MASK	INET_DSCP_MASK
#endif

static inline void conga_route_set_dscp(struct flowi4 *flow, u8 tos)
{
#ifdef flowi4_dscp
	flow->flowi4_dscp = inet_dsfield_to_dscp(tos);
#else
	flow->flowi4_tos = tos;
#endif
}

#endif /* _CONGA_COMPAT_NET_ROUTE_H */
