/* SPDX-License-Identifier: GPL-2.0 */
/* The header exists since 6.5; before, linux/skbuff.h declared its functions. */
#ifndef _CONGA_COMPAT_NET_GSO_H
#define _CONGA_COMPAT_NET_GSO_H

#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 5, 0)
#include <linux/skbuff.h>
#else
#include_next <net/gso.h>
#endif

#endif /* _CONGA_COMPAT_NET_GSO_H */
