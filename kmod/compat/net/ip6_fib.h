/* SPDX-License-Identifier: GPL-2.0 */
/* Modules can call fib6_lookup() since 7.1, when IPv6 ceased to be a module. Before, they
 * called it by a table of functions, which answers without IPv6 that there is no route.
 */
#ifndef _CONGA_COMPAT_NET_IP6_FIB_H
#define _CONGA_COMPAT_NET_IP6_FIB_H

#include <linux/version.h>
#include_next <net/ip6_fib.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 1, 0)
#include <net/ipv6_stubs.h>

static inline int conga_compat_fib6_lookup(struct net *net, int oif, struct flowi6 *flow,
					   struct fib6_result *res, int flags)
{
	return ipv6_stub->fib6_lookup(net, oif, flow, res, flags);
}

#define fib6_lookup conga_compat_fib6_lookup
#endif

#endif /* _CONGA_COMPAT_NET_IP6_FIB_H */
