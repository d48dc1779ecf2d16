// SPDX-License-Identifier: GPL-2.0
/*
 * What is ahead of an uplink: the queue of the box behind it, and the delay of the path
 *
 * Goal: the terms sql/sqw and pd of TR's Time to Next Leaf (policy_tr.c).
 *
 * Queue: a packet of the leaf that came to us by an uplink came to the box behind it by
 * that port by which our packets leave it towards the leaf; what waited there when it
 * passed is what it says. So it is known by our uplink, and by the leaf. It ages as
 * metrics do (toleaf.c): by an eighth of full scale, four codes, per Tage, which is a
 * quarter of the time.
 *
 * Delay: half of what a hello and its answer take, which go by one uplink, to and fro.
 * Only where the path was quiet at both ends, and not if two hellos of a round went by
 * the same uplink, so that it is not known which one was answered; full-size ones are
 * never timed. Of what a queue or a busy processor added now and then, the minimum over 8
 * to 16 measurements is free; so many it takes, too, until a path that became longer is
 * known as such.
 *
 * A delay is at most 2^32 - 1 ns; 0 is "not known", so that the least is 1.
 */
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/minmax.h>

#include "paper/ahead.h"
#include "paper/hello.h"
#include "paper/queue.h"
#include "paper/wire.h"

/* conga_ahead_learn - a packet came by @tag; false if it tells of no queue. Softirq */
bool conga_ahead_learn(struct conga_ahead *ahead, u8 tag, u32 word, u64 now)
{
	if (!conga_wire_has_queue(word))
		return false;
	conga_toleaf_learn(&ahead->queue, tag, conga_wire_queue_code(word), now);
	return true;
}

/* conga_ahead_queue - ns until it will have been sent, aged; 0 if nothing is known */
u32 conga_ahead_queue(const struct conga_ahead *ahead, u8 tag, u64 now, u64 tage)
{
	if (!(READ_ONCE(ahead->queue.loaded) & BIT(tag)))
		return 0;
	return conga_queue_ns(conga_toleaf_metric(&ahead->queue, tag, now, tage,
						  CONGA_QUEUE_BITS));
}

/* conga_ahead_asked - a hello with @nonce leaves; it is timed if its path is quiet */
void conga_ahead_asked(struct conga_ahead *ahead, u64 nonce, u64 now, bool quiet)
{
	u64 round = nonce & ~CONGA_HELLO_WAY_MASK;
	u8 tag = conga_hello_nonce_tag(nonce);

	if (round != ahead->round) {
		ahead->round = round;
		ahead->asked = 0;
	}
	ahead->sent[tag] = quiet && !(ahead->asked & BIT(tag)) ? now : 0;
	ahead->asked |= BIT(tag);
}

static void conga_ahead_note(struct conga_ahead *ahead, u8 tag, u32 delay)
{
	u32 least = ahead->least[0][tag];

	if (ahead->measured[tag] == CONGA_AHEAD_WINDOW) {
		WRITE_ONCE(ahead->least[1][tag], least);
		ahead->measured[tag] = 0;
	}
	if (!ahead->measured[tag]++ || delay < least)
		WRITE_ONCE(ahead->least[0][tag], delay);
}

/* conga_ahead_answered - an answer came that echoes @echo, over a path that was quiet or
 * was not
 */
void conga_ahead_answered(struct conga_ahead *ahead, u64 echo, u64 now, bool quiet)
{
	u8 tag = conga_hello_nonce_tag(echo);
	u64 sent = ahead->sent[tag];

	if ((echo & ~CONGA_HELLO_WAY_MASK) != ahead->round ||
	    !(ahead->asked & BIT(tag)) || !sent)
		return;
	ahead->sent[tag] = 0;
	if (quiet && now >= sent)
		conga_ahead_note(ahead, tag,
				 clamp_t(u64, (now - sent) / 2, 1, U32_MAX));
}

/* conga_ahead_delay - ns, one way; 0 if not known. Any CPU */
u32 conga_ahead_delay(const struct conga_ahead *ahead, u8 tag)
{
	u32 now = READ_ONCE(ahead->least[0][tag]);
	u32 before = READ_ONCE(ahead->least[1][tag]);

	return now && before ? min(now, before) : now + before;
}

/* conga_ahead_forget - the LBTag is another uplink's */
void conga_ahead_forget(struct conga_ahead *ahead, u8 tag)
{
	WRITE_ONCE(ahead->queue.heard[tag], 0);
	WRITE_ONCE(ahead->least[0][tag], 0);
	WRITE_ONCE(ahead->least[1][tag], 0);
	ahead->sent[tag] = 0;
	ahead->measured[tag] = 0;
}
