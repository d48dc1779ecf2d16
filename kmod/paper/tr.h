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

/* A packet of at most so many bytes has no data, as TCP's acknowledgements: IPv6, UDP and
 * VXLAN, then Ethernet, IPv6, and TCP with all options.
 */
#define CONGA_TR_EMPTY		(40 + 8 + 8 + 14 + 40 + 60)

/* A packet of a flow */
struct conga_tr_packet {
	u64	slot;	/* conga_tr_slot() of now */
	u32	bytes;
	u32	limit;	/* a flow that has sent more bytes is long */
	u32	idle;	/* slots without a packet, after which a flow is new */
	u8	tag;	/* its uplink; conga_tr_send() only */
};

/* conga_tr_has_data - does the packet have more than headers? */
static inline bool conga_tr_has_data(u32 bytes)
{
	return bytes > CONGA_TR_EMPTY;
}

u64 conga_tr_slot(u64 now, u32 rtt);
u64 conga_tr_wait(u32 backlog, u32 mbits, u32 queue);
u32 conga_tr_idle(u32 idle, u32 rtt);
bool conga_tr_is_short(const struct conga_tr_flow *flow,
		       const struct conga_tr_packet *packet);
bool conga_tr_is_counted(const struct conga_tr_flow *flow, u8 tag, u64 slot);
void conga_tr_send(struct conga_tr_flow *flow, struct conga_tr_counts *counts,
		   const struct conga_tr_packet *packet);
u32 conga_tr_short_flows(const struct conga_tr_counts *counts, u8 tag, u64 slot);

#endif /* _CONGA_TR_H */
