// SPDX-License-Identifier: GPL-2.0
/* Leaves: the remote tunnel endpoints of a fabric. leaf_table.c finds them. */
#include <linux/rtnetlink.h>
#include <linux/slab.h>

#include "objects/extension.h"
#include "objects/leaf.h"
#include "objects/leaf_table.h"
#include "objects/ping.h"
#include "objects/port.h"
#include "paper/hello_terms.h"

/* The layout that the comment at the struct describes, if locks are one word and cache lines have
 * 64 bytes. Other processors have larger ones, where the members share some of them.
 */
#define CONGA_LEAF_LAID_OUT	(sizeof(spinlock_t) <= sizeof(u32) && L1_CACHE_BYTES == 64)

static_assert(!CONGA_LEAF_LAID_OUT || sizeof(struct conga_leaf) <= 1024);
static_assert(sizeof(struct conga_hello) <= 256);
static_assert(sizeof(struct conga_hello_pings) <= 512);
static_assert(!(CONGA_LEAF_PORTS & (CONGA_LEAF_CONGA | CONGA_LEAF_ECN | CONGA_LEAF_INFORMS)));
static_assert(!CONGA_LEAF_LAID_OUT ||
	      offsetof(struct conga_leaf, to.heard) % SMP_CACHE_BYTES == 0);

/* Is ecn on here, and in the leaf's last answer? Only hello can tell, also of a leaf that is
 * conga by order.
 */
static u8 conga_leaf_derive_ecn(const struct conga_leaf *leaf)
{
	const struct conga_hello *hello = leaf->hello;

	return hello->ecn && hello->reason == CONGA_LEAF_ANSWERS &&
	       conga_fabric_params(leaf->fabric)->ecn ? CONGA_LEAF_ECN : 0;
}

/* What feedback of a conga leaf tells. An operator who orders mode conga says that it tells more
 * than this node's own load; hello cannot know.
 */
static u8 conga_leaf_derive_more(const struct conga_leaf *leaf)
{
	u8 ecn = conga_leaf_derive_ecn(leaf);

	if (!ecn && leaf->mode != CONGA_MODE_CONGA && READ_ONCE(leaf->fabric->unmarked))
		return 0;
	return ecn | CONGA_LEAF_INFORMS;
}

/* The current state, configured or found by hello; under hello_lock. */
static u8 conga_leaf_derive(const struct conga_leaf *leaf)
{
	const struct conga_hello *hello = leaf->hello;

	if (leaf->mode == CONGA_MODE_CONGA)
		return CONGA_LEAF_CONGA | CONGA_LEAF_PORTS | conga_leaf_derive_more(leaf);
	if (leaf->mode == CONGA_MODE_PLAIN || hello->reason != CONGA_LEAF_ANSWERS)
		return 0;
	return CONGA_LEAF_CONGA | (hello->agreed & hello->kept) | conga_leaf_derive_more(leaf);
}

/* The paths that are out for a leaf in @state; likewise. Only a leaf that feeds back tells
 * several paths by one uplink apart.
 */
static u16 conga_leaf_silent(const struct conga_leaf *leaf, u8 state)
{
	u16 out = conga_extension_out(leaf);
	u16 closed = out | READ_ONCE(leaf->fabric->draining);

	if (!(state & CONGA_LEAF_CONGA))
		return out | READ_ONCE(leaf->fabric->extra);
	return out | conga_hello_shut(leaf->hello, closed);
}

static struct conga_leaf *conga_leaf_alloc(struct conga_fabric *fabric,
					   const struct in6_addr *addr, u8 mode,
					   u8 origin)
{
	struct conga_leaf *leaf = kzalloc(sizeof(*leaf), GFP_KERNEL_ACCOUNT);

	if (!leaf)
		return NULL;
	leaf->hello = kzalloc(sizeof(*leaf->hello), GFP_KERNEL_ACCOUNT);
	if (!leaf->hello) {
		kfree(leaf);
		return NULL;
	}
	leaf->addr = *addr;
	leaf->v4 = ipv6_addr_v4mapped(addr);
	leaf->mode = mode;
	leaf->origin = origin;
	leaf->fabric = fabric;
	spin_lock_init(&leaf->paths_lock);
	spin_lock_init(&leaf->hello_lock);
	conga_hello_setup(leaf->hello, 0, conga_fabric_params(fabric)->dstports.port);
	leaf->state = conga_leaf_derive(leaf);
	leaf->silent = leaf->state & CONGA_LEAF_CONGA ? 0 : fabric->extra;
	return leaf;
}

