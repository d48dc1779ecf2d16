// SPDX-License-Identifier: GPL-2.0
/*
 * The queue at the node behind an uplink, and the delay of the path
 *
 * Goal: the terms sql/sqw and pd of TR's Time to Next Leaf (policy_tr.c).
 *
 * Queue: our packets leave the node behind an uplink towards the leaf by one port. The
 * leaf's packets reach that node by the same port, and their mark is the queue that waited
 * there when they passed. The table has one queue for each of our uplinks and each leaf. A
 * queue ages as metrics do (toleaf.c): by an eighth of full scale, four codes, per Tage,
 * which is a quarter of the time.
 *
 * Delay: the delay is half of the time that a hello and its answer take, both by one
 * uplink. A hello is timed only if the path was quiet at both ends, and if no other hello
 * of the round went by the same uplink, since the answer does not tell which of two was
 * answered. Full-size hellos are never timed. The minimum over 8 to 16 measurements is free
 * of the time that a queue or a busy processor adds now and then; after as many
 * measurements a path that became longer is known as longer.
 *
 * A delay is at most 2^32 - 1 ns; 0 means "not known", so that the smallest delay is 1.
 */
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/minmax.h>

#include "paper/ahead.h"
#include "paper/hello.h"
#include "paper/queue.h"
#include "paper/wire.h"

/* conga_ahead_learn - a packet came by @tag; false if it has no mark of a queue. Softirq */
bool conga_ahead_learn(struct conga_ahead *ahead, u8 tag, u32 word, u64 now)
{
	if (!conga_wire_has_queue(word))
		return false;
	conga_toleaf_learn(&ahead->queue, tag, conga_wire_queue_code(word), now);
	return true;
}

/* conga_ahead_queue - the aged time in ns that the queue takes to be sent; 0 if not known */
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

/* conga_ahead_answered - an answer came that echoes @echo; @quiet tells whether its path
 * was quiet
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

/* conga_ahead_delay - the one-way delay in ns; 0 if not known. Any CPU */
u32 conga_ahead_delay(const struct conga_ahead *ahead, u8 tag)
{
	u32 now = READ_ONCE(ahead->least[0][tag]);
	u32 before = READ_ONCE(ahead->least[1][tag]);

	return now && before ? min(now, before) : now + before;
}

/* conga_ahead_forget - the LBTag belongs to another uplink now */
void conga_ahead_forget(struct conga_ahead *ahead, u8 tag)
{
	WRITE_ONCE(ahead->queue.heard[tag], 0);
	WRITE_ONCE(ahead->least[0][tag], 0);
	WRITE_ONCE(ahead->least[1][tag], 0);
	ahead->sent[tag] = 0;
	ahead->measured[tag] = 0;
}
