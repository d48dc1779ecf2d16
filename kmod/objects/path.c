// SPDX-License-Identifier: GPL-2.0
/*
 * Paths: (leaf, key, uplink) -> nexthops, usable or why not. With path4.c and path6.c
 * the only ones who know routes.
 *
 * An uplink is a path to a leaf for a packet if and only if it has a live nexthop of
 * the decision that the kernel makes about this very packet. What the decision depends
 * on beside the destination is the key: the DSCP, and, where there are routing rules,
 * the source, the ports, the L3 domain and those bits of the mark that a rule looks at.
 *
 * The paths of one key are resolved together, published as a constant set and replaced
 * whole. A leaf keeps the sets of a few keys side by side. They stay good as long as the
 * generation of routes and ports does: every change of a route, rule, address, nexthop,
 * carrier or watched neighbour moves it, so that a withdrawal takes effect at the next
 * packet, and a route that returns is found at the next packet too. With one exception:
 * IPv6 deletes a route without a new generation. So a set also holds the routes that
 * its verdicts rest on, and is resolved anew when the kernel gives one of them up.
 */
#include <linux/jiffies.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <net/fib_rules.h>
#include <net/l3mdev.h>

#include "objects/leaf.h"
#include "objects/path_dst.h"
#include "objects/path_search.h"
#include "objects/port.h"

/* Sets beyond one for each leaf that a fabric may keep. */
#define CONGA_PATH_EXTRA	4096

/* A leaf with as many keys as it may have takes a new one in place of another this
 * often, so that packets of ever new keys cost no look-up each.
 */
#define CONGA_PATH_EVICT	(HZ / 10)

/* conga_path_invalidate - a port's or a neighbour's state changed; any context */
void conga_path_invalidate(struct conga_fabric *fabric)
{
	atomic_inc(&fabric->path_epoch);
}

/* --- what rules look at --- */

static const struct fib_rules_ops *conga_path_rules_of(const struct net *net, bool v4)
{
#ifdef CONFIG_IP_MULTIPLE_TABLES
	if (v4)
		return net->ipv4.rules_ops;
#endif
#ifdef CONFIG_IPV6_MULTIPLE_TABLES
	if (!v4)
		return net->ipv6.fib6_rules_ops;
#endif
	return NULL;
}

static void conga_path_rules_bound(struct conga_path_rules *rules, unsigned int port)
{
	unsigned int i;

	if (!port || port > U16_MAX)
		return;
	for (i = 0; i < rules->sports; i++)
		if (rules->sport[i] == port)
			return;
	if (rules->sports == CONGA_PATH_SPORTS)
		rules->too_many = true;
	else
		rules->sport[rules->sports++] = port;
}

/* conga_path_rules_read - those in force now; RCU */
void conga_path_rules_read(struct conga_path_rules *rules, const struct net *net, bool v4)
{
	const struct fib_rules_ops *ops = conga_path_rules_of(net, v4);
	const struct fib_rule *rule;

	*rules = (struct conga_path_rules) {
		.any = v4 ? fib4_has_custom_rules(net) :
			    fib6_has_custom_rules(net) || fib6_routes_require_src(net),
	};
	if (!rules->any || !ops)
		return;
	list_for_each_entry_rcu(rule, &ops->rules_list, list) {
		rules->marks |= rule->mark_mask;
		if (!fib_rule_port_range_set(&rule->sport_range))
			continue;
		conga_path_rules_bound(rules, rule->sport_range.start);
		conga_path_rules_bound(rules, rule->sport_range.end + 1);
	}
}

/* conga_path_sport_class - the least source port that rules treat as they do @sport */
u16 conga_path_sport_class(const struct conga_path_rules *rules, u16 sport)
{
	u16 least = 0;
	unsigned int i;

	for (i = 0; i < rules->sports; i++)
		if (rules->sport[i] <= sport)
			least = max(least, rules->sport[i]);
	return least;
}

