// SPDX-License-Identifier: GPL-2.0
#include <linux/conga.h>
#include <netlink/attr.h>
#include "common/array.h"
#include "common/attr.h"
#include "common/names.h"
#include "common/qdisc.h"
#include "common/units.h"
#include "tool/check_node.h"
#include "tool/check_queue.h"
#include "tool/check_report.h"
#include "tool/grammar.h"

/* The next qdisc of a device; NULL after the last. */
static const struct conga_qdisc *conga_check_next_qdisc(const struct conga_array *qdiscs,
							int ifindex, size_t *next)
{
	while (*next < qdiscs->count) {
		const struct conga_qdisc *qdisc = conga_array_at(qdiscs, (*next)++);

		if (qdisc->ifindex == ifindex)
			return qdisc;
	}
	return NULL;
}

static void conga_check_queue_rate_of(const struct conga_check *check,
				      const struct conga_node *node, struct nlattr **port)
{
	unsigned long long rate = conga_attr_number(port[CONGA_A_PORT_RATE]);
	char dev[CONGA_NODE_NAME_MAX], have[CONGA_UNITS_TEXT_MAX], want[CONGA_UNITS_TEXT_MAX];
	unsigned int ifindex = conga_attr_number(port[CONGA_A_PORT_IFINDEX]);
	const struct conga_qdisc *qdisc;
	size_t next = 0;

	while ((qdisc = conga_check_next_qdisc(&node->qdiscs, ifindex, &next))) {
		if (!qdisc->rate || qdisc->rate >= rate)
			continue;
		conga_names_find(ifindex, dev);
		conga_units_format_rate(have, sizeof(have), qdisc->rate);
		conga_units_format_rate(want, sizeof(want), rate);
		conga_check_report(check, dev,
				   "is shaped by %s to %s, below the rate of the port, %s, so the port looks less loaded than it is; if that is intended, set the rate: conga port set %s rate %s; if not: tc qdisc del dev %s root",
				   qdisc->kind, have, want, dev, have, dev);
	}
}

void conga_check_queue_rate(const struct conga_check *check, const struct conga_node *node)
{
	struct nlattr *port[CONGA_ATTRS_MAX + 1];
	size_t next = 0;

	while (conga_node_next_port(node, &next, port))
		conga_check_queue_rate_of(check, node, port);
}

static unsigned long long conga_check_drops(const struct conga_array *qdiscs, int ifindex)
{
	const struct conga_qdisc *qdisc;
	unsigned long long drops = 0;
	size_t next = 0;

	while ((qdisc = conga_check_next_qdisc(qdiscs, ifindex, &next)))
		if (qdisc->root)
			drops += qdisc->drops;
	return drops;
}

void conga_check_queue_drops(const struct conga_check *check, const struct conga_node *node)
{
	struct nlattr *port[CONGA_ATTRS_MAX + 1];
	unsigned long long before, after;
	char dev[CONGA_NODE_NAME_MAX];
	unsigned int ifindex;
	size_t next = 0;

	while (conga_node_next_port(node, &next, port)) {
		ifindex = conga_attr_number(port[CONGA_A_PORT_IFINDEX]);
		before = conga_check_drops(&node->qdiscs_before, ifindex);
		after = conga_check_drops(&node->qdiscs, ifindex);
		if (after <= before)
			continue;
		conga_names_find(ifindex, dev);
		conga_check_report(check, dev,
				   "dropped %llu packets in its queue meanwhile; a few are normal when TCP fills the link: see tc -s qdisc show dev %s",
				   after - before, dev);
	}
}
