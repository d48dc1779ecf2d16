// SPDX-License-Identifier: GPL-2.0
/*
 * A change of the fabric's parameters, or of a leaf's configured mode. A change first
 * allocates and attaches all that it needs; then it is applied as a whole, and cannot fail
 * any more.
 */
#include <linux/netlink.h>
#include <linux/rcupdate.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>

#include "config/change.h"
#include "config/extension.h"
#include "control/announce.h"
#include "control/control.h"
#include "control/control_read.h"
#include "objects/extension.h"
#include "objects/fabric.h"
#include "objects/flowlets.h"
#include "objects/leaf_table.h"
#include "objects/own.h"
#include "objects/port.h"
#include "objects/source_port.h"
#include "paper/hello_terms.h"

/* All that a change of parameters has to allocate before it is applied */
struct conga_change {
	struct conga_params	*params;
	struct conga_flowlets	*flowlets;	/* NULL: the table stays */
	bool			states;		/* the states of flows are replaced */
	struct conga_port_dre	**dre;		/* per port, in list order */
};

static void conga_change_free(struct conga_change *change, u32 ports)
{
	u32 i;

	for (i = 0; change->dre && i < ports; i++)
		conga_port_dre_free(change->dre[i]);
	kfree(change->dre);
	conga_flowlets_free(change->flowlets);
	if (change->states)
		kvfree(change->params->flow_states);
	kfree(change->params);
}

static bool conga_change_dres(struct conga_fabric *fabric,
			      struct conga_change *change)
{
	struct conga_port *port;
	u32 i = 0;

	change->dre = kcalloc(fabric->port_count + 1, sizeof(*change->dre),
			      GFP_KERNEL);
	if (!change->dre)
		return false;
	list_for_each_entry(port, &fabric->ports, list) {
		change->dre[i] = conga_port_dre_create(port, change->params,
						       port->rate);
		if (!change->dre[i++])
			return false;
	}
	return true;
}

/* Does the change give another meaning to metrics that were received before? */
static bool conga_change_scale_differs(const struct conga_params *old,
				       const struct conga_params *new)
{
	return old->q != new->q || old->metric != new->metric;
}

/* Does the change concern what all nodes of a fabric must agree on? */
static bool conga_change_terms_differ(const struct conga_params *old,
				      const struct conga_params *new)
{
	const struct conga_hello_terms before = conga_control_terms(old);
	const struct conga_hello_terms after = conga_control_terms(new);

	return conga_hello_terms_compare(&before, &after) != CONGA_LEAF_ANSWERS;
}

/* The agreements with leaves refer to places in the list. */
static bool conga_change_ports_differ(const struct conga_params *old,
				      const struct conga_params *new)
{
	return memcmp(old->dstports.port, new->dstports.port, sizeof(old->dstports.port));
}

/* Does the change give another meaning to the states of flows? */
static bool conga_change_states_differ(const struct conga_params *old,
				       const struct conga_params *new)
{
	return old->policy != new->policy || old->flowlets != new->flowlets ||
	       memcmp(old->policy_param, new->policy_param, sizeof(old->policy_param));
}

static bool conga_change_alloc(struct conga_fabric *fabric,
			       struct conga_change *change)
{
	const struct conga_params *old = conga_fabric_params(fabric);

	if (change->params->flowlets != old->flowlets) {
		change->flowlets = conga_flowlets_create(change->params->flowlets);
		if (!change->flowlets)
			return false;
	}
	if (!conga_extension_prepare(fabric, change->params))
		return false;
	if (conga_change_states_differ(old, change->params)) {
		if (conga_flow_states_create(change->params))
			return false;
		change->states = true;
	}
	if (conga_port_dre_differs(old, change->params) &&
	    !conga_change_dres(fabric, change))
		return false;
	return true;
}

static void conga_change_flush_leaves(struct conga_fabric *fabric)
{
	struct conga_leaf *leaf;
	unsigned long index = 0;

	for (; (leaf = conga_leaf_next(fabric, &index)); index++)
		conga_leaf_flush(leaf);
}

/* Forgets what was known of the paths of these LBTags, which have another uplink now, or
 * none; under the locks.
 */