/* May packets have this key? Not after rules changed so that they look at other things. */
static bool conga_path_rules_allow(const struct conga_path_rules *rules,
				   const struct conga_path_key *key)
{
	if (key->domain == CONGA_PATH_OWN_DOMAIN)
		return true;
	if (ipv6_addr_any(&key->source) == rules->any)
		return false;
	return !(key->mark & ~rules->marks) &&
	       conga_path_sport_class(rules, key->sport) == key->sport;
}

/* --- a set: made, published, freed --- */

/* conga_path_domain - the L3 master device to ask by */
s32 conga_path_domain(const struct conga_path_search *search, const struct net_device *dev)
{
	if (search->key->domain == CONGA_PATH_OWN_DOMAIN)
		return l3mdev_master_ifindex_rcu(dev);
	return search->key->domain;
}

/* conga_path_gather - takes the reference of @dst over; @kept is its cookie or its MTU */
void conga_path_gather(struct conga_path_search *search, const struct conga_port *port,
		       struct dst_entry *dst, u32 kept, unsigned int weight)
{
	if (search->nexthops == CONGA_PATH_NEXTHOPS) {
		dst_release(dst);
		return;
	}
	search->nexthop[search->nexthops++] = (struct conga_nexthop) {
		.dst	= dst,
		.cookie	= kept,
		.weight	= clamp(weight, 1U, (unsigned int)U16_MAX),
		.tag	= port->tag,
	};
}

/* The gateway of a route that was looked up, in short. */
static u32 conga_path_gateway(const struct dst_entry *dst)
{
	const struct rtable *rt = (const struct rtable *)dst;

	if (dst->ops->family == AF_INET6)
		return ipv6_addr_hash(&((const struct rt6_info *)dst)->rt6i_gateway);
	if (rt->rt_gw_family == AF_INET6)
		return ipv6_addr_hash(&rt->rt_gw6);
	return rt->rt_gw_family ? (__force u32)rt->rt_gw4 : 0;
}

static bool conga_path_member_is(const struct conga_path_member *member,
				 const struct dst_entry *dst)
{
	return member->dev == dst->dev && member->gateway == conga_path_gateway(dst);
}

/* conga_path_note - a nexthop of the decision, unless it was gathered */
void conga_path_note(struct conga_path_search *search, const struct fib_nh_common *nhc)
{
	struct conga_path_member member = { .dev = nhc->nhc_dev };
	u8 i;

	if (nhc->nhc_gw_family == AF_INET6)
		member.gateway = ipv6_addr_hash(&nhc->nhc_gw.ipv6);
	else if (nhc->nhc_gw_family == AF_INET)
		member.gateway = (__force u32)nhc->nhc_gw.ipv4;
	for (i = 0; i < search->nexthops; i++)
		if (conga_path_member_is(&member, search->nexthop[i].dst))
			return;
	if (search->members < CONGA_PATH_MEMBERS)
		search->member[search->members++] = member;
}

static u8 conga_path_search_port(struct conga_path_search *search, struct conga_port *port)
{
	if (!conga_port_up(port))
		return CONGA_PATH_PORT_DOWN;
	if (conga_leaf_is_v4(search->leaf))
		return conga_path_search4(search, port);
	return conga_path_search6(search, port);
}

static void conga_path_search_release(struct conga_path_search *search)
{
	while (search->nexthops)
		dst_release(search->nexthop[--search->nexthops].dst);
	dst_release(search->witness);
}

static void conga_path_search_ports(struct conga_path_search *search)
{
	struct conga_port *port;
	u8 tag;

	for (tag = 0; tag < CONGA_TAGS_MAX; tag++) {
		port = conga_port_hop(search->leaf->fabric, tag);
		if (port)
			search->reason[tag] = conga_path_search_port(search, port);
	}
}

