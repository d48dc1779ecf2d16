/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_PROBE_H
#define _CONGA_PROBE_H

#include <linux/types.h>

struct conga_control_source;
struct conga_fabric;

/* Softirq or BH disabled, RCU */
void conga_probe_receive(struct conga_control_source *source);

/* The locks are held, may sleep */
void conga_probe_setup(struct conga_fabric *fabric);
void conga_probe_restart(struct conga_fabric *fabric);
void conga_probe_stop(struct conga_fabric *fabric);

#endif /* _CONGA_PROBE_H */
