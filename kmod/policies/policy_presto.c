// SPDX-License-Identifier: GPL-2.0
/*
 * Presto: round robin per flowcell
 *
 * Goal: near the evenness of round robin per packet with far less reordering: the unit is a
 * flowcell, 64 KB of a flow, the most that a host hands to its NIC at once. Presto keeps no
 * state about the network, so it suits paths that are alike.
 *
 * Mechanism: a flow's packets take one uplink until the next one would make the
 * flowcell larger than its limit; that one starts another flowcell, on the usable
 * uplink that follows by LBTag. A flow starts anywhere. In the paper the receivers' GRO
 * puts flowcells in order again; here TCP does it.
 *
 * Its state per flow is the bytes of the flowcell so far, in one word without a
 * lock: when two CPUs send packets of a flow at the same time, one packet's bytes
 * may be missed. The sum is at most the limit, which has 32 bits, and they are compared in
 * 64 bits.
 *
 * K. He et al., "Presto: Edge-based Load Balancing for Fast Datacenter Networks",
 * SIGCOMM 2015.
 */
#include <linux/compiler.h>

#include "policies/policy.h"

#define CONGA_PRESTO_CELL	65536	/* bytes, the paper's */

static bool conga_policy_presto_goes_on(const struct conga_view *view, u64 bytes)
{
	return bytes <= view->param[0] && view->previous < CONGA_TAGS_MAX &&
	       view->usable & BIT(view->previous);
}

static u8 conga_policy_presto_pick(const struct conga_view *view)
{
	u32 *cell = view->flow;
	u64 bytes = (u64)READ_ONCE(*cell) + view->bytes;

	if (conga_policy_presto_goes_on(view, bytes)) {
		WRITE_ONCE(*cell, bytes);
		return view->previous;
	}
	WRITE_ONCE(*cell, view->bytes);
	return conga_policy_next(view);
}

const struct conga_policy conga_policy_presto = {
	.name		= "presto",
	.summary	= "per 64 KB of a flow, its next uplink in turn (Presto, SIGCOMM 2015)",
	.needs		= CONGA_NEEDS_FLOW | CONGA_NEEDS_RANDOM,
	.flow_size	= sizeof(u32),
	.param		= {
		{ "cell", "bytes of a flowcell", 1500, 16777216, CONGA_PRESTO_CELL },
	},
	.pick		= conga_policy_presto_pick,
};
