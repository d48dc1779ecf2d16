/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_PING_H
#define _CONGA_PING_H

#include <linux/types.h>

struct conga_leaf;

/* The pings of a path, all of one moment */
struct conga_ping_look {
	u64	rtt;		/* ns, of the last one; 0: it was not answered, or not yet */
	u32	sent;
	u32	answered;
	bool	waits;		/* an answer may still come */
};

/* The locks are held, may sleep */
int conga_ping_order(struct conga_leaf *leaf, u8 tag);

/* The caller holds hello_lock */
void conga_ping_begin(struct conga_leaf *leaf, u16 pinged);
void conga_ping_answered(struct conga_leaf *leaf, u64 echo);

/* BH disabled */
void conga_ping_asked(struct conga_leaf *leaf, u8 tag);
void conga_ping_unsent(struct conga_leaf *leaf, u8 tag);

/* Any context except hard interrupts */
struct conga_ping_look conga_ping_look(struct conga_leaf *leaf, u8 tag);
void conga_ping_forget(struct conga_leaf *leaf, u8 tag);

#endif /* _CONGA_PING_H */
