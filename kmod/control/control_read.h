/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_CONTROL_READ_H
#define _CONGA_CONTROL_READ_H

#include <linux/types.h>

#include "paper/control_wire.h"
#include "paper/hello_types.h"

struct conga_fabric;
struct conga_leaf;
struct conga_packet;
struct conga_params;
struct conga_port;
struct sk_buff;

/* A packet from a known leaf that came by a port. */
struct conga_control_source {
	struct conga_fabric		*fabric;
	const struct conga_params	*params;
	struct conga_port		*port;
	struct conga_leaf		*leaf;
	const struct sk_buff		*skb;
	const struct conga_packet	*packet;
	u8				ecn;	/* of data: the outer field, as it came */
	unsigned int			length;	/* bytes behind UDP, for a datagram that came
						 * joined with others
						 */
};

/* Softirq or BH disabled, RCU */
u8 conga_control_type(const struct conga_control_source *source);
bool conga_control_read(const struct conga_control_source *source,
			struct conga_control_payload *payload);

/* Any context */
struct conga_hello_terms conga_control_terms(const struct conga_params *params);
struct conga_hello_terms
conga_control_terms_read(const struct conga_control_header *header);

#endif /* _CONGA_CONTROL_READ_H */
