/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_CONTROL_TICK_H
#define _CONGA_CONTROL_TICK_H

#include <uapi/linux/conga.h>

#include "paper/control_wire.h"

struct conga_control_way;
struct conga_leaf;
struct work_struct;

/* Softirq or BH disabled, RCU */
bool conga_control_emit(const struct conga_control_way *way,
			struct conga_control_payload *payload,
			enum conga_attr_stats counter);
u16 conga_control_uplinks(struct conga_leaf *leaf);

/* Process context */
void conga_control_tick(struct work_struct *work);

#endif /* _CONGA_CONTROL_TICK_H */
