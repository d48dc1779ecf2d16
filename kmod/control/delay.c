// SPDX-License-Identifier: GPL-2.0
/*
 * How long small hellos take by each uplink, there and back. A policy that compares the
 * delays of paths wants to know (TR); for other policies nothing is kept. What is made of
 * the times is ahead.c's.
 */
#include <linux/ktime.h>
#include <linux/spinlock.h>

#include "control/control_read.h"
#include "control/delay.h"
#include "objects/extension.h"
#include "objects/leaf.h"
#include "objects/port.h"
#include "packet/packet.h"
#include "paper/wire.h"

/* Does nothing of ours, nor of what feedback reports, wait on the path by @port? */
static bool conga_delay_is_quiet(const struct conga_leaf *leaf,
				 const struct conga_params *params,
				 struct conga_port *port, u64 now)
{
	return !conga_port_metric(port, now) &&
	       !conga_toleaf_metric(&leaf->to, port->tag, now, params->tage, params->q);
}

/* conga_delay_asked - the hello with this nonce leaves now */
void conga_delay_asked(struct conga_leaf *leaf, const struct conga_params *params,
		       struct conga_port *port, u64 nonce)
{
	struct conga_leaf_ahead *ahead = rcu_dereference(leaf->extension.ahead);
	u64 now = ktime_get_ns();

	if (!ahead)
		return;
	spin_lock(&leaf->hello_lock);
	conga_ahead_asked(&ahead->ahead, nonce, now,
			  conga_delay_is_quiet(leaf, params, port, now));
	spin_unlock(&leaf->hello_lock);
}

/* conga_delay_answered - the answer to the hello with this nonce has come
 *
 * How long did it take? The time counts if, as far as is known by now, nothing waited on
 * the way there, nor, by the answer's stamp, on the way back.
 */
void conga_delay_answered(const struct conga_control_source *source, u64 echo)
{
	struct conga_leaf_ahead *ahead = rcu_dereference(source->leaf->extension.ahead);
	struct conga_port *port;
	struct conga_stamp stamp;
	u64 now = ktime_get_ns();
	bool quiet;

	port = conga_port_uplink(source->fabric, conga_hello_nonce_tag(echo));
	if (!ahead || !port || echo & CONGA_HELLO_LARGE)
		return;
	conga_wire_read(&stamp, source->packet->word, source->params->q);
	quiet = source->port == port && !stamp.ce &&
		conga_delay_is_quiet(source->leaf, source->params, port, now);
	conga_ahead_answered(&ahead->ahead, echo, now, quiet);
}
