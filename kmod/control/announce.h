/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_ANNOUNCE_H
#define _CONGA_ANNOUNCE_H

struct conga_control_source;
struct conga_fabric;

/* Softirq or BH disabled, RCU */
void conga_announce_receive(struct conga_control_source *source);

/* Process context */
void conga_announce_tick(struct conga_fabric *fabric);

/* The locks are held */
void conga_announce_forget(struct conga_fabric *fabric);

#endif /* _CONGA_ANNOUNCE_H */
