// SPDX-License-Identifier: GPL-2.0
/*
 * Hello, explicit feedback and goodbye messages: this file handles leaves' control packets
 * and their replies. control_tick.c sends the hellos that ask, and hello.c has the
 * protocol.
 *
 * No data of an unknown sender is kept, and replies are bounded: answers per leaf and
 * round, explicit feedback per leaf and Tage / 2.
 */
#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/netfilter.h>
#include <linux/random.h>
#include <linux/udp.h>
#include <net/route.h>

#include "control/announce.h"
#include "control/control.h"
#include "control/control_read.h"
#include "control/control_send.h"
#include "control/control_tick.h"
#include "control/delay.h"
#include "control/extension.h"
#include "objects/extension.h"
#include "objects/leaf_table.h"
#include "objects/own.h"
#include "objects/path_dst.h"
#include "objects/ping.h"
#include "objects/port.h"
#include "packet/packet.h"
#include "trace.h"

/* After a goodbye message, stamped packets that are on the way are still cleared: so long, and
 * with ecn until no packet came for so long, at most so often.
 */
#define CONGA_CONTROL_LINGER_MS		20
#define CONGA_CONTROL_LINGERS		10

#define CONGA_CONTROL_OVERDUE		2	/* parts of Tage, the least time between two */

static void conga_control_count(const struct conga_fabric *fabric,
				enum conga_attr_stats counter)
{
	conga_stats_inc(fabric->stats, counter);
}

/* --- received packets --- */

/* A control packet that was read */
struct conga_control_message {
	const struct conga_control_source	*source;
	struct conga_control_payload		payload;
};

static u64 conga_control_nonce(const struct conga_control_message *message)
{
	const struct conga_control_payload *payload = &message->payload;

	return (u64)be32_to_cpu(payload->wide.nonce) << 32 |
	       be32_to_cpu(payload->header.nonce);
}

/* A nonce without its upper half is ignored, since it could be guessed. */
static u64 conga_control_echo(const struct conga_control_message *message)
{
	const struct conga_control_payload *payload = &message->payload;

	if (!(payload->header.flags & CONGA_CONTROL_WIDE))
		return 0;
	return (u64)be32_to_cpu(payload->wide.echo) << 32 |
	       be32_to_cpu(payload->header.echo);
}

/* One of the paths to @leaf by these LBTags, at random: one that is open, if any is; NONE if
 * there is none
 */
static u8 conga_control_spread(const struct conga_leaf *leaf, u16 usable)
{
	if (usable & ~conga_leaf_shut(leaf))
		usable &= ~conga_leaf_shut(leaf);
	return usable ? conga_policy_spread(usable, get_random_u32()) : CONGA_TAG_NONE;
}

/* The reply leaves by the uplink by which the packet came in, since that path works;
 * otherwise by any uplink.
 */
static u8 conga_control_back(const struct conga_control_source *source)
{
	u16 usable = conga_control_uplinks(source->leaf), same;

	same = source->port->role == CONGA_ROLE_UPLINK ? usable & READ_ONCE(source->port->tags) : 0;
	return conga_control_spread(source->leaf, same ?: usable);
}

/* Our address, as the leaf knows it; none if the leaf sent to a group that we are in. */
static void conga_control_called(const struct conga_control_source *source,
				 struct in6_addr *addr)
{
	bool group;

	conga_packet_destination(source->skb, source->packet, addr);
	if (source->packet->v6)
		group = ipv6_addr_is_multicast(addr);
	else
		group = skb_rtable(source->skb)->rt_type != RTN_LOCAL;
	if (group)
		*addr = in6addr_any;
}

static bool conga_control_way_back(const struct conga_control_source *source,
				   struct conga_control_way *way)
{
	*way = (struct conga_control_way) {
		.params	= source->params,
		.leaf	= source->leaf,
		.tag	= conga_control_back(source),
	};
	if (way->tag == CONGA_TAG_NONE)
		return false;
	way->port = conga_port_uplink(source->fabric, way->tag);
	conga_control_called(source, &way->source);
	return way->port;
}

