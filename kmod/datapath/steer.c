// SPDX-License-Identifier: GPL-2.0
/*
 * The paths of a packet that may need others than the previous packet: routing rules match
 * more of it, a tunnel is bound to a device, there are IPsec policies, or routes have
 * changed.
 */
#include <net/l3mdev.h>

#include "datapath/steer.h"
#include "objects/path_rules.h"

/* The rules of the paths if these are current; otherwise the rules that the kernel has now */
static void conga_steer_rules(const struct conga_leaf *leaf, struct conga_path_rules *rules)
{
	const struct conga_paths *paths = rcu_dereference(leaf->paths);

	if (paths && conga_path_current(leaf, paths))
		*rules = paths->rules;
	else
		conga_path_rules_read(rules, leaf->fabric->net, conga_leaf_is_v4(leaf));
}

static void conga_steer_key(const struct conga_steer *steer, const struct sk_buff *skb,
			    const struct conga_path_rules *rules,
			    struct conga_path_key *key)
{
	*key = (struct conga_path_key) { .tos = conga_steer_tos(steer, skb) };
	if (!rules->any)
		return;
	conga_packet_source(skb, &steer->packet, &key->source);
	key->mark = skb->mark & rules->marks;
	key->domain = l3mdev_master_ifindex_rcu(skb_dst(skb)->dev);
	key->dstport = steer->packet.dstport;
	if (steer->packet.v6)
		key->tos = conga_packet_tos(skb, &steer->packet) & INET_DSCP_MASK;
	if (rules->sports)
		key->sport = conga_path_sport_class(rules,
						    conga_packet_sport(skb, &steer->packet));
	if (steer->choice.passing)
		key->iif = skb->skb_iif;
}

/* The kernel decided by a property that is not in the key. If a rule matches marks, the
 * packet was marked after its route was found.
 */
static void conga_steer_count_other(const struct conga_steer *steer,
				    const struct conga_path_key *key)
{
	conga_steer_count(steer, key->mark ? CONGA_A_STATS_FALLBACK_MARK :
					     CONGA_A_STATS_FALLBACK_ROUTE);
}

/* Is the packet's own route one of the nexthops, or is there no nexthop to replace it? */
static bool conga_steer_owns(const struct conga_paths *paths, const struct sk_buff *skb)
{
	return !paths->nexthops || conga_path_owns(paths, skb_dst(skb));
}

/* conga_steer_paths_anew - false, and counted, if the packet is left to its own route */
bool conga_steer_paths_anew(struct conga_steer *steer, const struct sk_buff *skb)
{
	struct conga_choice *choice = &steer->choice;
	struct conga_path_rules rules;
	struct conga_path_key key;

	if (READ_ONCE(choice->fabric->bound) && !choice->passing &&
	    conga_leave_bound(skb, &steer->packet, steer->requeued)) {
		conga_steer_count(steer, CONGA_A_STATS_FALLBACK_BOUND);
		return false;
	}
	conga_steer_rules(choice->leaf, &rules);
	if (rules.too_many) {
		conga_steer_count(steer, CONGA_A_STATS_FALLBACK_KEYS);
		return false;
	}
	conga_steer_key(steer, skb, &rules, &key);
	choice->paths = conga_path_find(choice->leaf, &key);
	/* The kernel takes the device away from a route that it gives up, e.g. when a path
	 * MTU has expired, so that the packet's own route seems to have another nexthop
	 * than before.
	 */
	if (!IS_ERR(choice->paths) && !conga_steer_owns(choice->paths, skb) &&
	    !conga_path_holds_routes(choice->leaf, choice->paths))
		choice->paths = conga_path_renew(choice->leaf, choice->paths);
	if (IS_ERR(choice->paths)) {
		conga_steer_count(steer, PTR_ERR(choice->paths) == -ENOSPC ?
					 CONGA_A_STATS_FALLBACK_KEYS :
					 CONGA_A_STATS_FALLBACK_NOMEM);
		return false;
	}
	if (conga_steer_owns(choice->paths, skb))
		return true;
	conga_steer_count_other(steer, &key);
	return false;
}
