/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_TR_H
#define _CONGA_TR_H

#include <uapi/linux/conga.h>
#include <linux/atomic.h>
#include <linux/types.h>

#define CONGA_TR_RTT_PARTS	4	/* of an RTT, the grain of activity */
#define CONGA_TR_SLOTS		8	/* of time, a cache line for each uplink */

/* A flow in the table; a flow that never sent is all zero. */
struct conga_tr_flow {
	u64		tnl;	/* ns, of its last packet; READ_ONCE, WRITE_ONCE */
	atomic64_t	word;	/* see tr.c */
};

/* Short flows by uplink and slot of time, see tr.c. */
struct conga_tr_counts {
	atomic64_t	slot[CONGA_TAGS_MAX][CONGA_TR_SLOTS];
};

/* A packet of a flow, which has its uplink. */
struct conga_tr_packet {
	u64	slot;	/* conga_tr_slot() of now */
	u32	bytes;
	u32	limit;	/* from so many bytes on a flow is long */
	u8	tag;
};

u64 conga_tr_slot(u64 now, u32 rtt);
u64 conga_tr_tnl(u64 now, u32 backlog, u32 mbits, u32 queue, u32 delay);
bool conga_tr_is_short(const struct conga_tr_flow *flow, u64 slot, u32 limit);
bool conga_tr_is_counted(const struct conga_tr_flow *flow, u8 tag, u64 slot);
void conga_tr_send(struct conga_tr_flow *flow, struct conga_tr_counts *counts,
		   const struct conga_tr_packet *packet);
u32 conga_tr_short_flows(const struct conga_tr_counts *counts, u8 tag, u64 slot);

#endif /* _CONGA_TR_H */