static void conga_control_answer(const struct conga_control_message *message)
{
	const struct conga_control_source *source = message->source;
	struct conga_leaf *leaf = source->leaf;
	struct conga_control_payload payload;
	struct conga_control_way way;
	bool heed;
	u64 nonce;

	spin_lock_bh(&leaf->hello_lock);
	heed = conga_hello_asked(leaf->hello, source->packet->dstport,
				 conga_control_nonce(message),
				 conga_control_echo(message));
	nonce = conga_hello_nonce(leaf->hello, 0, leaf->hello->came);
	spin_unlock_bh(&leaf->hello_lock);
	if (!heed) {
		conga_control_count(source->fabric,
				    CONGA_A_STATS_CONTROL_LIMITED);
		return;
	}
	if (!conga_control_way_back(source, &way)) {
		conga_control_count(source->fabric,
				    CONGA_A_STATS_CONTROL_UNSENT);
		return;
	}
	conga_own_called(leaf, &way.source);
	way.dstport = source->packet->dstport;
	conga_control_fill(&payload, source->params, CONGA_CONTROL_HELLO);
	conga_control_put_nonces(&payload, nonce | way.tag,
				 conga_control_nonce(message));
	conga_control_emit(&way, &payload, CONGA_A_STATS_HELLO_ANSWERED);
}

/* Changes a leaf by a message; false if the message echoes no valid nonce. The caller holds
 * hello_lock.
 */
typedef bool (*conga_control_change_t)(const struct conga_control_message *message);

/* Counts the message as @counter, or as wrong. Every wrong nonce is still compared, so that
 * a flood of wrong ones never keeps a right one out.
 */
static void conga_control_take(const struct conga_control_message *message,
			       conga_control_change_t change,
			       enum conga_attr_stats counter)
{
	struct conga_leaf *leaf = message->source->leaf;
	struct conga_leaf_news before;

	spin_lock_bh(&leaf->hello_lock);
	before = conga_leaf_news(leaf);
	if (change(message))
		conga_leaf_settle(leaf);
	else if (conga_hello_wrong(leaf->hello))
		counter = CONGA_A_STATS_CONTROL_NONCE;
	else
		counter = CONGA_A_STATS_CONTROL_LIMITED;
	conga_leaf_tell(leaf, &before);
	spin_unlock_bh(&leaf->hello_lock);
	conga_control_count(leaf->fabric, counter);
}

/* The answer came to the source address of the hello, so that the leaf knows this address. */
static void conga_control_take_own(const struct conga_control_source *source)
{
	struct in6_addr addr;

	conga_control_called(source, &addr);
	conga_own_answered(source->leaf, &addr);
}

static bool conga_control_take_answer(const struct conga_control_message *message)
{
	const struct conga_control_header *header = &message->payload.header;
	const struct conga_hello_terms ours = conga_control_terms(message->source->params);
	const struct conga_hello_terms theirs = conga_control_terms_read(header);
	struct conga_hello *hello = message->source->leaf->hello;
	u16 out = hello->out | hello->narrow;

	if (!conga_hello_answered(hello, conga_control_echo(message),
				  be32_to_cpu(header->id), &ours, &theirs))
		return false;
	hello->heard = ktime_get_ns();
	hello->ecn = header->flags & CONGA_CONTROL_ECN;
	WRITE_ONCE(hello->echo, conga_control_nonce(message));
	conga_delay_answered(message->source, conga_control_echo(message));
	conga_ping_answered(message->source->leaf, conga_control_echo(message));
	conga_control_take_own(message->source);
	if (out != (hello->out | hello->narrow))
		conga_control_count(message->source->fabric,
				    CONGA_A_STATS_PATH_ANSWERS);
	return true;
}

static bool conga_control_take_bye(const struct conga_control_message *message)
{
	return conga_hello_bye(message->source->leaf->hello,
			       conga_control_echo(message));
}

