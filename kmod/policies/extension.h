/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_POLICY_EXTENSION_H
#define _CONGA_POLICY_EXTENSION_H

/*
 * This is what some policies need beside a choice among uplinks. CONGA needs none of it.
 *
 * HULA decides at every node on the way, by probes that nodes exchange. With TR nodes on
 * the way mark packets with their queues, and leaves store the marks. The layers do that in
 * objects/extension.c (what fabric, ports and leaves keep), control/extension.c (probe.c
 * and delay.c), datapath/extension.h (forward.c and mark.c).
 */
#include <linux/types.h>

struct conga_ahead;

/* What such a policy may look at; a part of struct conga_view */
struct conga_view_extension {
	const struct conga_ahead *ahead; /* of this leaf; NULL: nothing is known; by .absorb */
	void	*shared;	/* of all flows, .shared_size bytes; by .absorb */
	u64	tage;		/* ns; by .absorb */
	bool	asking;		/* no packet is sent: .pick must not change .shared; likewise */
	u8	best;		/* LBTag of the best hop by probes, or NONE; by .probes */
	u16	near;	/* LBTags of hops that are nearly as good, a bit each; likewise */
};

/**
 * struct conga_policy_extension - a part of a policy, all of it optional
 * @transit: it also decides at nodes that VXLAN to leaves only passes
 * @probes: leaves send probes, and nodes hand them on
 * @shared_size: bytes of state that its flows share; with .flow_size
 * @mark: byte 3 of the VXLAN header for a packet that passes this node and came by a port
 *	with this backlog, in bytes, and rate in Mbit/s; byte 3 has no other use then.
 *	NULL: packets are not marked. Any CPU, softirq.
 * @absorb: a packet of the leaf came by our uplink @tag, with this first word; false if
 *	it has no mark. Leaves keep a struct conga_ahead if it is set, and hellos are
 *	timed for it. It needs @mark. Softirq.
 * @flows: the number of flows that it considers active on an uplink, for replies. Any
 *	context; NULL: unknown.
 *
 * The structure is a member of the policy, without a pointer in between, so that a packet
 * reads it as cheaply as any other member.
 */
struct conga_policy_extension {
	bool	transit;
	bool	probes;
	u16	shared_size;
	u8	(*mark)(u32 backlog, u32 mbits);
	bool	(*absorb)(struct conga_ahead *ahead, u8 tag, u32 word, u64 now);
	u32	(*flows)(const void *shared, u8 tag, u64 now, const u32 *param);
};

#endif /* _CONGA_POLICY_EXTENSION_H */
