/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_HOPS_H
#define _CONGA_HOPS_H

#include <linux/types.h>

struct conga_fabric;
struct conga_port;

/* The locks are held */
void conga_hops_set_tier(struct conga_port *port, u8 tier);
void conga_hops_make(struct conga_fabric *fabric);
void conga_hops_add_port(struct conga_port *port);
void conga_hops_remove_port(struct conga_port *port);

#endif /* _CONGA_HOPS_H */
