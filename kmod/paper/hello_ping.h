/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_HELLO_PING_H
#define _CONGA_HELLO_PING_H

#include "paper/hello_types.h"

/* The pings of one path, and what is known of the last one */
struct conga_hello_ping {
	u64	round;		/* the nonce of its round; 0: none was sent */
	u64	asked;		/* ns, when it left */
	u64	rtt;		/* ns until its answer came; 0: not answered */
	u32	sent;
	u32	answered;
};

/* The pings of one leaf, by our LBTag. The lock of its hello guards them. */
struct conga_hello_pings {
	struct conga_hello_ping	path[CONGA_TAGS_MAX];
};

bool conga_hello_ping_order(struct conga_hello *hello, const struct conga_hello_pings *pings,
			    u8 tag);
u16 conga_hello_ping_take(struct conga_hello *hello, u16 usable);
void conga_hello_ping_begin(struct conga_hello_pings *pings, const struct conga_hello *hello,
			    u16 pinged);
void conga_hello_ping_asked(struct conga_hello_pings *pings, u8 tag, u64 now);
void conga_hello_ping_unsent(struct conga_hello_pings *pings, u8 tag);
void conga_hello_ping_answered(struct conga_hello_pings *pings, u64 echo, u64 now);
bool conga_hello_ping_waits(const struct conga_hello *hello,
			    const struct conga_hello_pings *pings, u8 tag);
void conga_hello_ping_forget(struct conga_hello *hello, struct conga_hello_pings *pings, u8 tag);

#endif /* _CONGA_HELLO_PING_H */