/* If no gateway answers the kernel uses them all the same. */
static void conga_path_search(struct conga_path_search *search)
{
	conga_path_search_ports(search);
	if (!search->nexthops && search->skipped) {
		search->any_neighbour = true;
		conga_path_search_ports(search);
	}
	if (search->key->domain == CONGA_PATH_OWN_DOMAIN)
		return;
	if (conga_leaf_is_v4(search->leaf))
		conga_path_members4(search);
	else
		conga_path_members6(search);
}

/* What was gathered, by LBTag. */
static void conga_path_fill(struct conga_paths *paths, const struct conga_path_search *search)
{
	u32 weight = 0;
	u8 i, tag;

	memcpy(paths->nexthop, search->nexthop, search->nexthops * sizeof(*paths->nexthop));
	paths->nexthops = search->nexthops;
	for (i = 0; i < search->nexthops; i++) {
		struct conga_path *path = &paths->path[search->nexthop[i].tag];

		if (!path->count++)
			path->first = i;
		path->weight += search->nexthop[i].weight;
		paths->routed |= BIT(search->nexthop[i].tag);
	}
	for (tag = 0; tag < CONGA_TAGS_MAX; tag++) {
		paths->path[tag].reason = search->reason[tag];
		if (!paths->path[tag].count)
			continue;
		paths->uneven |= weight && paths->path[tag].weight != weight;
		weight = paths->path[tag].weight;
	}
}

static struct conga_paths *conga_path_alloc(const struct conga_path_search *search)
{
	struct conga_paths *paths;

	paths = kzalloc(struct_size(paths, nexthop, search->nexthops) +
			search->members * sizeof(*paths->member),
			GFP_ATOMIC | __GFP_NOWARN);
	if (!paths)
		return NULL;
	paths->key = *search->key;
	paths->members = search->members;
	paths->member = (void *)&paths->nexthop[search->nexthops];
	memcpy(paths->member, search->member, search->members * sizeof(*paths->member));
	paths->witness = search->witness;
	paths->witness_cookie = search->witness_cookie;
	paths->seen = jiffies;
	paths->owned = jiffies;
	conga_path_fill(paths, search);
	return paths;
}

/* IPsec policies, of whose changes the generation of routes tells. */
static bool conga_path_xfrm(const struct net *net)
{
#ifdef CONFIG_XFRM
	return net->xfrm.policy_count[XFRM_POLICY_OUT] ||
	       net->xfrm.policy_default[XFRM_POLICY_OUT] == XFRM_USERPOLICY_BLOCK;
#else
	return false;
#endif
}

/* The generation is read before rules and routes: a change in between makes the result
 * outdated, never wrongly current. NULL without memory.
 */
static struct conga_paths *conga_path_make(struct conga_leaf *leaf,
					   const struct conga_path_key *key)
{
	struct conga_path_search search = { .leaf = leaf, .key = key };
	u64 genid = conga_path_genid(leaf);
	struct conga_paths *paths;

	conga_path_search(&search);
	paths = conga_path_alloc(&search);
	if (!paths) {
		conga_path_search_release(&search);
		return NULL;
	}
	conga_path_rules_read(&paths->rules, leaf->fabric->net, conga_leaf_is_v4(leaf));
	paths->xfrm = conga_path_xfrm(leaf->fabric->net);
	paths->lone = !paths->rules.any && !paths->xfrm && !READ_ONCE(leaf->fabric->bound);
	paths->genid = search.nomem ? 0 : genid;
	return paths;
}

/* Routes are released at once: dst_release() itself waits for RCU. */
static void conga_path_free(struct conga_paths *paths)
{
	u8 i;

	for (i = 0; i < paths->nexthops; i++)
		dst_release(paths->nexthop[i].dst);
	dst_release(paths->witness);
	kfree(paths);
}

static void conga_path_free_rcu(struct rcu_head *rcu)
{
	conga_path_free(container_of(rcu, struct conga_paths, rcu));
}

