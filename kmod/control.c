// SPDX-License-Identifier: GPL-2.0
/*
 * Hello, explicit feedback, bye: what is said to leaves, when, and what their
 * control packets change. What it means is hello.c's.
 *
 * Everything here answers to a packet or to the tick, CONGA_HELLO_TICKS times
 * per hello interval. Nothing that a stranger sends is kept, and what is sent
 * because of a packet is bounded: answers per leaf and round, explicit feedback
 * per leaf and Tage / 2.
 */
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/netfilter.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/udp.h>
#include <net/route.h>

#include "control.h"
#include "leaf.h"
#include "packet.h"
#include "path_dst.h"
#include "port.h"
#include "trace.h"

/* After a bye, stamped packets that are under way are still cleared. */
#define CONGA_CONTROL_LINGER_MS		20

#define CONGA_CONTROL_PIECE		1000000	/* ns, of a tick of many leaves */

#define CONGA_CONTROL_OVERDUE		2	/* of Tage, between explicit feedback */

static void conga_control_count(const struct conga_fabric *fabric,
				enum conga_attr_stats counter)
{
	conga_stats_inc(fabric->stats, counter);
}

/* Sent by the way's uplink, and counted as @counter if it was. */
static bool conga_control_emit(const struct conga_control_way *way,
			       struct conga_control_payload *payload,
			       enum conga_attr_stats counter)
{
	bool sent = conga_control_send(way, payload);

	conga_control_count(way->leaf->fabric,
			    sent ? counter : CONGA_A_STATS_CONTROL_UNSENT);
	return sent;
}

/* --- the tick --- */

/* Hellos go by uplinks, whatever other ports the policy may choose. */
static u16 conga_control_uplinks(struct conga_leaf *leaf)
{
	return conga_path_usable(leaf) & ~READ_ONCE(leaf->fabric->transit);
}

static u16 conga_control_heard(const struct conga_leaf *leaf, u64 now, u64 since)
{
	u16 heard = 0;
	u8 tag;

	for (tag = 0; tag < CONGA_TAGS_MAX; tag++) {
		conga_sample_t sample = READ_ONCE(leaf->to.heard[tag]);

		if (conga_sample_valid(sample) &&
		    conga_sample_age(sample, now) < since)
			heard |= BIT(tag);
	}
	return heard;
}

/* Does nothing of ours, nor of what feedback tells, wait on the way there? */
static bool conga_control_quiet(const struct conga_leaf *leaf,
				const struct conga_params *params,
				struct conga_port *port, u64 now)
{
	return !conga_port_metric(port, now) &&
	       !conga_toleaf_metric(&leaf->to, port->tag, now, params->tage, params->q);
}

/* The hello with this nonce leaves now, and is timed if somebody wants to know. */
static void conga_control_time(struct conga_leaf *leaf,
			       const struct conga_params *params,
			       struct conga_port *port, u32 nonce)
{
	struct conga_leaf_ahead *ahead = rcu_dereference(leaf->ahead);
	u64 now = ktime_get_ns();

	if (!ahead)
		return;
	spin_lock(&leaf->hello_lock);
	conga_ahead_asked(&ahead->ahead, nonce, now,
			  conga_control_quiet(leaf, params, port, now));
	spin_unlock(&leaf->hello_lock);
}

static void conga_control_ask(struct conga_leaf *leaf,
			      const struct conga_params *params, u8 tag,
			      u32 nonce, u32 echo)
{
	struct conga_control_way way = { .params = params, .leaf = leaf };
	struct conga_control_payload payload;

	way.port = conga_port_uplink(leaf->fabric, tag);
	if (!way.port)
		return;
	conga_control_fill(&payload, params, CONGA_CONTROL_HELLO);
	payload.header.flags |= CONGA_CONTROL_ASK;
	payload.header.nonce = cpu_to_be32(nonce);
	payload.header.echo = cpu_to_be32(echo);
	conga_control_time(leaf, params, way.port, nonce);
	conga_control_emit(&way, &payload, CONGA_A_STATS_HELLO_SENT);
}

