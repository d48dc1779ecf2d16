// SPDX-License-Identifier: GPL-2.0
/*
 * The pings of a leaf: an operator orders them, the tick sends them, answers are timed.
 * paper/hello_ping.c has their rules. A leaf has state for them from its first ping on.
 */
#include <linux/ktime.h>
#include <linux/slab.h>

#include "objects/leaf.h"
#include "objects/ping.h"

static bool conga_ping_prepare(struct conga_leaf *leaf)
{
	struct conga_hello_pings *pings;

	if (leaf->pings)
		return true;
	pings = kzalloc(sizeof(*pings), GFP_KERNEL_ACCOUNT);
	spin_lock_bh(&leaf->hello_lock);
	leaf->pings = pings;
	spin_unlock_bh(&leaf->hello_lock);
	return pings;
}

/* conga_ping_order - let the next tick ping the path by @tag; -ENOMEM, or -EBUSY if it was
 * pinged in this hello interval already
 */
int conga_ping_order(struct conga_leaf *leaf, u8 tag)
{
	bool ordered;

	conga_assert_locked(leaf->fabric);
	if (!conga_ping_prepare(leaf))
		return -ENOMEM;
	spin_lock_bh(&leaf->hello_lock);
	ordered = conga_hello_ping_order(leaf->hello, leaf->pings, tag);
	spin_unlock_bh(&leaf->hello_lock);
	return ordered ? 0 : -EBUSY;
}

/* conga_ping_begin - the tick ordered the pings of @pinged */
void conga_ping_begin(struct conga_leaf *leaf, u16 pinged)
{
	lockdep_assert_held(&leaf->hello_lock);
	if (pinged)
		conga_hello_ping_begin(leaf->pings, leaf->hello, pinged);
}

/* conga_ping_asked - the ping by @tag leaves now */
void conga_ping_asked(struct conga_leaf *leaf, u8 tag)
{
	spin_lock(&leaf->hello_lock);
	conga_hello_ping_asked(leaf->pings, tag, ktime_get_ns());
	spin_unlock(&leaf->hello_lock);
}

/* conga_ping_unsent - it could not be sent */
void conga_ping_unsent(struct conga_leaf *leaf, u8 tag)
{
	spin_lock(&leaf->hello_lock);
	conga_hello_ping_unsent(leaf->pings, tag);
	spin_unlock(&leaf->hello_lock);
}

/* conga_ping_answered - an answer came that echoes @echo, a valid nonce */
void conga_ping_answered(struct conga_leaf *leaf, u64 echo)
{
	lockdep_assert_held(&leaf->hello_lock);
	if (leaf->pings)
		conga_hello_ping_answered(leaf->pings, echo, ktime_get_ns());
}

struct conga_ping_look conga_ping_look(struct conga_leaf *leaf, u8 tag)
{
	struct conga_ping_look look = {};
	struct conga_hello_ping *ping;

	spin_lock_bh(&leaf->hello_lock);
	if (leaf->pings) {
		ping = &leaf->pings->path[tag];
		look.sent = ping->sent;
		look.answered = ping->answered;
		look.waits = conga_hello_ping_waits(leaf->hello, leaf->pings, tag);
		look.rtt = look.waits ? 0 : ping->rtt;
	}
	spin_unlock_bh(&leaf->hello_lock);
	return look;
}

/* conga_ping_forget - the LBTag belongs to another uplink now */
void conga_ping_forget(struct conga_leaf *leaf, u8 tag)
{
	spin_lock_bh(&leaf->hello_lock);
	if (leaf->pings)
		conga_hello_ping_forget(leaf->hello, leaf->pings, tag);
	spin_unlock_bh(&leaf->hello_lock);
}