static void conga_change_forget_tags(struct conga_fabric *fabric, unsigned long tags)
{
	struct conga_leaf *leaf;
	unsigned long index = 0;
	u8 tag;

	for (; (leaf = conga_leaf_next(fabric, &index)); index++)
		for_each_set_bit(tag, &tags, CONGA_TAGS_MAX)
			conga_leaf_forget_tag(leaf, tag);
}

/* conga_change_tags - the uplinks, or the number of LBTags of each, have changed */
void conga_change_tags(struct conga_fabric *fabric)
{
	struct conga_port *before[CONGA_TAGS_MAX];
	unsigned long others = 0;
	u8 tag;

	conga_assert_locked(fabric);
	for (tag = 0; tag < CONGA_TAGS_MAX; tag++)
		before[tag] = conga_port_uplink(fabric, tag);
	conga_port_share_tags(fabric);
	for (tag = 0; tag < CONGA_TAGS_MAX; tag++)
		if (conga_port_uplink(fabric, tag) != before[tag])
			others |= BIT(tag);
	if (!others)
		return;
	conga_fabric_invalidate_paths(fabric);
	synchronize_net();
	conga_change_forget_tags(fabric, others);
	conga_source_port_refresh(fabric);
	conga_fabric_changed(fabric);
}

/* Takes over the objects of @change. */
static void conga_change_apply(struct conga_fabric *fabric,
			       struct conga_change *change)
{
	struct conga_params *old = conga_fabric_params(fabric);
	bool scale = conga_change_scale_differs(old, change->params);
	bool hello = old->hello != change->params->hello;
	bool ports = conga_change_ports_differ(old, change->params);
	bool terms = conga_change_terms_differ(old, change->params);
	bool tags = old->entropy != change->params->entropy;
	bool ecn = old->ecn != change->params->ecn;
	struct conga_port *port;
	u32 i = 0;

	if (ports)
		conga_control_hold_ports(fabric, change->params);
	rcu_assign_pointer(fabric->params, change->params);
	if (change->flowlets)
		conga_flowlets_publish(fabric, change->flowlets);
	if (change->dre)
		list_for_each_entry(port, &fabric->ports, list)
			conga_port_dre_publish(port, change->dre[i++]);
	kfree(change->dre);
	if (scale || ports)
		synchronize_net();
	if (scale)
		conga_change_flush_leaves(fabric);
	if (ports)
		conga_control_bind_ports(fabric);
	if (change->states && old->flow_states)
		kvfree_rcu(old->flow_states, rcu);
	conga_extension_change(fabric, old);
	kfree_rcu(old, rcu);
	conga_own_refresh(fabric);
	if (tags)
		conga_change_tags(fabric);
	if (ecn)
		conga_control_settle(fabric);
	if (terms)
		conga_announce_forget(fabric);
	if (hello)
		conga_control_restart(fabric);
}

static int conga_change_prepare(struct conga_fabric *fabric,
				struct conga_change *change,
				const struct conga_params *after,
				struct netlink_ext_ack *extack)
{
	change->params = kmemdup(after, sizeof(*after), GFP_KERNEL);
	if (!change->params || !conga_change_alloc(fabric, change)) {
		NL_SET_ERR_MSG(extack, "Out of memory");
		return -ENOMEM;
	}
	/* This is the last step that can fail. */
	return conga_extension_attach(fabric, change->params, extack);
}

/*
 * conga_change_params - the fabric's parameters become @after, which are valid
 *
 * On an error, which has a sentence, the parameters stay as they were.
 */
int conga_change_params(struct conga_fabric *fabric, const struct conga_params *after,
			struct netlink_ext_ack *extack)
{
	struct conga_change change = {};
	int err;

	conga_assert_locked(fabric);
	err = conga_change_prepare(fabric, &change, after, extack);
	if (err) {
		conga_change_free(&change, fabric->port_count);
		conga_extension_release(fabric);
	} else {
		conga_change_apply(fabric, &change);
	}
	return err;
}

/* conga_change_leaf - set the leaf's configured mode. A leaf that becomes plain must stop
 * stamping, since this node no longer clears its stamps.
 */
void conga_change_leaf(struct conga_leaf *leaf, u8 mode, u8 origin)
{
	if (mode == CONGA_MODE_PLAIN)
		conga_control_bye(leaf);
	conga_leaf_set_mode(leaf, mode);
	if (leaf->fabric->extra)
		conga_source_port_setup(leaf);
	WRITE_ONCE(leaf->origin, origin);
}
