/* SPDX-License-Identifier: GPL-2.0 */
/* The arithmetic of LIA, apart from sockets: it also runs in userspace. */
#ifndef LIA_WINDOW_H
#define LIA_WINDOW_H

#include <linux/types.h>

/* A subflow that counts: both are at least 1. */
struct lia_flow {
	u32 cwnd;	/* packets */
	u32 rtt;	/* smoothed; all flows have the same unit */
};

#define LIA_FLOWS_MAX	16	/* of a connection; Linux's path manager opens 9 at most */

u32 lia_window(const struct lia_flow *flows, unsigned int count);

#endif