/* --- the sets of a leaf, under its paths_lock --- */

static struct conga_paths *conga_path_locked(struct conga_leaf *leaf,
					     struct conga_paths __rcu *paths)
{
	return rcu_dereference_protected(paths, lockdep_is_held(&leaf->paths_lock));
}

/* The pointer that points at the set with this key, or at none. */
static struct conga_paths __rcu **conga_path_place(struct conga_leaf *leaf,
						   const struct conga_path_key *key)
{
	struct conga_paths __rcu **place = &leaf->paths;
	struct conga_paths *paths;

	for (; (paths = conga_path_locked(leaf, *place)); place = &paths->next)
		if (!memcmp(&paths->key, key, sizeof(*key)))
			break;
	return place;
}

/* The fabric counts those sets that are not the only one of their leaf. */
static void conga_path_count_keys(struct conga_leaf *leaf, int more)
{
	int before = max(leaf->path_keys - 1, 0);

	leaf->path_keys += more;
	atomic_add(max(leaf->path_keys - 1, 0) - before, &leaf->fabric->path_extra);
}

static void conga_path_unlink(struct conga_leaf *leaf, struct conga_paths __rcu **place)
{
	struct conga_paths *paths = conga_path_locked(leaf, *place);

	rcu_assign_pointer(*place, conga_path_locked(leaf, paths->next));
	conga_path_count_keys(leaf, -1);
	call_rcu(&paths->rcu, conga_path_free_rcu);
}

static bool conga_path_is_default(const struct conga_paths *paths)
{
	return paths->key.domain == CONGA_PATH_OWN_DOMAIN;
}

/* The set that was used least lately, but never the first one. */
static struct conga_paths __rcu **conga_path_oldest(struct conga_leaf *leaf)
{
	struct conga_paths __rcu **place, **oldest = NULL;
	struct conga_paths *paths;
	unsigned long seen = 0;

	for (place = &conga_path_locked(leaf, leaf->paths)->next;
	     (paths = conga_path_locked(leaf, *place)); place = &paths->next) {
		if (oldest && !time_before(READ_ONCE(paths->seen), seen))
			continue;
		oldest = place;
		seen = READ_ONCE(paths->seen);
	}
	return oldest;
}

/* May the leaf keep the paths of one key more? If need be in place of others. */
static bool conga_path_room(struct conga_leaf *leaf)
{
	const struct conga_paths *first = conga_path_locked(leaf, leaf->paths);

	if (!first || conga_path_is_default(first) ||
	    (leaf->path_keys < CONGA_PATH_KEYS &&
	     atomic_read(&leaf->fabric->path_extra) < CONGA_PATH_EXTRA))
		return true;
	if (leaf->path_keys < 2 ||
	    (u32)jiffies - leaf->path_evicted < CONGA_PATH_EVICT)
		return false;
	leaf->path_evicted = jiffies;
	conga_path_unlink(leaf, conga_path_oldest(leaf));
	return true;
}

/* Which uplinks lead to the leaf, whatever the key, by counters and events. */
static void conga_path_tell(struct conga_leaf *leaf)
{
	struct conga_stats __percpu *stats = leaf->fabric->stats;
	u16 up = 0, before = leaf->path_up;
	struct conga_paths *paths;

	for (paths = conga_path_locked(leaf, leaf->paths); paths;
	     paths = conga_path_locked(leaf, paths->next))
		up |= paths->routed;
	leaf->path_up = up;
	conga_stats_add(stats, CONGA_A_STATS_PATH_UP, hweight16(up & ~before));
	conga_stats_add(stats, CONGA_A_STATS_PATH_DOWN, hweight16(before & ~up));
}

static bool conga_path_news(const struct conga_paths *before, const struct conga_paths *paths)
{
	u8 tag;

	for (tag = 0; tag < CONGA_TAGS_MAX; tag++)
		if (!before || before->path[tag].reason != paths->path[tag].reason)
			return true;
	return false;
}

