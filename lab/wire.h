/* SPDX-License-Identifier: GPL-2.0 */
/* What the qdisc and the sampler share. */
#ifndef WIRE_H
#define WIRE_H

#include <linux/list.h>
#include <net/pkt_sched.h>
#include "sch_wire.h"

/* What a sample holds. Both at one moment: what has left the buffer by then is
 * the difference. Modulo 2^32; the reader knows that a link is not that fast.
 */
struct wire_sample {
	u32 backlog;	/* bytes */
	u32 accepted;	/* bytes */
};

struct wire {
	/* Parameters: constant from init on. */
	u64 rate;	/* bit/s */
	u64 byte_ps;	/* ps that a byte takes, if they are whole; or 0 */
	u64 delay;	/* ns */
	u32 limit;	/* bytes */
	u32 mark;	/* bytes, U32_MAX: never */
	bool quiet;	/* the backlog is computed only for dumps and samples */
	char name[WIRE_NAME_MAX];

	/* Variables: under the qdisc's lock. */
	u64 busy;	/* ps: when the last bit that was accepted leaves */
	u64 accepted;	/* bytes */
	struct sk_buff *waiting;	/* the first that has not left yet; behind it all others */
	struct qdisc_watchdog watchdog;

	/* The sampler's, under its lock. */
	struct list_head list;
	struct wire_sample *samples;
};

u32 wire_backlog(const struct wire *wire, u64 now);

void wire_sampler_add(struct wire *wire);
void wire_sampler_del(struct wire *wire);
int wire_sampler_init(void);
void wire_sampler_exit(void);

#endif
