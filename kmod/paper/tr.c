// SPDX-License-Identifier: GPL-2.0
/*
 * TR's flows: which are short, and on which uplink they are active
 *
 * Goal: for each uplink the number of short flows that sent by it within the last RTT.
 *
 * Mechanism: time is cut into slots, four to an RTT. A short flow is counted once: by
 * the uplink that its last packet took, in the slot in which it was sent. An uplink's
 * active short flows are those of this slot and the four before it. So the transitions
 * of the paper are
 *
 *	a short flow starts		counted in its uplink's slot
 *	it moves to another uplink	counted there, and no more where it was
 *	it becomes long			no more counted
 *	it sends no more		nothing: its slot passes out of sight, by time alone
 *
 * and a flow that continues in a later slot moves there. This needs no timer: a slot is
 * reused when its time comes round, and counts from 0 then. A flow is active for 1 to 1.25
 * RTT after its packet.
 *
 * How much a flow has sent is remembered for longer: TCP pauses for an RTT and more, and is
 * the same flow afterwards. The paper's flows begin and end with their connections. A
 * connection may have many transfers here, so that a flow that was idle for a longer time is
 * a new flow, short and without history. The packet that crosses the limit is the first one
 * of a long flow.
 *
 * Acknowledgements send no data, so that a stream of them is no flow here: it is counted
 * nowhere and becomes never long. In the paper's networks, a leaf sends data or receives it.
 * Where leaves do both, streams of acknowledgements are as many as flows, and take the
 * shortest paths: as short flows they would keep the long flows away from these paths.
 *
 * The table is indexed by a hash, and never full: flows that meet in an entry are one
 * flow, with the bytes of both, and count once.
 *
 * A flow's word, and one of a slot:
 *
 *	63..29 slot of time | 28..5 bytes | 4 counted | 3..0 LBTag
 *	63..29 slot of time | 28..0 flows
 *
 * Both change by compare-and-swap. A CPU counts a flow in a slot before it writes the
 * flow's word, and the CPU that replaces that word takes the flow out of the slot that the
 * old word names. Each count has one word and each word one owner, so that every count is
 * taken out exactly once, however CPUs race for a flow. A word that is older than its slot
 * was counted in a time that is over, and has no count to take out.
 *
 * Bytes stop one above the limit, of 24 bits, and the flow is long there. A table has at
 * most 2^22 flows, a slot counts to 2^29. Slots wrap after 2^35, at the least RTT 9.5
 * hours: an entry that was idle for just that long may take a flow out of a slot that it
 * was not counted in; the count stops at 0, and that lasts an RTT. A slot whose place was
 * last used just before that is taken for one of the future, of which at most
 * CONGA_TR_AHEAD are: for so many no flow is counted there.
 */
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "paper/queue.h"
#include "paper/tr.h"

#define CONGA_TR_SLOT_SHIFT	29
#define CONGA_TR_SLOT_BITS	35
#define CONGA_TR_BYTES_SHIFT	5
#define CONGA_TR_BYTES		GENMASK(23, 0)
#define CONGA_TR_COUNTED	0x10
#define CONGA_TR_TAG		0x0f
#define CONGA_TR_FLOWS		GENMASK(28, 0)
#define CONGA_TR_AHEAD		1024	/* slots, 1 ms at the least RTT */

/* conga_tr_slot - the slot of time of @now; both in ns */
u64 conga_tr_slot(u64 now, u32 rtt)
{
	return div_u64(now, rtt / CONGA_TR_RTT_PARTS);
}

/* conga_tr_idle - slots of @rtt that are in @idle, at least one; both in ns */
u32 conga_tr_idle(u32 idle, u32 rtt)
{
	return max(idle / (rtt / CONGA_TR_RTT_PARTS), 1u);
}

/* conga_tr_wait - ns that a packet waits in queues
 *
 * lql/lqw + sql/sqw: @backlog, in bytes, is the queue here, which is sent at @mbits, and
 * @queue, in ns, is the queue ahead. The largest wait is 2^32 bytes at 1 Mbit/s, 2^45 ns.
 */
u64 conga_tr_wait(u32 backlog, u32 mbits, u32 queue)
{
	return conga_queue_time(backlog, mbits) + queue;
}

static s64 conga_tr_word(u64 slot, u32 bytes, bool counted, u8 tag)
{
	return slot << CONGA_TR_SLOT_SHIFT | (u64)bytes << CONGA_TR_BYTES_SHIFT |
	       (counted ? CONGA_TR_COUNTED : 0) | tag;
}

static u64 conga_tr_word_slot(u64 word)
{
	return word >> CONGA_TR_SLOT_SHIFT;
}

/* Slots from @then to @slot; negative if another CPU's clock is ahead. */
static s64 conga_tr_age(u64 then, u64 slot)
{
	unsigned int unused = 64 - CONGA_TR_SLOT_BITS;

	return (s64)((slot - then) << unused) >> unused;
}