/* What no packet can have any more is not shown, and takes no room. What control packets
 * asked for while there was no packet stays while it is alone.
 */
static void conga_path_prune(struct conga_leaf *leaf, const struct conga_path_rules *rules)
{
	struct conga_paths __rcu **place = &leaf->paths;
	struct conga_paths __rcu **made_up = NULL;
	struct conga_paths *paths;

	while ((paths = conga_path_locked(leaf, *place))) {
		if (!conga_path_rules_allow(rules, &paths->key)) {
			conga_path_unlink(leaf, place);
			continue;
		}
		if (conga_path_is_default(paths))
			made_up = place;
		place = &paths->next;
	}
	if (made_up && leaf->path_keys > 1)
		conga_path_unlink(leaf, made_up);
}

/* In place of the one with its key, or else as the first. */
static void conga_path_publish(struct conga_leaf *leaf, struct conga_paths __rcu **place,
			       struct conga_paths *paths)
{
	struct conga_paths *before = conga_path_locked(leaf, *place);

	if (conga_path_news(before, paths))
		conga_fabric_changed(leaf->fabric);
	if (before) {
		rcu_assign_pointer(paths->next, conga_path_locked(leaf, before->next));
		rcu_assign_pointer(*place, paths);
		call_rcu(&before->rcu, conga_path_free_rcu);
	} else {
		rcu_assign_pointer(paths->next, conga_path_locked(leaf, leaf->paths));
		rcu_assign_pointer(leaf->paths, paths);
		conga_path_count_keys(leaf, 1);
	}
	conga_path_prune(leaf, &paths->rules);
	conga_path_tell(leaf);
}

/* Of several processors that find the paths outdated one resolves them. */
static const struct conga_paths *conga_path_resolve_locked(struct conga_leaf *leaf,
							   const struct conga_path_key *key)
{
	struct conga_paths *paths = conga_path_locked(leaf, *conga_path_place(leaf, key));

	if (paths && conga_path_holds_all(leaf, paths))
		return paths;
	if (!paths && !conga_path_room(leaf))
		return ERR_PTR(-ENOSPC);
	paths = conga_path_make(leaf, key);
	if (!paths)
		return ERR_PTR(-ENOMEM);
	conga_path_publish(leaf, conga_path_place(leaf, key), paths);
	return paths;
}

static const struct conga_paths *conga_path_resolve(struct conga_leaf *leaf,
						    const struct conga_path_key *key)
{
	const struct conga_paths *paths;

	lockdep_assert(in_softirq());
	spin_lock(&leaf->paths_lock);
	paths = conga_path_resolve_locked(leaf, key);
	spin_unlock(&leaf->paths_lock);
	return paths;
}

/* --- for packets and for those who ask; BH disabled, RCU --- */

static struct conga_paths *conga_path_get(struct conga_leaf *leaf,
					  const struct conga_path_key *key)
{
	struct conga_paths *paths = rcu_dereference(leaf->paths);

	for (; paths; paths = rcu_dereference(paths->next))
		if (!memcmp(&paths->key, key, sizeof(*key)))
			return paths;
	return NULL;
}

/*
 * conga_path_find - the paths to @leaf of packets with @key
 *
 * ERR_PTR: -ENOSPC if the leaf has more keys than are kept, -ENOMEM
 */
const struct conga_paths *conga_path_find(struct conga_leaf *leaf,
					  const struct conga_path_key *key)
{
	struct conga_paths *paths = conga_path_get(leaf, key);

	if (!paths || !conga_path_holds_all(leaf, paths))
		return conga_path_resolve(leaf, key);
	if (time_after(jiffies, READ_ONCE(paths->seen)))
		WRITE_ONCE(paths->seen, jiffies);
	return paths;
}

