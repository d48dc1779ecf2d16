// SPDX-License-Identifier: GPL-2.0
/*
 * The round-trip times of small hellos by each uplink. Only a policy that compares the
 * delays of paths (TR) keeps them. ahead.c turns the times into delays.
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

/* Is the path by @port idle, by the port's own metric and by the leaf's feedback? */
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
 * The time counts only if both directions were idle: the forward path by the feedback until
 * now, the reply path by the answer's stamp.
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
