// SPDX-License-Identifier: GPL-2.0
/*
 * The search for the paths of one key: for each port the nexthops of the kernel's decision
 * that are on it, or the reason why there are none. path4.c and path6.c look for nexthops,
 * and path_gather.c keeps each one; the gathered nexthops become one set, by LBTag.
 */
#include <linux/jiffies.h>
#include <linux/slab.h>

#include "objects/leaf.h"
#include "objects/path_dst.h"
#include "objects/path_gather.h"
#include "objects/path_rules.h"
#include "objects/path_search.h"
#include "objects/port.h"

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

/* conga_path_search_one - the reason why @port, in any role, is no nexthop of the route to
 * @leaf, or CONGA_PATH_USABLE
 */
u8 conga_path_search_one(struct conga_leaf *leaf, struct conga_port *port)
{
	const struct conga_path_key key = { .domain = CONGA_PATH_OWN_DOMAIN };
	struct conga_path_search search = { .leaf = leaf, .key = &key };
	u8 reason = conga_path_search_port(&search, port);

	conga_path_search_release(&search);
	return reason;
}

static void conga_path_search_ports(struct conga_path_search *search)
{
	struct conga_port *port;
	u8 tag;

	for (tag = 0; tag < CONGA_TAGS_MAX; tag++) {
		port = conga_port_hop(search->leaf->fabric, tag);
		if (port && READ_ONCE(port->tag) == tag)
			search->reason[tag] = conga_path_search_port(search, port);
	}
}

/* If no gateway answers, the kernel uses all of them. */
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

/* All LBTags of an uplink have the paths of its own one. */
static void conga_path_repeat(struct conga_paths *paths, const struct conga_fabric *fabric)
{
	unsigned long extra = READ_ONCE(fabric->extra);
	const struct conga_port *port;
	u8 tag;

	for_each_set_bit(tag, &extra, CONGA_TAGS_MAX) {
		port = conga_port_uplink(fabric, tag);
		if (!port || port->tag == tag)
			continue;
		paths->path[tag] = paths->path[port->tag];
		if (paths->path[tag].count)
			paths->routed |= BIT(tag);
	}
}

/* Copies the gathered nexthops, by LBTag. */
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
	conga_path_repeat(paths, search->leaf->fabric);
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

/* Are there IPsec policies? Their changes move the generation of routes. */
static bool conga_path_xfrm(const struct net *net)
{
#ifdef CONFIG_XFRM
	return net->xfrm.policy_count[XFRM_POLICY_OUT] ||
	       net->xfrm.policy_default[XFRM_POLICY_OUT] == XFRM_USERPOLICY_BLOCK;
#else
	return false;
#endif
}

/* conga_path_make - make the paths to @leaf of packets with @key from the current routes
 *
 * The generation is read before rules and routes: after a change in between the result is
 * stale, but never appears current. NULL without memory. The caller publishes them.
 */
struct conga_paths *conga_path_make(struct conga_leaf *leaf,
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

/* conga_path_free - free paths that have no reader. Routes are released at once:
 * dst_release() itself waits for RCU.
 */
void conga_path_free(struct conga_paths *paths)
{
	u8 i;

	for (i = 0; i < paths->nexthops; i++)
		dst_release(paths->nexthop[i].dst);
	dst_release(paths->witness);
	kfree(paths);
}