/* conga_path_renew - the same paths, once a route of theirs was found given up */
const struct conga_paths *conga_path_renew(struct conga_leaf *leaf,
					   const struct conga_paths *paths)
{
	struct conga_path_key key = paths->key;

	WRITE_ONCE(((struct conga_paths *)paths)->genid, 0);
	return conga_path_resolve(leaf, &key);
}

/*
 * conga_path_main - the paths of the packets that were seen to @leaf, or, before there
 * are any, of one without marks and DSCP
 *
 * NULL without memory. With several keys these are the newest key's.
 */
const struct conga_paths *conga_path_main(struct conga_leaf *leaf)
{
	struct conga_paths *paths = rcu_dereference(leaf->paths);
	struct conga_path_key key = { .domain = CONGA_PATH_OWN_DOMAIN };
	struct conga_path_rules rules;

	if (paths && conga_path_holds_all(leaf, paths))
		return paths;
	conga_path_rules_read(&rules, leaf->fabric->net, conga_leaf_is_v4(leaf));
	if (paths && conga_path_rules_allow(&rules, &paths->key))
		key = paths->key;
	paths = (struct conga_paths *)conga_path_resolve(leaf, &key);
	return IS_ERR(paths) ? NULL : paths;
}

/* All keys' paths are brought up to date, one after the other. */
static void conga_path_refresh(struct conga_leaf *leaf)
{
	const struct conga_paths *paths = conga_path_main(leaf);

	for (; paths; paths = rcu_dereference(paths->next))
		if (!conga_path_holds_all(leaf, paths))
			conga_path_find(leaf, &paths->key);
}

/* conga_path_by - paths to @leaf, of any key, that have one by @tag; NULL if none has */
const struct conga_paths *conga_path_by(struct conga_leaf *leaf, u8 tag)
{
	const struct conga_paths *paths;

	conga_path_refresh(leaf);
	for (paths = rcu_dereference(leaf->paths); paths;
	     paths = rcu_dereference(paths->next))
		if (paths->routed & BIT(tag))
			return paths;
	return NULL;
}

/*
 * conga_path_dst - a route to @leaf by the uplink @port, of packets of any key
 *
 * NULL if there is none. It is good for the RCU section, no reference is taken.
 */
struct dst_entry *conga_path_dst(struct conga_leaf *leaf, const struct conga_port *port)
{
	u8 tag = READ_ONCE(port->tag);
	const struct conga_paths *paths = conga_path_by(leaf, tag);
	const struct conga_nexthop *nexthop;

	if (!paths || !conga_port_up(port))
		return NULL;
	nexthop = conga_path_nexthop(paths, tag, get_random_u32());
	if (conga_path_holds(leaf, nexthop->dst, nexthop->cookie))
		return nexthop->dst;
	paths = conga_path_renew(leaf, paths);
	if (IS_ERR(paths))
		return NULL;
	nexthop = conga_path_nexthop(paths, tag, get_random_u32());
	return nexthop ? nexthop->dst : NULL;
}

/* Packets with the same own route need no search after this one. All processors read this
 * word, so that it is written at most once a jiffy, also where packets' own routes differ.
 */
static void conga_path_note_own(const struct conga_paths *paths, const struct dst_entry *own)
{
	struct conga_paths *noted = (struct conga_paths *)paths;

	if (!time_after(jiffies, READ_ONCE(paths->owned)))
		return;
	WRITE_ONCE(noted->owned, jiffies);
	WRITE_ONCE(noted->own, own);
}

/* conga_path_owns_any - is a packet's own route one of the decision's nexthops, used or
 * not? If not, the kernel decided by something else.
 */
bool conga_path_owns_any(const struct conga_paths *paths, const struct dst_entry *own)
{
	u8 i;

	for (i = 0; i < paths->nexthops; i++) {
		if (!conga_path_same(paths->nexthop[i].dst, own))
			continue;
		if (paths->nexthop[i].dst == own)
			conga_path_note_own(paths, own);
		return true;
	}
	for (i = 0; i < paths->members; i++)
		if (conga_path_member_is(&paths->member[i], own))
			return true;
	return false;
}

