/* SPDX-License-Identifier: GPL-2.0 */
/* Kernels before 6.5 have no <net/gso.h>; what it declares is in here. Kernels
 * that have it never look here: this folder comes last on the include path.
 */
#ifndef _CONGA_COMPAT_NET_GSO_H
#define _CONGA_COMPAT_NET_GSO_H

#include <linux/skbuff.h>

#endif /* _CONGA_COMPAT_NET_GSO_H */