static void conga_control_take_record(const struct conga_control_source *source,
				      const struct conga_control_record *record,
				      u64 now)
{
	struct conga_fabric *fabric = source->fabric;
	u8 metric;

	if (record->tag >= CONGA_TAGS_MAX ||
	    !conga_port_uplink(fabric, record->tag)) {
		conga_control_count(fabric, CONGA_A_STATS_FEEDBACK_IGNORED);
		return;
	}
	metric = conga_control_metric_get(record->metric, source->params->q);
	conga_toleaf_learn(&source->leaf->to, record->tag, metric, now);
	trace_conga_feedback(source->leaf, record->tag, metric, true);
	conga_control_count(fabric, CONGA_A_STATS_FEEDBACK_RECEIVED);
}

/* Takes feedback (section 3.3) from a packet of its own. */
static bool conga_control_take_feedback(const struct conga_control_message *message)
{
	const struct conga_control_source *source = message->source;
	u64 now = ktime_get_ns();
	int i;

	if (!conga_hello_echoed(source->leaf->hello, conga_control_echo(message)))
		return false;
	for (i = 0; i < message->payload.header.count; i++)
		conga_control_take_record(source, &message->payload.record[i],
					  now);
	return true;
}

static bool conga_control_take_version(const struct conga_control_message *message)
{
	conga_hello_version(message->source->leaf->hello);
	return true;
}

static void conga_control_heed(const struct conga_control_message *message)
{
	const struct conga_control_header *header = &message->payload.header;

	switch (header->type) {
	case CONGA_CONTROL_HELLO:
		if (header->flags & CONGA_CONTROL_ASK)
			conga_control_answer(message);
		else
			conga_control_take(message, conga_control_take_answer,
					   CONGA_A_STATS_HELLO_HEARD);
		return;
	case CONGA_CONTROL_FEEDBACK:
		conga_control_take(message, conga_control_take_feedback,
				   CONGA_A_STATS_EXPLICIT_RECEIVED);
		return;
	case CONGA_CONTROL_BYE:
		conga_control_take(message, conga_control_take_bye,
				   CONGA_A_STATS_BYE_RECEIVED);
		return;
	}
	conga_control_count(message->source->fabric, CONGA_A_STATS_CONTROL_TYPE);
}

/* conga_control_receive - a control packet of a known leaf came by a port */
void conga_control_receive(const struct conga_control_source *source)
{
	struct conga_control_message message = { .source = source };
	struct conga_fabric *fabric = source->fabric;

	if (READ_ONCE(source->leaf->mode) == CONGA_MODE_PLAIN ||
	    !source->params->hello || READ_ONCE(fabric->leaving))
		conga_control_count(fabric, CONGA_A_STATS_CONTROL_PLAIN_LEAF);
	else if (!conga_control_read(source, &message.payload))
		conga_control_count(fabric, CONGA_A_STATS_CONTROL_MALFORMED);
	else if (message.payload.header.version != CONGA_CONTROL_VERSION)
		conga_control_take(&message, conga_control_take_version,
				   CONGA_A_STATS_CONTROL_VERSION);
	else
		conga_control_heed(&message);
}

/* --- explicit feedback --- */

/* May this leaf get explicit feedback now? The answer is true on one of several CPUs. */
static bool conga_control_elect(const struct conga_control_source *source,
				u64 now)
{
	struct conga_leaf *leaf = source->leaf;
	s64 last = atomic64_read(&leaf->explicit_sent);

	if (!READ_ONCE(leaf->hello->echo) || READ_ONCE(source->fabric->leaving))
		return false;
	if (now - last < div_u64(source->params->tage, CONGA_CONTROL_OVERDUE))
		return false;
	return atomic64_cmpxchg(&leaf->explicit_sent, last, now) == last;
}

/* Collects the feedback that is due, and sets the port. False if the leaf never sent a hello. */
static bool conga_control_address(struct conga_leaf *leaf, struct conga_control_way *way,
				  struct conga_control_payload *payload)
{
	u64 echo;

	spin_lock_bh(&leaf->hello_lock);
	echo = leaf->hello->echo;
	way->dstport = leaf->hello->port[conga_hello_port(leaf->hello)];
	spin_unlock_bh(&leaf->hello_lock);
	conga_control_put_nonces(payload, 0, echo);
	return echo;
}

