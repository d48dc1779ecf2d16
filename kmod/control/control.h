/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_CONTROL_H
#define _CONGA_CONTROL_H

#include <linux/in6.h>
#include <uapi/linux/conga.h>

#include "paper/control_wire.h"
#include "objects/stats.h"

struct conga_fabric;
struct conga_leaf;
struct conga_packet;
struct conga_params;
struct conga_port;
struct sk_buff;
struct work_struct;

/* A packet from a known leaf that came by a port. */
struct conga_control_source {
	struct conga_fabric		*fabric;
	const struct conga_params	*params;
	struct conga_port		*port;
	struct conga_leaf		*leaf;
	const struct sk_buff		*skb;
	const struct conga_packet	*packet;
	unsigned int			length;	/* behind UDP, if it came joined with others */
};

/* Where a control packet goes. */
struct conga_control_way {
	const struct conga_params	*params;
	struct conga_leaf		*leaf;	/* NULL: whoever is at the port's link */
	struct conga_port		*port;
	struct in6_addr			source;	/* outer; IPv4 mapped, :: to choose */
	__be16				dstport; /* outer; 0: the fabric's first */
	u32				size;	/* of the IP packet, at least; to a leaf */
};

/* control_send.c: softirq or BH disabled, RCU */
int conga_control_send(const struct conga_control_way *way,
		       struct conga_control_payload *payload);
int conga_control_send_link(const struct conga_control_way *way,
			    struct conga_control_payload *payload);
enum conga_attr_stats conga_control_outcome(int err, enum conga_attr_stats sent);
void conga_control_fill(struct conga_control_payload *payload,
			const struct conga_params *params, u8 type);

/* control_tick.c: softirq or BH disabled, RCU */
bool conga_control_emit(const struct conga_control_way *way,
			struct conga_control_payload *payload,
			enum conga_attr_stats counter);
u16 conga_control_uplinks(struct conga_leaf *leaf);
bool conga_control_quiet(const struct conga_leaf *leaf,
			 const struct conga_params *params,
			 struct conga_port *port, u64 now);

/* control_tick.c: process context */
void conga_control_tick(struct work_struct *work);

/* control.c: softirq, RCU */
void conga_control_receive(const struct conga_control_source *source);
bool conga_control_read(const struct conga_control_source *source,
			struct conga_control_payload *payload);
void conga_control_feedback(const struct conga_control_source *source, u64 now);

/* control.c: the locks are held, may sleep */
void conga_control_setup(struct conga_fabric *fabric);
void conga_control_start(struct conga_fabric *fabric);
void conga_control_restart(struct conga_fabric *fabric);
void conga_control_stop(struct conga_fabric *fabric);
bool conga_control_bye(struct conga_leaf *leaf);
void conga_control_hold_ports(struct conga_fabric *fabric,
			      const struct conga_params *after);
void conga_control_bind_ports(struct conga_fabric *fabric);

/* probe.c: softirq, RCU */
void conga_probe_receive(struct conga_control_source *source);

/* probe.c: the locks are held, may sleep */
void conga_probe_setup(struct conga_fabric *fabric);
void conga_probe_restart(struct conga_fabric *fabric);
void conga_probe_stop(struct conga_fabric *fabric);

#endif /* _CONGA_CONTROL_H */