/* conga_path_leads - is @port, of any role, a nexthop of the route to @leaf? */
bool conga_path_leads(struct conga_leaf *leaf, struct conga_port *port)
{
	const struct conga_path_key key = { .domain = CONGA_PATH_OWN_DOMAIN };
	struct conga_path_search search = { .leaf = leaf, .key = &key };
	u8 tag = READ_ONCE(port->tag), reason;

	if (tag != CONGA_TAG_NONE)
		return conga_path_by(leaf, tag);
	reason = conga_path_search_port(&search, port);
	conga_path_search_release(&search);
	return reason == CONGA_PATH_USABLE;
}

/* conga_path_usable - bit per LBTag whose path is usable for packets of any key */
u16 conga_path_usable(struct conga_leaf *leaf)
{
	const struct conga_paths *paths;
	struct conga_port *port;
	unsigned long routed = 0;
	u16 usable = 0;
	u8 tag;

	conga_path_refresh(leaf);
	for (paths = rcu_dereference(leaf->paths); paths;
	     paths = rcu_dereference(paths->next))
		routed |= paths->routed;
	for_each_set_bit(tag, &routed, CONGA_TAGS_MAX) {
		port = conga_port_hop(leaf->fabric, tag);
		if (port && conga_port_up(port))
			usable |= BIT(tag);
	}
	return usable;
}

/* conga_path_reason - enum conga_path_reason, in force now */
u8 conga_path_reason(struct conga_leaf *leaf, struct conga_port *port)
{
	const struct conga_paths *paths;
	u8 reason;

	if (!conga_port_up(port))
		return CONGA_PATH_PORT_DOWN;
	if (conga_path_by(leaf, port->tag))
		return CONGA_PATH_USABLE;
	paths = conga_path_main(leaf);
	reason = paths ? paths->path[port->tag].reason : 0;
	return reason ? reason : CONGA_PATH_NO_ROUTE;
}

/* --- the end of leaves and uplinks --- */

/* conga_path_forget_all - the leaf dies, and nobody sees it any more */
void conga_path_forget_all(struct conga_leaf *leaf)
{
	spin_lock_bh(&leaf->paths_lock);
	while (conga_path_locked(leaf, leaf->paths))
		conga_path_unlink(leaf, &leaf->paths);
	conga_path_tell(leaf);
	spin_unlock_bh(&leaf->paths_lock);
}

/* Sets that have a route by @tag, whose device waits for it. They are resolved again by
 * the next packet.
 */
static void conga_path_forget(struct conga_leaf *leaf, u8 tag)
{
	struct conga_paths __rcu **place = &leaf->paths;
	struct conga_paths *paths;
	u16 up;

	spin_lock_bh(&leaf->paths_lock);
	up = leaf->path_up & ~BIT(tag);
	while ((paths = conga_path_locked(leaf, *place))) {
		if (paths->routed & BIT(tag))
			conga_path_unlink(leaf, place);
		else
			place = &paths->next;
	}
	if (leaf->path_up & BIT(tag))
		conga_stats_inc(leaf->fabric->stats, CONGA_A_STATS_PATH_DOWN);
	leaf->path_up = up;
	spin_unlock_bh(&leaf->paths_lock);
}

/* conga_path_forget_tag - the uplink died; after its grace period */
void conga_path_forget_tag(struct conga_fabric *fabric, u8 tag)
{
	struct conga_leaf *leaf;
	unsigned long index = 0;

	conga_assert_locked(fabric);
	conga_path_invalidate(fabric);
	for (; (leaf = conga_leaf_next(fabric, &index)); index++) {
		conga_path_forget(leaf, tag);
		conga_leaf_forget_tag(leaf, tag);
	}
}