/* Not inlined: it takes a packet on the stack, and most calls of its caller end before it. */
static noinline void conga_control_send_feedback(const struct conga_control_source *source, u64 now)
{
	struct conga_stamp stamps[CONGA_CONTROL_RECORDS];
	struct conga_control_payload payload;
	struct conga_control_way way;
	u8 i, count;

	if (!conga_control_way_back(source, &way))
		return;
	count = conga_feedback_collect(&source->leaf->from, stamps,
				       CONGA_CONTROL_RECORDS, now,
				       source->params->tage);
	conga_control_fill(&payload, source->params, CONGA_CONTROL_FEEDBACK);
	if (!conga_control_address(source->leaf, &way, &payload))
		return;
	payload.header.count = count;
	for (i = 0; i < count; i++)
		payload.record[i] = (struct conga_control_record) {
			.tag	= stamps[i].fb_tag,
			.metric	= conga_control_metric_put(stamps[i].fb_metric,
							   source->params->q),
		};
	conga_control_emit(&way, &payload, CONGA_A_STATS_EXPLICIT_SENT);
}

/*
 * conga_control_feedback - send feedback that is due in a packet of its own
 *
 * Softirq, RCU. At most one packet per Tage / 2 and leaf.
 */
void conga_control_feedback(const struct conga_control_source *source, u64 now)
{
	if (conga_control_elect(source, now))
		conga_control_send_feedback(source, now);
}

/* --- beginning and end --- */

/* conga_control_setup - of a fabric that is not published yet */
void conga_control_setup(struct conga_fabric *fabric)
{
	INIT_DELAYED_WORK(&fabric->hello_work, conga_control_tick);
	fabric->tunnels_stale = true;
}

/* conga_control_start - start hellos, if they are on; see DOC: Locking */
void conga_control_start(struct conga_fabric *fabric)
{
	mod_delayed_work(system_wq, &fabric->hello_work,
			 conga_pace_jiffies(&fabric->hello_pace, 0));
}

/*
 * conga_control_bye - send goodbye messages: the leaf must send no more stamps
 *
 * The locks are held. The message is not repeated, so that one is sent by every uplink.
 * False if the leaf never sent a hello, or if no message could be sent.
 */
bool conga_control_bye(struct conga_leaf *leaf)
{
	struct conga_control_way way = { .leaf = leaf };
	struct conga_control_payload payload;
	unsigned long usable;
	bool sent = false;
	u8 tag;

	way.params = conga_fabric_params(leaf->fabric);
	conga_control_fill(&payload, way.params, CONGA_CONTROL_BYE);
	if (leaf->mode == CONGA_MODE_PLAIN ||
	    !conga_control_address(leaf, &way, &payload))
		return false;
	local_bh_disable();
	rcu_read_lock();
	usable = conga_control_uplinks(leaf);
	for_each_set_bit(tag, &usable, CONGA_TAGS_MAX) {
		way.port = conga_port_uplink(leaf->fabric, tag);
		way.tag = tag;
		sent |= conga_control_emit(&way, &payload,
					   CONGA_A_STATS_BYE_SENT);
	}
	rcu_read_unlock();
	local_bh_enable();
	return sent;
}

static bool conga_control_bye_all(struct conga_fabric *fabric)
{
	struct conga_leaf *leaf;
	unsigned long index = 0;
	bool sent = false;

	for (; (leaf = conga_leaf_next(fabric, &index)); index++) {
		sent |= conga_control_bye(leaf);
		cond_resched();
	}
	return sent;
}

/* The packets that leaves sent before they got goodbye messages may still wait in queues, which
 * are longer if they mark packets rather than drop them.
 */
static void conga_control_linger(const struct conga_fabric *fabric)
{
	u64 came = conga_stats_read(fabric->stats, CONGA_A_STATS_RX_STAMPED), before;
	int left = conga_fabric_params(fabric)->ecn ? CONGA_CONTROL_LINGERS : 1;

	do {
		msleep(CONGA_CONTROL_LINGER_MS);
		before = came;
		came = conga_stats_read(fabric->stats, CONGA_A_STATS_RX_STAMPED);
	} while (--left && came != before);
}

