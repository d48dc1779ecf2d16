/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_CONTROL_H
#define _CONGA_CONTROL_H

#include <linux/types.h>

struct conga_control_source;
struct conga_fabric;
struct conga_leaf;
struct conga_params;

/* Softirq or BH disabled, RCU */
void conga_control_receive(const struct conga_control_source *source);
void conga_control_feedback(const struct conga_control_source *source, u64 now);

/* The locks are held, may sleep */
void conga_control_setup(struct conga_fabric *fabric);
void conga_control_start(struct conga_fabric *fabric);
void conga_control_restart(struct conga_fabric *fabric);
void conga_control_settle(struct conga_fabric *fabric);
void conga_control_stop(struct conga_fabric *fabric);
bool conga_control_bye(struct conga_leaf *leaf);
void conga_control_hold_ports(struct conga_fabric *fabric,
			      const struct conga_params *after);
void conga_control_bind_ports(struct conga_fabric *fabric);

#endif /* _CONGA_CONTROL_H */
