/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_SPEED_H
#define _CONGA_SPEED_H

#include <linux/types.h>

struct conga_fabric;
struct conga_port;

/* The locks are held, may sleep */
int conga_speed_set(struct conga_port *port, u64 rate, u8 source);
void conga_speed_follow(struct conga_port *port);
void conga_speed_start(struct conga_fabric *fabric);
void conga_speed_stop(struct conga_fabric *fabric);

#endif /* _CONGA_SPEED_H */