static void conga_control_forget(struct conga_leaf *leaf)
{
	spin_lock_bh(&leaf->hello_lock);
	conga_hello_setup(leaf->hello, leaf->hello->tick,
			  conga_fabric_params(leaf->fabric)->dstports.port);
	conga_leaf_settle(leaf);
	spin_unlock_bh(&leaf->hello_lock);
}

/* conga_control_restart - the hello interval changed; the locks are held */
void conga_control_restart(struct conga_fabric *fabric)
{
	struct conga_leaf *leaf;
	unsigned long index = 0;

	conga_assert_locked(fabric);
	if (conga_fabric_params(fabric)->hello) {
		conga_control_start(fabric);
		return;
	}
	cancel_delayed_work_sync(&fabric->hello_work);
	conga_announce_forget(fabric);
	conga_control_bye_all(fabric);
	for (; (leaf = conga_leaf_next(fabric, &index)); index++)
		conga_control_forget(leaf);
	conga_fabric_changed(fabric);
}

/* conga_control_settle - ecn was switched on or off; the locks are held */
void conga_control_settle(struct conga_fabric *fabric)
{
	struct conga_leaf *leaf;
	unsigned long index = 0;

	conga_assert_locked(fabric);
	for (; (leaf = conga_leaf_next(fabric, &index)); index++) {
		spin_lock_bh(&leaf->hello_lock);
		conga_leaf_settle(leaf);
		spin_unlock_bh(&leaf->hello_lock);
	}
	conga_fabric_changed(fabric);
}

static bool conga_control_loses_port(const struct conga_params *before,
				     const struct conga_params *after)
{
	int i;

	for (i = 0; i < before->dstports.count; i++)
		if (!conga_dstports_bit(&after->dstports, before->dstports.port[i]))
			return true;
	return false;
}

/*
 * conga_control_hold_ports - the list of UDP ports is about to be that of @after
 *
 * The locks are held; may sleep. Ports that have another place in the list, or none, get
 * no stamps until conga_control_bind_ports(). Leaves that stamp at a removed port get a
 * goodbye message before it is removed; they ask again about the other ports.
 */
void conga_control_hold_ports(struct conga_fabric *fabric,
			      const struct conga_params *after)
{
	struct conga_leaf *leaf;
	unsigned long index = 0;

	conga_assert_locked(fabric);
	for (; (leaf = conga_leaf_next(fabric, &index)); index++) {
		spin_lock_bh(&leaf->hello_lock);
		conga_hello_hold(leaf->hello, after->dstports.port);
		conga_leaf_settle(leaf);
		spin_unlock_bh(&leaf->hello_lock);
	}
	if (conga_control_loses_port(conga_fabric_params(fabric), after) &&
	    conga_control_bye_all(fabric))
		conga_control_linger(fabric);
}

/* conga_control_bind_ports - the new list is in force, a grace period after the hold; likewise */
void conga_control_bind_ports(struct conga_fabric *fabric)
{
	struct conga_leaf *leaf;
	unsigned long index = 0;

	conga_assert_locked(fabric);
	for (; (leaf = conga_leaf_next(fabric, &index)); index++) {
		spin_lock_bh(&leaf->hello_lock);
		conga_hello_bind(leaf->hello, conga_fabric_params(fabric)->dstports.port,
				 get_random_u64());
		conga_leaf_settle(leaf);
		spin_unlock_bh(&leaf->hello_lock);
	}
	WRITE_ONCE(fabric->tunnels_stale, true);
	conga_fabric_changed(fabric);
}

/* conga_control_stop - send goodbye messages, and let stamped packets on the way arrive; sleeps */
void conga_control_stop(struct conga_fabric *fabric)
{
	conga_assert_locked(fabric);
	WRITE_ONCE(fabric->leaving, true);
	conga_extension_stop(fabric);
	cancel_delayed_work_sync(&fabric->hello_work);
	if (conga_control_bye_all(fabric))
		conga_control_linger(fabric);
}