static void conga_control_count_step(const struct conga_leaf *leaf,
				     const struct conga_hello_step *step)
{
	unsigned int n;

	for (n = hweight16(step->missed); n; n--)
		conga_control_count(leaf->fabric, CONGA_A_STATS_HELLO_MISSED);
	for (n = hweight16(step->silenced); n; n--)
		conga_control_count(leaf->fabric, CONGA_A_STATS_PATH_SILENT);
}

/* Looking at the paths also brings them up to date where no packet does. */
static void conga_control_tick_leaf(struct conga_leaf *leaf,
				    const struct conga_params *params)
{
	struct conga_hello_view view = {
		.usable	= conga_control_uplinks(leaf),
		.busy	= xchg(&leaf->busy, 0),
		.heard	= conga_control_heard(leaf, ktime_get_ns(),
					      div_u64(params->hello,
						      CONGA_HELLO_TICKS)),
		.random	= get_random_u32(),
	};
	struct conga_hello_step step;
	u32 nonce, echo, reason;
	unsigned long ask;
	u8 tag;

	spin_lock(&leaf->hello_lock);
	reason = leaf->hello.reason;
	conga_hello_tick(&leaf->hello, &view, &step);
	nonce = conga_hello_nonce(&leaf->hello, 0);
	echo = leaf->hello.echo;
	conga_leaf_settle(leaf);
	if (step.silenced || reason != leaf->hello.reason)
		conga_fabric_changed(leaf->fabric);
	spin_unlock(&leaf->hello_lock);

	conga_control_count_step(leaf, &step);
	ask = step.ask;
	for_each_set_bit(tag, &ask, CONGA_TAGS_MAX)
		conga_control_ask(leaf, params, tag, nonce | tag, echo);
}

/* Returns the hello interval. A section of its own for each leaf, since there
 * may be many.
 */
static u64 conga_control_tick_one(struct conga_fabric *fabric,
				  unsigned long *index, bool *more)
{
	const struct conga_params *params;
	struct conga_leaf *leaf;
	u64 interval;

	local_bh_disable();
	rcu_read_lock();
	params = rcu_dereference(fabric->params);
	interval = params->hello;
	leaf = xa_find(&fabric->leaf_index, index, U16_MAX, XA_PRESENT);
	if (leaf && interval && READ_ONCE(leaf->mode) != CONGA_MODE_PLAIN)
		conga_control_tick_leaf(leaf, params);
	*more = leaf;
	rcu_read_unlock();
	local_bh_enable();
	(*index)++;
	return interval;
}

/* Of a user without privileges a tick is cut into pieces, so that what follows a piece can
 * wait as long as pace.c has it. Returns the ns until the work goes on, 0 if hellos are off.
 */
static u64 conga_control_tick_piece(struct conga_fabric *fabric)
{
	bool bounded = conga_pace_bounds(fabric->net), more;
	u64 interval, began, spent = 0;

	do {
		began = ktime_get_ns();
		interval = conga_control_tick_one(fabric, &fabric->hello_next, &more);
		spent += ktime_get_ns() - began;
		cond_resched();
	} while (more && !(bounded && spent > CONGA_CONTROL_PIECE));
	conga_pace_spent(&fabric->hello_pace, fabric->net, spent);
	if (more)
		return interval ? 1 : 0;
	fabric->hello_next = 0;
	return div_u64(interval, CONGA_HELLO_TICKS);
}

static void conga_control_tick(struct work_struct *work)
{
	struct conga_fabric *fabric = container_of(to_delayed_work(work),
						   struct conga_fabric,
						   hello_work);
	u64 next = conga_pace_wait(&fabric->hello_pace);
	unsigned long wait;

	if (!next)
		next = conga_control_tick_piece(fabric);
	if (!next)
		return;
	wait = conga_pace_jiffies(&fabric->hello_pace, next);
	queue_delayed_work(system_wq, &fabric->hello_work, max(wait, 1UL));
}

