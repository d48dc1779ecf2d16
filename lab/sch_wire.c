// SPDX-License-Identifier: GPL-2.0
/*
 * sch_wire - a link, and the buffer in front of it.
 *
 * A packet waits until those before it have left, is sent at the rate of the
 * link, and arrives a propagation delay later. No stock qdisc does all of that:
 * tbf sends a bucket at once and has no delay, netem counts packets, not bytes,
 * and takes what is on its way for waiting.
 *
 * There is no state but the moment when the last accepted bit will have left,
 * "busy". From it follow, at any moment "now" and exactly,
 *
 *	backlog = (busy - now) * rate		what waits, and the rest of the
 *						packet that is being sent
 *
 * and, when a packet of some length comes,
 *
 *	dropped		if backlog + length > limit
 *	marked CE	if backlog >= mark and its sender speaks ECN
 *	busy		= max(busy, now) + length / rate
 *	arrives at	busy + delay
 *
 * Lengths are those of Ethernet frames without FCS, of each packet that a GSO
 * skb stands for. Such an skb waits, leaves and arrives as one. Times are in
 * picoseconds: a byte at 100 Gbit/s takes 80. A u64 holds 213 days of them.
 *
 * Policies that balance by queues read the backlog at any time, so that it is brought up to date
 * when a packet comes, leaves and arrives. A quiet link, which no policy reads, needs no timer
 * when a packet leaves, but only when it arrives: half of all timers of a run.
 *
 * Root qdiscs only: the packets on their way are no backlog, which a parent
 * would want to be told.
 */
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/tcp.h>
#include <linux/udp.h>
#include <net/inet_ecn.h>
#include <net/netlink.h>
#include "wire.h"

#define WIRE_PS_PER_NS		1000ULL
#define WIRE_BIT_PS_PER_BYTE_S	(8ULL * PSEC_PER_SEC)
#define WIRE_RATE_MIN		1000ULL			/* bit/s */
#define WIRE_RATE_MAX		(10ULL * 1000000000000ULL)
#define WIRE_DELAY_MAX		NSEC_PER_SEC

struct wire_cb {
	u64 arrival;	/* ns */
};

static struct wire_cb *wire_cb(const struct sk_buff *skb)
{
	qdisc_cb_private_validate(skb, sizeof(struct wire_cb));
	return (struct wire_cb *)qdisc_skb_cb(skb)->data;
}

/**
 * wire_backlog() - what waits, in bytes
 * @wire: under its qdisc's lock
 * @now: ns of the monotonic clock
 */
u32 wire_backlog(const struct wire *wire, u64 now)
{
	now *= WIRE_PS_PER_NS;
	if (wire->busy <= now)
		return 0;
	return mul_u64_u64_div_u64(wire->busy - now, wire->rate, WIRE_BIT_PS_PER_BYTE_S);
}

/* Whether so many bytes wait, or more: without a division, since every packet asks. */
static bool wire_waits(const struct wire *wire, u64 now, u32 bytes)
{
	now *= WIRE_PS_PER_NS;
	if (wire->busy <= now)
		return !bytes;
	return (__uint128_t)(wire->busy - now) * wire->rate >=
	       (__uint128_t)bytes * WIRE_BIT_PS_PER_BYTE_S;
}

/* wire_duration() - of sending so many bytes, in picoseconds */
static u64 wire_duration(const struct wire *wire, u32 bytes)
{
	if (wire->byte_ps)
		return bytes * wire->byte_ps;
	return div64_u64(bytes * WIRE_BIT_PS_PER_BYTE_S, wire->rate);
}

/* The headers that every packet but the first of a GSO skb gets again. */
static u32 wire_gso_header(const struct sk_buff *skb)
{
	if (!(skb_shinfo(skb)->gso_type & (SKB_GSO_TCPV4 | SKB_GSO_TCPV6)))
		return skb_transport_offset(skb) + sizeof(struct udphdr);
	return skb->encapsulation ? skb_inner_tcp_all_headers(skb) : skb_tcp_all_headers(skb);
}

static u32 wire_length(const struct sk_buff *skb)
{
	if (!skb_is_gso(skb))
		return skb->len;
	return skb->len + (skb_shinfo(skb)->gso_segs - 1) * wire_gso_header(skb);
}

/* Who balances by queues reads this at any time: as the last packet that came, left or
 * arrived made it.
 */
static void wire_tell(struct Qdisc *sch, u64 now)
{
	WRITE_ONCE(sch->qstats.backlog, wire_backlog(qdisc_priv(sch), now));
}

