// SPDX-License-Identifier: GPL-2.0
/*
 * Kinds of churn that change what the kernel decides a packet's way by, beside routes:
 * rules, neighbours, weights, buckets, IPsec policies, NAT.
 */
#include <fcntl.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <linux/xfrm.h>
#include <netinet/in.h>
#include <string.h>
#include <unistd.h>

#include "churn.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define NEIGHBOUR	"fe80::99"	/* by dummies */
#define RULE_MARK	0x2
#define RULE_TOS	0x10
#define VXLAN_PORT	4789
#define WEIGHT		9

/* For a moment a rule selects one more property of each packet. */
bool round_rule(void)
{
	static const struct rule rules[] = {
		{ .from = "10.0.0.11", .table = FIRST_UPLINK_TABLE },
		{ .tos = RULE_TOS, .table = FIRST_UPLINK_TABLE },
		{ .mark = RULE_MARK, .table = FIRST_UPLINK_TABLE },
		{ .protocol = IPPROTO_UDP, .dport = VXLAN_PORT, .table = FIRST_UPLINK_TABLE },
		{ .protocol = IPPROTO_UDP, .sport = VXLAN_PORT, .table = RT_TABLE_MAIN },
		{ .iif = "lo", .table = RT_TABLE_MAIN },
	};
	const struct rule *rule = &rules[turn % ARRAY_SIZE(rules)];
	bool made = rule_change(&box, RTM_NEWRULE, rule);

	usleep(PAUSE_US);
	return rule_change(&box, RTM_DELRULE, rule) && made;
}

static bool setting_write(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool written = fd >= 0 && write(fd, value, strlen(value)) > 0;

	if (fd >= 0)
		close(fd);
	return written;
}

/* A gateway is dead until it is resolved again; others are permanent, or removed. */
bool round_neighbour(void)
{
	bool heeded = setting_write("/proc/sys/net/ipv4/fib_multipath_use_neigh",
				    turn % 2 ? "1" : "0");
	const struct hop *hop = &opt.hop[turn % 2];

	if (turn % 3)
		neighbour_set(&box, hop->dev, hop->gateway, 0);
	else
		heeded = neighbour_set(&box, hop->dev, hop->gateway, NUD_FAILED) && heeded;
	heeded = neighbour_set(&box, "up8", NEIGHBOUR, NUD_PERMANENT) && heeded;
	usleep(PAUSE_US);
	return neighbour_set(&box, "up8", NEIGHBOUR, 0) && heeded;
}

/* The route sometimes has fewer nexthops; nothing is done while it is missing. */
bool round_weight(void)
{
	return route_weigh(&box, opt.vtep, opt.hop, opt.hops - turn % 2, turn % 3 ? WEIGHT : 1);
}

/* Buckets move from nexthop to nexthop; nothing is done while the second nexthop is missing.
 */
bool round_resilient(void)
{
	return nexthop_buckets(&box, RESILIENT_GROUP, GROUP_FIRST, GROUP_SECOND,
			       turn % 2 ? WEIGHT : 1);
}

/* Packets to the other leaf pass all of these policies, except for a default that is soon
 * removed; packets to the far leaf are blocked by one device.
 */
bool round_xfrm(void)
{
	const char *dev = opt.hop[turn % 2].dev;
	bool made;

	if (turn % 4 == 3) {
		made = xfrm_default(&box, true);
		return xfrm_default(&box, false) && made;
	}
	made = xfrm_policy_add(&box, XFRM_POLICY_OUT, opt.vtep, dev, false) &&
	       xfrm_policy_add(&box, XFRM_POLICY_IN, "10.0.0.11", NULL, false) &&
	       xfrm_policy_add(&box, XFRM_POLICY_OUT, FAR_LEAF, "up7", true);
	packets_send(FAR_TUNNEL, 4);
	usleep(PAUSE_US);
	xfrm_policy_delete(&box, XFRM_POLICY_OUT, FAR_LEAF, "up7");
	xfrm_policy_delete(&box, XFRM_POLICY_IN, "10.0.0.11", NULL);
	return xfrm_policy_delete(&box, XFRM_POLICY_OUT, opt.vtep, dev) && made;
}

/* Packets that leave by one uplink are translated, or those by any device. */
bool round_nat(void)
{
	bool made = nat_add(&box, turn % 2 ? link_index(&box, opt.hop[1].dev) : 0);

	usleep(PAUSE_US);
	return nat_delete(&box) && made;
}