/* --- what comes in --- */

/* A control packet, read. */
struct conga_control_message {
	const struct conga_control_source	*source;
	struct conga_control_payload		payload;
};

static u32 conga_control_nonce(const struct conga_control_message *message)
{
	return be32_to_cpu(message->payload.header.nonce);
}

static u32 conga_control_echo(const struct conga_control_message *message)
{
	return be32_to_cpu(message->payload.header.echo);
}

/* LOCAL_IN is before UDP looks at its checksum. */
static bool conga_control_intact(const struct conga_control_source *source,
				 const struct udphdr *udp)
{
	const struct conga_packet *packet = source->packet;

	if (!udp->check && !packet->v6)
		return true;
	/* It only notes that it found the sum to be right. */
	return !nf_checksum((struct sk_buff *)source->skb, NF_INET_LOCAL_IN,
			    packet->udp, IPPROTO_UDP,
			    packet->v6 ? AF_INET6 : AF_INET);
}

/* conga_control_read - the payload, with all that it says it has; false if that is not
 * all there. Softirq, RCU
 */
bool conga_control_read(const struct conga_control_source *source,
			struct conga_control_payload *payload)
{
	struct conga_control_header *header = &payload->header;
	int offset = source->packet->udp + sizeof(struct udphdr);
	int length = 2 * sizeof(u32) + sizeof(*header);
	struct udphdr udp;

	if (skb_copy_bits(source->skb, source->packet->udp, &udp, sizeof(udp)) ||
	    skb_copy_bits(source->skb, offset + 2 * sizeof(u32), header,
			  sizeof(*header)))
		return false;
	if (header->magic != cpu_to_be32(CONGA_CONTROL_MAGIC) ||
	    header->count > CONGA_CONTROL_RECORDS)
		return false;
	if (skb_copy_bits(source->skb, offset + length, payload->record,
			  conga_control_body(header)))
		return false;
	length += conga_control_body(header);
	return ntohs(udp.len) >= sizeof(udp) + length &&
	       conga_control_intact(source, &udp);
}

/* By the uplink that the packet came by: that way works. Else by any. */
static struct conga_port *
conga_control_back(const struct conga_control_source *source)
{
	struct conga_leaf *leaf = source->leaf;
	u16 usable;

	if (source->port->role == CONGA_ROLE_UPLINK &&
	    conga_path_dst(leaf, source->port))
		return source->port;
	usable = conga_control_uplinks(leaf) & ~conga_leaf_shut(leaf);
	if (!usable)
		usable = conga_control_uplinks(leaf);
	if (!usable)
		return NULL;
	return conga_port_uplink(source->fabric,
				 conga_policy_spread(usable, get_random_u32()));
}

/* Our address, as the leaf knows it; none if it called a group that we are in. */
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
	way->params = source->params;
	way->leaf = source->leaf;
	way->port = conga_control_back(source);
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
	u32 nonce;

	spin_lock_bh(&leaf->hello_lock);
	heed = conga_hello_asked(&leaf->hello, conga_control_nonce(message),
				 conga_control_echo(message));
	nonce = conga_hello_nonce(&leaf->hello, 0);
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
	conga_control_fill(&payload, source->params, CONGA_CONTROL_HELLO);
	payload.header.nonce = cpu_to_be32(nonce | way.port->tag);
	payload.header.echo = message->payload.header.nonce;
	conga_control_emit(&way, &payload, CONGA_A_STATS_HELLO_ANSWERED);
}

/* Changes of a leaf because of a message: false if it echoes no nonce. */
typedef bool (*conga_control_change_t)(const struct conga_control_message *message);

