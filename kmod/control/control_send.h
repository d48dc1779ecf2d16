/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_CONTROL_SEND_H
#define _CONGA_CONTROL_SEND_H

#include <linux/in6.h>
#include <uapi/linux/conga.h>

#include "paper/control_wire.h"

struct conga_leaf;
struct conga_params;
struct conga_port;

/* The destination and the path of a control packet */
struct conga_control_way {
	const struct conga_params	*params;
	struct conga_leaf		*leaf;	/* NULL: all systems at the port's link */
	struct conga_port		*port;
	u8				tag;	/* LBTag of the path, one of an uplink's */
	struct in6_addr			source;	/* outer; IPv4 mapped, :: to choose */
	__be16				dstport; /* outer; 0: the fabric's first */
	u32				size;	/* least size of the IP packet; to a leaf */
};

/* Softirq or BH disabled, RCU */
int conga_control_send(const struct conga_control_way *way,
		       struct conga_control_payload *payload);
int conga_control_send_link(const struct conga_control_way *way,
			    struct conga_control_payload *payload);
enum conga_attr_stats conga_control_outcome(int err, enum conga_attr_stats sent);
void conga_control_fill(struct conga_control_payload *payload,
			const struct conga_params *params, u8 type);

#endif /* _CONGA_CONTROL_SEND_H */
