/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_CONFIG_EXTENSION_H
#define _CONGA_CONFIG_EXTENSION_H

struct conga_fabric;
struct conga_params;
struct netlink_ext_ack;

/* The locks are held, may sleep */
int conga_extension_attach(struct conga_fabric *fabric, const struct conga_params *after,
			   struct netlink_ext_ack *extack);
void conga_extension_change(struct conga_fabric *fabric, const struct conga_params *before);

#endif /* _CONGA_CONFIG_EXTENSION_H */