static bool conga_control_change(const struct conga_control_message *message,
				 conga_control_change_t change)
{
	struct conga_leaf *leaf = message->source->leaf;
	bool taken, news;
	u8 reason;
	u16 out;

	spin_lock_bh(&leaf->hello_lock);
	out = leaf->hello.out;
	reason = leaf->hello.reason;
	taken = change(message);
	conga_leaf_settle(leaf);
	news = out != leaf->hello.out || reason != leaf->hello.reason;
	spin_unlock_bh(&leaf->hello_lock);
	if (news)
		conga_fabric_changed(leaf->fabric);
	return taken;
}

/* How long did it take? It counts if nothing waited on the way back, by the stamp, nor
 * there, as far as is known by now.
 */
static void conga_control_timed(const struct conga_control_message *message)
{
	const struct conga_control_source *source = message->source;
	struct conga_leaf_ahead *ahead = rcu_dereference(source->leaf->ahead);
	struct conga_port *port;
	struct conga_stamp stamp;
	u64 now = ktime_get_ns();
	u32 echo = conga_control_echo(message);
	bool quiet;

	port = conga_port_uplink(source->fabric, echo & CONGA_HELLO_TAG_MASK);
	if (!ahead || !port)
		return;
	conga_wire_read(&stamp, source->packet->word, source->params->q);
	quiet = source->port == port && !stamp.ce &&
		conga_control_quiet(source->leaf, source->params, port, now);
	conga_ahead_answered(&ahead->ahead, echo, now, quiet);
}

static bool conga_control_take_answer(const struct conga_control_message *message)
{
	const struct conga_control_header *header = &message->payload.header;
	const struct conga_params *params = message->source->params;
	struct conga_hello *hello = &message->source->leaf->hello;
	const struct conga_hello_terms ours = {
		.q	= params->q,
		.byte3	= conga_control_byte3(params->q, params->policy->mark),
		.sum	= params->metric == CONGA_METRIC_SUM,
	}, theirs = {
		.q	= header->q,
		.byte3	= header->byte3,
		.sum	= header->flags & CONGA_CONTROL_SUM,
	};
	u16 out = hello->out;

	if (!conga_hello_answered(hello, conga_control_echo(message),
				  be32_to_cpu(header->id), &ours, &theirs))
		return false;
	WRITE_ONCE(hello->echo, conga_control_nonce(message));
	conga_control_timed(message);
	if (out != hello->out)
		conga_control_count(message->source->fabric,
				    CONGA_A_STATS_PATH_ANSWERS);
	return true;
}

