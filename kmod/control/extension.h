/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_CONTROL_EXTENSION_H
#define _CONGA_CONTROL_EXTENSION_H

struct conga_control_source;
struct conga_fabric;

/* Softirq, RCU */
void conga_extension_receive(struct conga_control_source *source);

/* The locks are held, may sleep */
void conga_extension_setup(struct conga_fabric *fabric);
void conga_extension_restart(struct conga_fabric *fabric);
void conga_extension_stop(struct conga_fabric *fabric);

#endif /* _CONGA_CONTROL_EXTENSION_H */
