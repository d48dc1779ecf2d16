/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_CHANGE_H
#define _CONGA_CHANGE_H

#include <linux/types.h>

struct conga_fabric;
struct conga_leaf;
struct conga_params;
struct netlink_ext_ack;

/* The locks are held, may sleep */
int conga_change_params(struct conga_fabric *fabric, const struct conga_params *after,
			struct netlink_ext_ack *extack);
void conga_change_leaf(struct conga_leaf *leaf, u8 mode, u8 origin);

/* The locks are held; may sleep */
void conga_change_tags(struct conga_fabric *fabric);

#endif /* _CONGA_CHANGE_H */