static void wire_tell_policies(struct Qdisc *sch, u64 now)
{
	const struct wire *wire = qdisc_priv(sch);

	if (!wire->quiet)
		wire_tell(sch, now);
}

/* Without it a link whose delay is long would tell for as long of packets that left. */
static u64 wire_next_event(struct wire *wire, const struct sk_buff *head, u64 now)
{
	u64 left;

	if (wire->quiet)
		return wire_cb(head)->arrival;
	while (wire->waiting) {
		left = wire_cb(wire->waiting)->arrival - wire->delay;
		if (left > now)
			return min(left, wire_cb(head)->arrival);
		wire->waiting = wire->waiting->next;
	}
	return wire_cb(head)->arrival;
}

static int wire_enqueue(struct sk_buff *skb, struct Qdisc *sch, struct sk_buff **to_free)
{
	struct wire *wire = qdisc_priv(sch);
	u32 length = wire_length(skb);
	u64 now = ktime_get_ns();

	if (length > wire->limit || wire_waits(wire, now, wire->limit - length + 1))
		return qdisc_drop(skb, sch, to_free);
	if (wire_waits(wire, now, wire->mark))
		INET_ECN_set_ce(skb);
	wire->accepted += length;
	wire->busy = max(wire->busy, now * WIRE_PS_PER_NS) + wire_duration(wire, length);
	wire_cb(skb)->arrival = DIV64_U64_ROUND_UP(wire->busy, WIRE_PS_PER_NS) + wire->delay;
	__qdisc_enqueue_tail(skb, &sch->q);
	if (!wire->quiet)
		wire->waiting = wire->waiting ?: skb;
	wire_tell_policies(sch, now);
	return NET_XMIT_SUCCESS;
}

static struct sk_buff *wire_dequeue(struct Qdisc *sch)
{
	struct wire *wire = qdisc_priv(sch);
	struct sk_buff *skb = sch->q.head;
	u64 now = ktime_get_ns(), next;

	if (!skb)
		return NULL;
	next = wire_next_event(wire, skb, now);
	wire_tell_policies(sch, now);
	if (wire_cb(skb)->arrival > now) {
		qdisc_watchdog_schedule_ns(&wire->watchdog, next);
		return NULL;
	}
	skb = __qdisc_dequeue_head(&sch->q);
	qdisc_bstats_update(sch, skb);
	return skb;
}

/* What is lost with a device that goes down has not been sent. */
static void wire_reset(struct Qdisc *sch)
{
	struct wire *wire = qdisc_priv(sch);

	qdisc_reset_queue(sch);
	wire->busy = 0;
	wire->waiting = NULL;
	qdisc_watchdog_cancel(&wire->watchdog);
}

static const struct nla_policy wire_policy[TCA_WIRE_MAX + 1] = {
	[TCA_WIRE_RATE]		= { .type = NLA_U64 },
	[TCA_WIRE_LIMIT]	= { .type = NLA_U32 },
	[TCA_WIRE_DELAY]	= { .type = NLA_U64 },
	[TCA_WIRE_MARK]		= { .type = NLA_U32 },
	[TCA_WIRE_NAME]		= { .type = NLA_NUL_STRING, .len = WIRE_NAME_MAX - 1 },
	[TCA_WIRE_QUIET]	= NLA_POLICY_MAX(NLA_U32, 1),
};

static int wire_parse(struct wire *wire, struct nlattr *opt, struct netlink_ext_ack *extack)
{
	struct nlattr *tb[TCA_WIRE_MAX + 1];
	int err;

	err = nla_parse_nested(tb, TCA_WIRE_MAX, opt, wire_policy, extack);
	if (err)
		return err;
	if (!tb[TCA_WIRE_RATE] || !tb[TCA_WIRE_LIMIT]) {
		NL_SET_ERR_MSG(extack, "A link needs a rate and a limit");
		return -EINVAL;
	}
	wire->rate = nla_get_u64(tb[TCA_WIRE_RATE]);
	wire->limit = nla_get_u32(tb[TCA_WIRE_LIMIT]);
	wire->delay = tb[TCA_WIRE_DELAY] ? nla_get_u64(tb[TCA_WIRE_DELAY]) : 0;
	wire->mark = tb[TCA_WIRE_MARK] ? nla_get_u32(tb[TCA_WIRE_MARK]) : U32_MAX;
	wire->quiet = tb[TCA_WIRE_QUIET] && nla_get_u32(tb[TCA_WIRE_QUIET]);
	if (tb[TCA_WIRE_NAME])
		nla_strscpy(wire->name, tb[TCA_WIRE_NAME], sizeof(wire->name));
	return 0;
}