/* Is the slot within the last RTT, or ahead of our clock by a moment? */
static bool conga_tr_recent(u64 then, u64 slot)
{
	s64 age = conga_tr_age(then, slot);

	return age >= -1 && age <= CONGA_TR_RTT_PARTS;
}

/* Bytes that the flow has sent with the packet, at most one more than the limit. A flow that
 * was idle is a new one.
 */
static u32 conga_tr_sum(u64 word, const struct conga_tr_packet *packet)
{
	s64 age = conga_tr_age(conga_tr_word_slot(word), packet->slot);
	u64 sent = word >> CONGA_TR_BYTES_SHIFT & CONGA_TR_BYTES;

	if (age < -1 || age > packet->idle)
		sent = 0;
	return min(sent + packet->bytes, packet->limit + 1ULL);
}

/* conga_tr_is_short - does the packet belong to a short flow? */
bool conga_tr_is_short(const struct conga_tr_flow *flow,
		       const struct conga_tr_packet *packet)
{
	return conga_tr_sum(atomic64_read(&flow->word), packet) <= packet->limit;
}

/* conga_tr_is_counted - is it among the short flows of @tag, in slots within the last RTT? */
bool conga_tr_is_counted(const struct conga_tr_flow *flow, u8 tag, u64 slot)
{
	u64 word = atomic64_read(&flow->word);

	return word & CONGA_TR_COUNTED && (word & CONGA_TR_TAG) == tag &&
	       conga_tr_recent(conga_tr_word_slot(word), slot);
}

static atomic64_t *conga_tr_cell(struct conga_tr_counts *counts, u8 tag, u64 slot)
{
	return &counts->slot[tag][slot % CONGA_TR_SLOTS];
}

/* False if the slot is over, because another CPU's clock has given its place to a later one. */
static bool conga_tr_count(struct conga_tr_counts *counts, u8 tag, u64 slot)
{
	atomic64_t *cell = conga_tr_cell(counts, tag, slot);
	s64 old = atomic64_read(cell), new;

	do {
		s64 age = conga_tr_age(conga_tr_word_slot(old), slot);

		if (age < 0 && age >= -CONGA_TR_AHEAD)
			return false;
		new = age ? conga_tr_word(slot, 0, false, 0) + 1 : old + 1;
	} while (!atomic64_try_cmpxchg(cell, &old, new));
	return true;
}

static void conga_tr_uncount(struct conga_tr_counts *counts, u8 tag, u64 slot)
{
	atomic64_t *cell = conga_tr_cell(counts, tag, slot);
	s64 old = atomic64_read(cell);

	do {
		if (conga_tr_age(conga_tr_word_slot(old), slot) ||
		    !(old & CONGA_TR_FLOWS))
			return;
	} while (!atomic64_try_cmpxchg(cell, &old, old - 1));
}

/* Does the word already count in the packet's slot and at its uplink? */
static bool conga_tr_counted_here(u64 word, const struct conga_tr_packet *packet)
{
	return word & CONGA_TR_COUNTED && (word & CONGA_TR_TAG) == packet->tag &&
	       !conga_tr_age(conga_tr_word_slot(word), packet->slot);
}

/* conga_tr_send - a packet of @flow with data leaves; any CPU, softirq */
void conga_tr_send(struct conga_tr_flow *flow, struct conga_tr_counts *counts,
		   const struct conga_tr_packet *packet)
{
	s64 old = atomic64_read(&flow->word);
	bool here, counted, more;
	u32 bytes;
	s64 new;

	for (;;) {
		bytes = conga_tr_sum(old, packet);
		here = conga_tr_counted_here(old, packet);
		counted = bytes <= packet->limit;
		more = counted && !here;
		if (more)
			counted = conga_tr_count(counts, packet->tag, packet->slot);
		new = conga_tr_word(packet->slot, bytes, counted, packet->tag);
		if (new == old || atomic64_try_cmpxchg(&flow->word, &old, new))
			break;
		if (more && counted)
			conga_tr_uncount(counts, packet->tag, packet->slot);
	}
	if (old & CONGA_TR_COUNTED && !(here && counted))
		conga_tr_uncount(counts, old & CONGA_TR_TAG, conga_tr_word_slot(old));
}

/* conga_tr_short_flows - short flows that are active on an uplink; any CPU */
u32 conga_tr_short_flows(const struct conga_tr_counts *counts, u8 tag, u64 slot)
{
	u32 flows = 0;
	int i;

	for (i = 0; i < CONGA_TR_SLOTS; i++) {
		u64 word = atomic64_read(&counts->slot[tag][i]);

		if (conga_tr_recent(conga_tr_word_slot(word), slot))
			flows += word & CONGA_TR_FLOWS;
	}
	return flows;
}
