/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_DELAY_H
#define _CONGA_DELAY_H

#include <linux/types.h>

struct conga_control_source;
struct conga_leaf;
struct conga_params;
struct conga_port;

/* BH disabled, RCU. The second: the leaf's hello_lock is held. */
void conga_delay_asked(struct conga_leaf *leaf, const struct conga_params *params,
		       struct conga_port *port, u64 nonce);
void conga_delay_answered(const struct conga_control_source *source, u64 echo);

#endif /* _CONGA_DELAY_H */
