// SPDX-License-Identifier: GPL-2.0
/*
 * Paths: (leaf, key, uplink) -> nexthops, or the reason why it is unusable. This file keeps
 * sets of paths of a leaf, one for each key: packets find sets, and sets are replaced,
 * evicted and forgotten. path_search.c makes a set from routes.
 *
 * An uplink is a path to a leaf for a packet if and only if it has a live nexthop of
 * the decision that the kernel makes about this very packet. The key has all on which the
 * decision depends, beside the destination: the DSCP, and, where there are routing rules,
 * the source, the ports, the L3 domain and those bits of the mark that a rule matches.
 *
 * The paths of one key are resolved together, published as a constant set and replaced
 * whole. A leaf keeps the sets of a few keys side by side. They stay valid as long as the
 * generation of routes and ports stays the same: every change of a route, rule, address,
 * nexthop, carrier or watched neighbour moves it, so that a withdrawal takes effect at the
 * next packet, and a route that returns is found at the next packet too. There is one
 * exception: IPv6 deletes a route without a new generation. So a set also holds the routes
 * that its verdicts rest on, and is resolved anew when the kernel gives one of them up.
 */
#include <linux/jiffies.h>
#include <linux/random.h>

#include "objects/leaf.h"
#include "objects/path_dst.h"
#include "objects/path_rules.h"
#include "objects/path_search.h"
#include "objects/port.h"

/* The number of sets, beyond one for each leaf, that a fabric may keep. */
#define CONGA_PATH_EXTRA	4096

/* A leaf with the largest number of keys replaces a set at most this often, so that packets
 * with ever new keys do not cost a look-up each.
 */
#define CONGA_PATH_EVICT	(HZ / 10)

/* --- the sets of a leaf, under its paths_lock --- */

static void conga_path_free_rcu(struct rcu_head *rcu)
{
	conga_path_free(container_of(rcu, struct conga_paths, rcu));
}

static struct conga_paths *conga_path_locked(struct conga_leaf *leaf,
					     struct conga_paths __rcu *paths)
{
	return rcu_dereference_protected(paths, lockdep_is_held(&leaf->paths_lock));
}

/* The pointer to the set with this key, or the NULL pointer at the end. */
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

/* The fabric counts the sets of leaves beyond one for each leaf. */
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

/* The set that was not used for the longest time, but never the first one. */
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

/* May the leaf keep the paths of one more key? If necessary, it evicts another set. */
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

/* Counts the uplinks that begin or cease to lead to the leaf by any key. */
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

/* Removes sets whose key no packet can have any more. The set that control packets used
 * before there was any packet stays only while it is alone.
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

/* Replaces the set with this key, or becomes the first set. */
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

/* If several processors find the paths stale, one of them resolves them. */
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

/* --- for packets and queries; BH disabled, RCU --- */

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

/* conga_path_renew - resolve the same paths again, after the kernel gave up a route of theirs */
const struct conga_paths *conga_path_renew(struct conga_leaf *leaf,
					   const struct conga_paths *paths)
{
	struct conga_path_key key = paths->key;

	WRITE_ONCE(((struct conga_paths *)paths)->genid, 0);
	return conga_path_resolve(leaf, &key);
}

/*
 * conga_path_main - the paths of the packets that went to @leaf, or, before the first one,
 * of a packet without marks and DSCP
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

/* This brings the paths of all keys up to date, one after the other. */
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
 * conga_path_dst - a route to @leaf by the uplink @port, for packets of any key
 *
 * NULL if there is none. The route is valid in the RCU section; no reference is taken.
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

/* conga_path_leads - is @port, of any role, a nexthop of the route to @leaf? */
bool conga_path_leads(struct conga_leaf *leaf, struct conga_port *port)
{
	u8 tag = READ_ONCE(port->tag);

	if (tag != CONGA_TAG_NONE)
		return conga_path_by(leaf, tag);
	return conga_path_search_one(leaf, port) == CONGA_PATH_USABLE;
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

/* conga_path_reason - the current enum conga_path_reason */
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

/* conga_path_forget_all - forget all paths of a leaf that dies, and has no reader any more */
void conga_path_forget_all(struct conga_leaf *leaf)
{
	spin_lock_bh(&leaf->paths_lock);
	while (conga_path_locked(leaf, leaf->paths))
		conga_path_unlink(leaf, &leaf->paths);
	conga_path_tell(leaf);
	spin_unlock_bh(&leaf->paths_lock);
}

/* conga_path_forget - removes sets that hold a route by @tag, since its device waits for the
 * route. The next packet resolves them again.
 */
void conga_path_forget(struct conga_leaf *leaf, u8 tag)
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
