// SPDX-License-Identifier: GPL-2.0
/* Qdiscs are parsed here: libnl-route knows neither cake nor the rate of netem. */
#include <stdio.h>
#include <string.h>
#include <linux/gen_stats.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include "common/attr.h"
#include "common/qdisc.h"

#define CONGA_QDISC_BITS	8	/* per byte: the kernel's rates are bytes per second */

struct conga_qdisc_reader {
	conga_qdisc_visitor *visit;
	void *arg;
};

/* A rate of 32 bits, or that of 64 bits beside it, which is there if the first is too small */
static uint64_t conga_qdisc_rate(uint32_t rate, const struct nlattr *rate64)
{
	return rate64 ? conga_attr_number(rate64) : rate;
}

static uint64_t conga_qdisc_rate_of_tbf(struct nlattr *options)
{
	struct nlattr *tb[TCA_TBF_MAX + 1];
	struct tc_tbf_qopt parms;

	if (nla_parse_nested(tb, TCA_TBF_MAX, options, NULL) < 0 || !tb[TCA_TBF_PARMS] ||
	    nla_len(tb[TCA_TBF_PARMS]) < (int)sizeof(parms))
		return 0;
	memcpy(&parms, nla_data(tb[TCA_TBF_PARMS]), sizeof(parms));
	return conga_qdisc_rate(parms.rate.rate, tb[TCA_TBF_RATE64]);
}

/* netem has a structure before its attributes. */
static uint64_t conga_qdisc_rate_of_netem(struct nlattr *options)
{
	const int header = NLA_ALIGN(sizeof(struct tc_netem_qopt));
	struct nlattr *tb[TCA_NETEM_MAX + 1];
	struct tc_netem_rate rate;

	if (nla_len(options) < header ||
	    nla_parse(tb, TCA_NETEM_MAX, (struct nlattr *)((char *)nla_data(options) + header),
		      nla_len(options) - header, NULL) < 0 || !tb[TCA_NETEM_RATE] ||
	    nla_len(tb[TCA_NETEM_RATE]) < (int)sizeof(rate))
		return 0;
	memcpy(&rate, nla_data(tb[TCA_NETEM_RATE]), sizeof(rate));
	return conga_qdisc_rate(rate.rate, tb[TCA_NETEM_RATE64]);
}

static uint64_t conga_qdisc_rate_of_cake(struct nlattr *options)
{
	struct nlattr *tb[TCA_CAKE_MAX + 1];

	if (nla_parse_nested(tb, TCA_CAKE_MAX, options, NULL) < 0)
		return 0;
	return conga_attr_number(tb[TCA_CAKE_BASE_RATE64]);
}

static uint64_t conga_qdisc_read_rate(const char *kind, struct nlattr *options)
{
	uint64_t bytes = 0;

	if (!options)
		return 0;
	if (!strcmp(kind, "tbf"))
		bytes = conga_qdisc_rate_of_tbf(options);
	else if (!strcmp(kind, "netem"))
		bytes = conga_qdisc_rate_of_netem(options);
	else if (!strcmp(kind, "cake"))
		bytes = conga_qdisc_rate_of_cake(options);
	return bytes * CONGA_QDISC_BITS;
}

static uint64_t conga_qdisc_read_drops(struct nlattr *stats)
{
	struct nlattr *tb[TCA_STATS_MAX + 1];
	struct gnet_stats_queue queue;

	if (!stats || nla_parse_nested(tb, TCA_STATS_MAX, stats, NULL) < 0 ||
	    !tb[TCA_STATS_QUEUE] || nla_len(tb[TCA_STATS_QUEUE]) < (int)sizeof(queue))
		return 0;
	memcpy(&queue, nla_data(tb[TCA_STATS_QUEUE]), sizeof(queue));
	return queue.drops;
}

static int conga_qdisc_on_reply(struct nl_msg *reply, void *arg)
{
	const struct tcmsg *tcm = nlmsg_data(nlmsg_hdr(reply));
	const struct conga_qdisc_reader *reader = arg;
	struct nlattr *tb[TCA_MAX + 1];
	struct conga_qdisc qdisc;

	if (nlmsg_parse(nlmsg_hdr(reply), sizeof(*tcm), tb, TCA_MAX, NULL) < 0 || !tb[TCA_KIND] ||
	    tcm->tcm_parent == TC_H_INGRESS)
		return 0;
	qdisc = (struct conga_qdisc) {
		.ifindex = tcm->tcm_ifindex,
		.root = tcm->tcm_parent == TC_H_ROOT,
		.drops = conga_qdisc_read_drops(tb[TCA_STATS2]),
	};
	snprintf(qdisc.kind, sizeof(qdisc.kind), "%.*s", nla_len(tb[TCA_KIND]),
		 (char *)nla_data(tb[TCA_KIND]));
	qdisc.rate = conga_qdisc_read_rate(qdisc.kind, tb[TCA_OPTIONS]);
	return reader->visit(&qdisc, reader->arg);
}

int conga_qdisc_dump(struct conga_netlink *netlink, conga_qdisc_visitor *visit, void *arg,
		     struct conga_netlink_answer *answer)
{
	struct conga_qdisc_reader reader = { .visit = visit, .arg = arg };
	struct tcmsg tcm = { .tcm_family = AF_UNSPEC };
	struct nl_msg *msg = conga_netlink_message(RTM_GETQDISC, &tcm, sizeof(tcm));

	return conga_netlink_request_once(netlink, msg, NLM_F_DUMP, conga_qdisc_on_reply, &reader,
					  answer);
}