/* conga_leaf_forget_tag - forgets all that was learnt about an LBTag whose uplink died, or is
 * another one now; the locks are held
 */
void conga_leaf_forget_tag(struct conga_leaf *leaf, u8 tag)
{
	WRITE_ONCE(leaf->to.heard[tag], 0);
	/* By another uplink, its port would lead elsewhere, and another LBTag may have it there. */
	spin_lock_bh(&leaf->hello_lock);
	conga_entropy_forget(&leaf->entropy, tag);
	spin_unlock_bh(&leaf->hello_lock);
	conga_extension_forget_tag(leaf, tag);
	conga_ping_forget(leaf, tag);
}

/* conga_leaf_forget_uplink - the uplink died, after its grace period: all leaves forget their
 * paths by @tag and what was learnt about them; the locks are held
 */
void conga_leaf_forget_uplink(struct conga_fabric *fabric, u8 tag)
{
	struct conga_leaf *leaf;
	unsigned long index = 0;

	conga_assert_locked(fabric);
	conga_fabric_invalidate_paths(fabric);
	for (; (leaf = conga_leaf_next(fabric, &index)); index++) {
		conga_path_forget(leaf, tag);
		conga_leaf_forget_tag(leaf, tag);
	}
}

/*
 * conga_leaf_add - make and publish a leaf
 *
 * May sleep. ERR_PTR: -ENOMEM, or -EBUSY when all 65,535 indices are taken.
 */
struct conga_leaf *conga_leaf_add(struct conga_fabric *fabric,
				  const struct in6_addr *addr, u8 mode,
				  u8 origin)
{
	struct conga_leaf *leaf = conga_leaf_alloc(fabric, addr, mode, origin);
	int err = -ENOMEM;

	conga_assert_locked(fabric);
	if (!leaf)
		return ERR_PTR(-ENOMEM);
	if (conga_extension_prepare_leaf(leaf, conga_fabric_params(fabric)))
		err = conga_leaf_table_add(leaf);
	if (!err)
		return leaf;
	conga_extension_free_leaf(leaf);
	kfree(leaf->hello);
	kfree(leaf);
	return ERR_PTR(err);
}

/* conga_leaf_flush - forget all that was learnt, e.g. because the scale of metrics changed */
void conga_leaf_flush(struct conga_leaf *leaf)
{
	conga_toleaf_flush(&leaf->to);
	conga_fromleaf_flush(&leaf->from);
	conga_ecn_flush(&leaf->ecn);
	conga_extension_flush_leaf(leaf);
}

static void conga_leaf_count(const struct conga_leaf *leaf)
{
	static const enum conga_attr_stats down[__CONGA_LEAF_REASON_MAX] = {
		[CONGA_LEAF_SILENT]	= CONGA_A_STATS_LEAF_SILENT,
		[CONGA_LEAF_WAITING]	= CONGA_A_STATS_LEAF_SILENT,
		[CONGA_LEAF_VERSION]	= CONGA_A_STATS_LEAF_SILENT,
		[CONGA_LEAF_BYE]	= CONGA_A_STATS_LEAF_BYE,
		[CONGA_LEAF_Q]		= CONGA_A_STATS_LEAF_DISAGREES,
		[CONGA_LEAF_BYTE3]	= CONGA_A_STATS_LEAF_DISAGREES,
		[CONGA_LEAF_METRIC]	= CONGA_A_STATS_LEAF_DISAGREES,
		[CONGA_LEAF_ALTERNATES]	= CONGA_A_STATS_LEAF_ALTERNATES,
	};

	conga_stats_inc(leaf->fabric->stats,
			conga_leaf_is_conga(leaf) ? CONGA_A_STATS_LEAF_UP :
						    down[leaf->hello->reason]);
}

/*
 * conga_leaf_settle - make the result of hello the current state
 *
 * The caller holds hello_lock, BH disabled. What was learnt from a leaf that is no longer
 * conga is forgotten.
 */
