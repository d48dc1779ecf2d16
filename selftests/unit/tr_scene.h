/* SPDX-License-Identifier: GPL-2.0 */
/* TR: packets of a flow, with the limits that the tests have. */
#ifndef _TR_SCENE_H
#define _TR_SCENE_H

#include "paper/tr.h"

#define LIMIT		100000u
#define RTT		500000u	/* ns */
#define SLOT_NS		(RTT / 4ULL)
#define START		1000000ULL	/* slots */
#define IDLE		20u		/* slots; a flow that sends after more is new */

static inline struct conga_tr_packet packet_of(u64 slot, u8 tag, u32 bytes)
{
	return (struct conga_tr_packet) {
		.slot = slot, .bytes = bytes, .limit = LIMIT, .idle = IDLE, .tag = tag,
	};
}

/* Is the flow short with one more byte? */
static inline bool is_short(const struct conga_tr_flow *flow, u64 slot)
{
	const struct conga_tr_packet packet = packet_of(slot, 0, 1);

	return conga_tr_is_short(flow, &packet);
}

#endif /* _TR_SCENE_H */