static bool conga_control_take_bye(const struct conga_control_message *message)
{
	return conga_hello_bye(&message->source->leaf->hello,
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

/* Section 3.3, without a packet that goes that way anyway. */
static bool conga_control_take_feedback(const struct conga_control_message *message)
{
	const struct conga_control_source *source = message->source;
	u64 now = ktime_get_ns();
	int i;

	if (!conga_hello_echoed(&source->leaf->hello, conga_control_echo(message)))
		return false;
	for (i = 0; i < message->payload.header.count; i++)
		conga_control_take_record(source, &message->payload.record[i],
					  now);
	return true;
}

static void conga_control_take(const struct conga_control_message *message,
			       conga_control_change_t change,
			       enum conga_attr_stats counter)
{
	conga_control_count(message->source->fabric,
			    conga_control_change(message, change) ?
				counter : CONGA_A_STATS_CONTROL_NONCE);
}

static bool conga_control_take_version(const struct conga_control_message *message)
{
	conga_hello_version(&message->source->leaf->hello);
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

/* May this leaf get one now? Of several CPUs one is told so. */
static bool conga_control_elect(const struct conga_control_source *source,
				u64 now)
{
	struct conga_leaf *leaf = source->leaf;
	s64 last = atomic64_read(&leaf->explicit_sent);

	if (!READ_ONCE(leaf->hello.echo) || READ_ONCE(source->fabric->leaving))
		return false;
	if (now - last < div_u64(source->params->tage, CONGA_CONTROL_OVERDUE))
		return false;
	return atomic64_cmpxchg(&leaf->explicit_sent, last, now) == last;
}

/*
 * conga_control_feedback - what is due, by a packet of its own
 *
 * Softirq, RCU. At most one packet per Tage / 2 and leaf.
 */
void conga_control_feedback(const struct conga_control_source *source, u64 now)
{
	struct conga_stamp stamps[CONGA_CONTROL_RECORDS];
	struct conga_control_payload payload;
	struct conga_control_way way;
	u8 i, count;

	if (!conga_control_elect(source, now) ||
	    !conga_control_way_back(source, &way))
		return;
	count = conga_feedback_collect(&source->leaf->from, stamps,
				       CONGA_CONTROL_RECORDS, now,
				       source->params->tage);
	conga_control_fill(&payload, source->params, CONGA_CONTROL_FEEDBACK);
	payload.header.echo = cpu_to_be32(READ_ONCE(source->leaf->hello.echo));
	payload.header.count = count;
	for (i = 0; i < count; i++)
		payload.record[i] = (struct conga_control_record) {
			.tag	= stamps[i].fb_tag,
			.metric	= conga_control_metric_put(stamps[i].fb_metric,
							   source->params->q),
		};
	conga_control_emit(&way, &payload, CONGA_A_STATS_EXPLICIT_SENT);
}

/* --- beginning and end --- */

/* conga_control_setup - of a fabric that nobody sees yet */
void conga_control_setup(struct conga_fabric *fabric)
{
	INIT_DELAYED_WORK(&fabric->hello_work, conga_control_tick);
}

/* conga_control_start - hellos begin, if they are on; see DOC: Locking */
void conga_control_start(struct conga_fabric *fabric)
{
	mod_delayed_work(system_wq, &fabric->hello_work,
			 conga_pace_jiffies(&fabric->hello_pace, 0));
}

/*
 * conga_control_bye - tell a leaf that stamps are not understood here any more
 *
 * The locks are held. By every uplink, since it is said only once. False if it
 * never said hello, or could not be told.
 */
bool conga_control_bye(struct conga_leaf *leaf)
{
	struct conga_control_way way = { .leaf = leaf };
	struct conga_control_payload payload;
	unsigned long usable;
	u32 echo = READ_ONCE(leaf->hello.echo);
	bool sent = false;
	u8 tag;

	if (!echo || leaf->mode == CONGA_MODE_PLAIN)
		return false;
	local_bh_disable();
	rcu_read_lock();
	way.params = conga_fabric_params(leaf->fabric);
	conga_control_fill(&payload, way.params, CONGA_CONTROL_BYE);
	payload.header.echo = cpu_to_be32(echo);
	usable = conga_control_uplinks(leaf);
	for_each_set_bit(tag, &usable, CONGA_TAGS_MAX) {
		way.port = conga_port_uplink(leaf->fabric, tag);
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

static void conga_control_forget(struct conga_leaf *leaf)
{
	spin_lock_bh(&leaf->hello_lock);
	conga_hello_setup(&leaf->hello, leaf->hello.tick);
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
	conga_control_bye_all(fabric);
	for (; (leaf = conga_leaf_next(fabric, &index)); index++)
		conga_control_forget(leaf);
	conga_fabric_changed(fabric);
}

/* conga_control_stop - say bye, and let stamps under way arrive; sleeps */
void conga_control_stop(struct conga_fabric *fabric)
{
	conga_assert_locked(fabric);
	WRITE_ONCE(fabric->leaving, true);
	conga_probe_stop(fabric);
	cancel_delayed_work_sync(&fabric->hello_work);
	if (conga_control_bye_all(fabric))
		msleep(CONGA_CONTROL_LINGER_MS);
}
