/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_SOURCE_PORT_H
#define _CONGA_SOURCE_PORT_H

#include <linux/types.h>

struct conga_fabric;
struct conga_leaf;
struct conga_params;

/* RCU */
void conga_source_port_range(struct conga_fabric *fabric, const struct conga_params *params);

/* BH disabled, RCU or the locks; takes hello_lock */
void conga_source_port_look(struct conga_leaf *leaf, const struct conga_params *params);

/* The locks are held; may sleep */
void conga_source_port_setup(struct conga_leaf *leaf);
void conga_source_port_refresh(struct conga_fabric *fabric);

#endif /* _CONGA_SOURCE_PORT_H */