static u64 wire_byte_ps(u64 rate)
{
	u64 rest, ps = div64_u64_rem(WIRE_BIT_PS_PER_BYTE_S, rate, &rest);

	return rest ? 0 : ps;
}

static int wire_validate(const struct wire *wire, struct netlink_ext_ack *extack)
{
	if (wire->rate < WIRE_RATE_MIN || wire->rate > WIRE_RATE_MAX) {
		NL_SET_ERR_MSG(extack, "A link's rate is from 1 kbit/s to 10 Tbit/s");
		return -ERANGE;
	}
	if (!wire->limit) {
		NL_SET_ERR_MSG(extack, "A link's buffer holds at least a byte");
		return -ERANGE;
	}
	if (wire->delay > WIRE_DELAY_MAX) {
		NL_SET_ERR_MSG(extack, "A link's delay is at most a second");
		return -ERANGE;
	}
	return 0;
}

static int wire_init(struct Qdisc *sch, struct nlattr *opt, struct netlink_ext_ack *extack)
{
	struct wire *wire = qdisc_priv(sch);
	int err;

	/* First of all: destroy is called whatever fails here. */
	qdisc_watchdog_init(&wire->watchdog, sch);
	INIT_LIST_HEAD(&wire->list);
	if (sch->parent != TC_H_ROOT) {
		NL_SET_ERR_MSG(extack, "A link is a root qdisc");
		return -EOPNOTSUPP;
	}
	if (!opt) {
		NL_SET_ERR_MSG(extack, "A link needs a rate and a limit");
		return -EINVAL;
	}
	err = wire_parse(wire, opt, extack) ?: wire_validate(wire, extack);
	if (err)
		return err;
	wire->byte_ps = wire_byte_ps(wire->rate);
	if (wire->name[0])
		wire_sampler_add(wire);
	return 0;
}

static void wire_destroy(struct Qdisc *sch)
{
	struct wire *wire = qdisc_priv(sch);

	wire_sampler_del(wire);
	qdisc_watchdog_cancel(&wire->watchdog);
}

static int wire_dump(struct Qdisc *sch, struct sk_buff *skb)
{
	struct wire *wire = qdisc_priv(sch);
	struct nlattr *nest;

	nest = nla_nest_start(skb, TCA_OPTIONS);
	if (!nest)
		return -EMSGSIZE;
	if (nla_put_u64_64bit(skb, TCA_WIRE_RATE, wire->rate, TCA_WIRE_PAD) ||
	    nla_put_u32(skb, TCA_WIRE_LIMIT, wire->limit) ||
	    nla_put_u64_64bit(skb, TCA_WIRE_DELAY, wire->delay, TCA_WIRE_PAD) ||
	    (wire->mark != U32_MAX && nla_put_u32(skb, TCA_WIRE_MARK, wire->mark)) ||
	    (wire->name[0] && nla_put_string(skb, TCA_WIRE_NAME, wire->name)) ||
	    (wire->quiet && nla_put_u32(skb, TCA_WIRE_QUIET, 1))) {
		nla_nest_cancel(skb, nest);
		return -EMSGSIZE;
	}
	return nla_nest_end(skb, nest);
}

/* The common statistics are copied after this. */
static int wire_dump_stats(struct Qdisc *sch, struct gnet_dump *d)
{
	sch_tree_lock(sch);
	wire_tell(sch, ktime_get_ns());
	sch_tree_unlock(sch);
	return 0;
}

static struct Qdisc_ops wire_ops __read_mostly = {
	.id		= "wire",
	.owner		= THIS_MODULE,
	.priv_size	= sizeof(struct wire),
	.enqueue	= wire_enqueue,
	.dequeue	= wire_dequeue,
	.peek		= qdisc_peek_head,
	.init		= wire_init,
	.reset		= wire_reset,
	.destroy	= wire_destroy,
	.dump		= wire_dump,
	.dump_stats	= wire_dump_stats,
};

static int __init wire_module_init(void)
{
	int err;

	err = wire_sampler_init();
	if (err)
		return err;
	err = register_qdisc(&wire_ops);
	if (err)
		wire_sampler_exit();
	return err;
}

static void __exit wire_module_exit(void)
{
	unregister_qdisc(&wire_ops);
	wire_sampler_exit();
}

module_init(wire_module_init);
module_exit(wire_module_exit);
MODULE_DESCRIPTION("A link of the lab: rate, delay, buffer, ECN threshold, exact backlog");
MODULE_LICENSE("GPL");
