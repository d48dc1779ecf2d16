// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <linux/conga.h>
#include "common/units.h"
#include "tool/check_counter.h"
#include "tool/check_node.h"
#include "tool/check_report.h"
#include "tool/counters.h"
#include "tool/stats.h"

#define CONGA_CHECK_COUNTER_MAX	256

/* Packets in a hundred that share the entry of another flow's flowlet, at most */
#define CONGA_CHECK_COLLISIONS_PERCENT	1

/* So many packets meet a long queue on their way, unless the fabric is almost idle. */
#define CONGA_CHECK_UNMARKED_LEAST	100000ULL

static unsigned long long conga_check_growth(const struct conga_node *node, int attr)
{
	return conga_stats_change(node->before.values[attr], node->after.values[attr]);
}

static void conga_check_counter_report(const struct conga_check *check,
				       const struct conga_node *node, int attr)
{
	const struct conga_counter *counter = &conga_counters[attr];
	unsigned long long change = conga_check_growth(node, attr);
	unsigned long long ns = node->after.ns - node->before.ns;
	char finding[CONGA_CHECK_COUNTER_MAX], age[CONGA_UNITS_TEXT_MAX];

	conga_units_format_age(age, sizeof(age), ns);
	snprintf(finding, sizeof(finding), "grew by %llu in %s, %.3g/s: %s", change, age,
		 conga_stats_per_second(change, ns), counter->meaning);
	conga_check_report_parts(check, counter->name, finding, counter->advice);
}

/* The description of the family says which counters are findings, and how bad they are. */
void conga_check_counters(const struct conga_check *check, const struct conga_node *node)
{
	struct conga_check one = *check;
	int i;

	for (i = 1; i <= CONGA_A_STATS_MAX; i++) {
		one.severity = conga_counters[i].severity;
		if (one.severity && conga_check_growth(node, i))
			conga_check_counter_report(&one, node, i);
	}
}

/* A few collisions are normal. */
void conga_check_collisions(const struct conga_check *check, const struct conga_node *node)
{
	unsigned long long packets = conga_check_growth(node, CONGA_A_STATS_TX_STEERED);
	unsigned long long collisions = conga_check_growth(node, CONGA_A_STATS_FLOWLET_COLLISIONS);

	if (collisions * 100 > packets * CONGA_CHECK_COLLISIONS_PERCENT)
		conga_check_counter_report(check, node, CONGA_A_STATS_FLOWLET_COLLISIONS);
}

/* Either no queue was ever long, or none marks; this node cannot tell which. */
void conga_check_ecn_unmarked(const struct conga_check *check, const struct conga_node *node)
{
	unsigned long long packets = node->after.values[CONGA_A_STATS_ECN_RECEIVED];

	if (packets < CONGA_CHECK_UNMARKED_LEAST || node->after.values[CONGA_A_STATS_ECN_MARKED])
		return;
	conga_check_report(check, "ecn",
			   "is on, and none of the %llu packets that could be marked was; if the fabric was ever busy, see that the queues of the nodes on the way mark packets with ECT",
			   packets);
}