void conga_leaf_settle(struct conga_leaf *leaf)
{
	u8 state = conga_leaf_derive(leaf);
	bool changed = (state ^ leaf->state) & CONGA_LEAF_CONGA;

	lockdep_assert_held(&leaf->hello_lock);
	WRITE_ONCE(leaf->silent, conga_leaf_silent(leaf, state));
	WRITE_ONCE(leaf->state, state);
	if (!changed)
		return;
	conga_leaf_flush(leaf);
	if (leaf->mode == CONGA_MODE_AUTO)
		conga_leaf_count(leaf);
}

/* conga_leaf_news - the leaf's current news; under hello_lock */
struct conga_leaf_news conga_leaf_news(const struct conga_leaf *leaf)
{
	return (struct conga_leaf_news) {
		.silent	= leaf->silent,
		.narrow	= leaf->hello->narrow,
		.state	= leaf->state,
		.reason	= leaf->hello->reason,
	};
}

/* conga_leaf_tell - notify if the news differ from @before; the caller holds hello_lock */
void conga_leaf_tell(struct conga_leaf *leaf, const struct conga_leaf_news *before)
{
	const struct conga_leaf_news now = conga_leaf_news(leaf);

	if (memcmp(before, &now, sizeof(now)))
		conga_fabric_changed(leaf->fabric);
}

/* conga_leaf_set_mode - set the configured mode; what was known of the leaf is forgotten */
void conga_leaf_set_mode(struct conga_leaf *leaf, u8 mode)
{
	conga_assert_locked(leaf->fabric);
	if (leaf->mode == mode)
		return;
	spin_lock_bh(&leaf->hello_lock);
	WRITE_ONCE(leaf->mode, mode);
	conga_hello_setup(leaf->hello, leaf->hello->tick,
			  conga_fabric_params(leaf->fabric)->dstports.port);
	WRITE_ONCE(leaf->state, conga_leaf_derive(leaf));
	WRITE_ONCE(leaf->silent, conga_leaf_silent(leaf, leaf->state));
	conga_leaf_flush(leaf);
	spin_unlock_bh(&leaf->hello_lock);
}

static bool conga_leaf_disagrees(u8 reason)
{
	return reason >= CONGA_LEAF_VERSION && reason <= CONGA_LEAF_ALTERNATES;
}

/*
 * conga_leaf_reason - why the leaf is treated as it is, enum conga_leaf_reason
 *
 * Any context; @params are the fabric's. A leaf in mode conga may be silent, since it may
 * know no hello.
 */
u8 conga_leaf_reason(const struct conga_leaf *leaf,
		     const struct conga_params *params)
{
	u8 reason = READ_ONCE(leaf->hello->reason);
	u8 mode = READ_ONCE(leaf->mode);

	if (mode == CONGA_MODE_AUTO)
		return params->hello ? reason : CONGA_LEAF_HELLO_OFF;
	if (mode == CONGA_MODE_PLAIN || !params->hello)
		return CONGA_LEAF_ORDERED;
	return conga_leaf_disagrees(reason) || reason == CONGA_LEAF_BYE ? reason :
									  CONGA_LEAF_ORDERED;
}

/* The enum conga_leaf_state of a leaf to which no packets are stamped */
static u8 conga_leaf_unstamped(u8 reason, u64 heard)
{
	if (conga_leaf_disagrees(reason))
		return CONGA_LEAF_STATE_MISMATCH;
	if (reason == CONGA_LEAF_WAITING)
		return CONGA_LEAF_STATE_WAITING;
	if (reason == CONGA_LEAF_SILENT && heard)
		return CONGA_LEAF_STATE_LOST;
	return CONGA_LEAF_STATE_PLAIN;
}

/* conga_leaf_look - what is known of the leaf, all of one moment; any context except hard
 * interrupts, @params are the fabric's
 */
struct conga_leaf_look conga_leaf_look(struct conga_leaf *leaf,
				       const struct conga_params *params)
{
	const struct conga_hello *hello = leaf->hello;
	struct conga_leaf_look look;

	spin_lock_bh(&leaf->hello_lock);
	look.reason = conga_leaf_reason(leaf, params);
	look.state = conga_leaf_is_conga(leaf) ? CONGA_LEAF_STATE_CONGA :
						 conga_leaf_unstamped(look.reason, hello->heard);
	look.term = conga_hello_terms_value(&hello->theirs, look.reason);
	look.unanswered = hello->unanswered;
	look.ecn = conga_leaf_has_ecn(leaf);
	look.heard = hello->heard;
	spin_unlock_bh(&leaf->hello_lock);
	return look;
}

/* conga_leaf_open - paths for new flowlets, a bit per LBTag; softirq, RCU */
u16 conga_leaf_open(struct conga_leaf *leaf)
{
	return conga_path_usable(leaf) & ~conga_leaf_shut(leaf);
}

/* conga_leaf_path_reason - the current enum conga_path_reason of the path by the LBTag @tag
 * of @port; likewise
 */
u8 conga_leaf_path_reason(struct conga_leaf *leaf, struct conga_port *port, u8 tag)
{
	u8 reason = conga_path_reason(leaf, port);

	if (reason != CONGA_PATH_USABLE)
		return reason;
	if (conga_extension_out(leaf) & BIT(tag))
		return CONGA_PATH_UNPROBED;
	if (conga_leaf_is_conga(leaf)) {
		if (READ_ONCE(leaf->hello->out) & BIT(tag))
			return CONGA_PATH_SILENT;
		if (READ_ONCE(leaf->hello->narrow) & BIT(tag))
			return CONGA_PATH_NARROW;
	}
	if (READ_ONCE(leaf->fabric->draining) & BIT(tag))
		return CONGA_PATH_DRAINING;
	return CONGA_PATH_USABLE;
}

/* Did no answer and no feedback come back by @tag since it has a route? */
static bool conga_leaf_unproven(const struct conga_leaf *leaf, u8 tag)
{
	return conga_fabric_params(leaf->fabric)->hello && conga_leaf_is_conga(leaf) &&
	       !(READ_ONCE(leaf->hello->proven) & BIT(tag)) &&
	       !conga_sample_valid(READ_ONCE(leaf->to.heard[tag]));
}

/* conga_leaf_path_state - the enum conga_path_state of a path with @reason; likewise
 *
 * Of a leaf without conga, or without hello, nothing comes back by any path.
 */
u8 conga_leaf_path_state(const struct conga_leaf *leaf, const struct conga_port *port, u8 tag,
			 u8 reason)
{
	static const u8 states[__CONGA_PATH_REASON_MAX] = {
		[CONGA_PATH_USABLE]	= CONGA_PATH_STATE_USABLE,
		[CONGA_PATH_SILENT]	= CONGA_PATH_STATE_SILENT,
		[CONGA_PATH_UNPROBED]	= CONGA_PATH_STATE_SILENT,
		[CONGA_PATH_NARROW]	= CONGA_PATH_STATE_NARROW,
		[CONGA_PATH_DRAINING]	= CONGA_PATH_STATE_DRAINING,
	};

	if (reason == CONGA_PATH_USABLE && port->role == CONGA_ROLE_UPLINK &&
	    conga_leaf_unproven(leaf, tag))
		return CONGA_PATH_STATE_UNPROVEN;
	return states[reason] ? states[reason] : CONGA_PATH_STATE_DOWN;
}

/* conga_leaf_path_loss - the latest hellos by a path; any context except hard interrupts */
struct conga_leaf_loss conga_leaf_path_loss(struct conga_leaf *leaf, u8 tag)
{
	const struct conga_hello_loss *loss = &leaf->hello->path[tag].loss;
	struct conga_leaf_loss found;

	spin_lock_bh(&leaf->hello_lock);
	found.sent = conga_hello_loss_sent(loss);
	found.missed = conga_hello_loss_missed(loss);
	spin_unlock_bh(&leaf->hello_lock);
	return found;
}

/* conga_leaf_make_dead - unpublish; readers may hold it until a grace period */
void conga_leaf_make_dead(struct conga_leaf *leaf)
{
	conga_leaf_table_remove(leaf);
}

/* conga_leaf_free - after a grace period since it was made dead */
void conga_leaf_free(struct conga_leaf *leaf)
{
	conga_path_forget_all(leaf);
	conga_extension_free_leaf(leaf);
	kfree(leaf->pings);
	kfree(leaf->hello);
	kfree(leaf);
}

static void conga_leaf_free_one(void *leaf, void *unused)
{
	conga_leaf_free(leaf);
}

/* conga_leaf_free_all - free all leaves and their table, when no reader is left; may sleep */
void conga_leaf_free_all(struct conga_fabric *fabric)
{
	xa_destroy(&fabric->leaf_index);
	rhashtable_free_and_destroy(&fabric->leaves, conga_leaf_free_one, NULL);
	kvfree(fabric->leaf4);
}
