// SPDX-License-Identifier: GPL-2.0
#include <stdbool.h>
#include <string.h>
#include <linux/conga.h>
#include <netlink/attr.h>
#include "common/array.h"
#include "common/attr.h"
#include "common/names.h"
#include "tool/args.h"
#include "tool/check_leaf.h"
#include "tool/check_node.h"
#include "tool/check_report.h"
#include "tool/command.h"
#include "tool/fabric.h"
#include "tool/grammar.h"
#include "tool/leaf.h"
#include "tool/leaf_reason.h"

/* The table gives the advice for each kind of disagreement. */
static const struct conga_choice conga_check_remedies[] = {
	{ "run the same version of conga on every node", CONGA_LEAF_VERSION },
	{ "set the same q on every node of the fabric: conga fabric set q N", CONGA_LEAF_Q },
	{ "set the same q on every node of the fabric, and policy tr on all of them or on none",
	  CONGA_LEAF_BYTE3 },
	{ "set the same metric on every node of the fabric: conga fabric set metric { max | sum }",
	  CONGA_LEAF_METRIC },
	{ "give each node its own tunnel address", CONGA_LEAF_ALTERNATES },
	{ }
};

/* The next leaf in a state for a reason, with its name; false after the last. 0 is any state, or
 * any reason.
 */
static bool conga_check_next_leaf(const struct conga_node *node, size_t *next, unsigned int state,
				  unsigned int reason, struct nlattr **leaf, char *name)
{
	while (conga_node_next_leaf(node, next, leaf)) {
		if ((state && conga_attr_number(leaf[CONGA_A_LEAF_STATE]) != state) ||
		    (reason && conga_attr_number(leaf[CONGA_A_LEAF_REASON]) != reason))
			continue;
		conga_node_leaf_name(leaf, name);
		return true;
	}
	return false;
}

const char *conga_check_remedy(unsigned int reason)
{
	return conga_args_choice_word(conga_check_remedies, reason);
}

void conga_check_leaf_differs(const struct conga_check *check, const struct conga_node *node)
{
	struct nlattr *leaf[CONGA_ATTRS_MAX + 1];
	char name[CONGA_NODE_NAME_MAX], why[CONGA_LEAF_REASON_MAX];
	unsigned int reason;
	const char *remedy;
	size_t next = 0;

	while (conga_node_next_leaf(node, &next, leaf)) {
		reason = conga_attr_number(leaf[CONGA_A_LEAF_REASON]);
		remedy = conga_check_remedy(reason);
		if (!remedy)
			continue;
		conga_node_leaf_name(leaf, name);
		conga_leaf_reason(leaf, why);
		conga_check_report(check, name, "%s; %s", why, remedy);
	}
}

static bool conga_check_read_fabric(const struct conga_node *node, struct nlattr **fabric)
{
	size_t next = 0;

	return conga_command_next(&conga_fabric_object, &node->state.fabric, &next, fabric);
}

static bool conga_check_says_hello(const struct conga_node *node)
{
	struct nlattr *fabric[CONGA_ATTRS_MAX + 1];

	return conga_check_read_fabric(node, fabric) &&
		conga_attr_number(fabric[CONGA_A_FABRIC_HELLO]);
}

/* Returns the reason to doubt that a leaf runs conga, or NULL. A leaf that has answered once has
 * an id.
 */
static const char *conga_check_doubt(const struct conga_node *node, struct nlattr **leaf)
{
	unsigned int reason = conga_attr_number(leaf[CONGA_A_LEAF_REASON]);

	if (reason == CONGA_LEAF_BYE)
		return "sent a goodbye message";
	if (!leaf[CONGA_A_LEAF_ID] && conga_check_says_hello(node))
		return "has never answered a hello";
	return NULL;
}

/* A VTEP without conga drops stamped packets. */
void conga_check_leaf_unheard(const struct conga_check *check, const struct conga_node *node)
{
	struct nlattr *leaf[CONGA_ATTRS_MAX + 1];
	char name[CONGA_NODE_NAME_MAX];
	const char *doubt;
	size_t next = 0;

	while (conga_node_next_leaf(node, &next, leaf)) {
		doubt = conga_check_doubt(node, leaf);
		if (!doubt || conga_attr_number(leaf[CONGA_A_LEAF_MODE]) != CONGA_MODE_CONGA)
			continue;
		conga_node_leaf_name(leaf, name);
		conga_check_report(check, name,
				   "%s, and a leaf without conga drops the stamped packets that mode conga sends; detect it by hellos: conga leaf set %s mode auto",
				   doubt, name);
	}
}

void conga_check_leaf_lost(const struct conga_check *check, const struct conga_node *node)
{
	char name[CONGA_NODE_NAME_MAX], why[CONGA_LEAF_REASON_MAX];
	struct nlattr *leaf[CONGA_ATTRS_MAX + 1];
	size_t next = 0;

	while (conga_check_next_leaf(node, &next, CONGA_LEAF_STATE_LOST, 0, leaf, name)) {
		conga_leaf_reason(leaf, why);
		conga_check_report(check, name,
				   "is lost: it %s; see whether the leaf is up, runs conga with the same UDP port and has this node as a leaf, and whether something drops packets of the tunnel",
				   why);
	}
}

/* An operator removed the fabric or the leaf there. A leaf in mode conga loses packets then, which
 * conga_check_leaf_unheard() reports.
 */
void conga_check_leaf_bye(const struct conga_check *check, const struct conga_node *node)
{
	struct nlattr *leaf[CONGA_ATTRS_MAX + 1];
	char name[CONGA_NODE_NAME_MAX];
	size_t next = 0;

	while (conga_check_next_leaf(node, &next, CONGA_LEAF_STATE_PLAIN, CONGA_LEAF_BYE, leaf,
				     name))
		conga_check_report(check, name,
				   "sent a goodbye message, so packets to it are not stamped; if it must run conga, see whether it has a fabric with the same UDP port, and this node as a leaf");
}

/* A VTEP that never runs conga is ordered to be plain, so that nobody waits for it. */
void conga_check_leaf_plain(const struct conga_check *check, const struct conga_node *node)
{
	struct nlattr *leaf[CONGA_ATTRS_MAX + 1];
	char name[CONGA_NODE_NAME_MAX];
	size_t next = 0;

	while (conga_check_next_leaf(node, &next, CONGA_LEAF_STATE_PLAIN, CONGA_LEAF_SILENT, leaf,
				     name))
		conga_check_report(check, name,
				   "has never answered a hello; see whether it runs conga with the same UDP port and has this node as a leaf, and whether something drops packets of the tunnel, or, if it is a VTEP without conga: conga leaf set %s mode plain",
				   name);
}

static unsigned int conga_check_own_id(const struct conga_node *node)
{
	struct nlattr *fabric[CONGA_ATTRS_MAX + 1];

	if (!conga_check_read_fabric(node, fabric))
		return 0;
	return conga_attr_number(fabric[CONGA_A_FABRIC_LEAF_ID]);
}

/* A leaf's id, and its address */
struct conga_check_id {
	bool v4;
	unsigned int id;
	char name[CONGA_NODE_NAME_MAX];
};

/* A node may have an address of each family, and be a leaf twice with one id. */
static int conga_check_compare_ids(const void *a, const void *b)
{
	const struct conga_check_id *one = a, *other = b;

	if (one->v4 != other->v4)
		return one->v4 - other->v4;
	if (one->id != other->id)
		return one->id < other->id ? -1 : 1;
	return strcmp(one->name, other->name);
}

static void conga_check_read_ids(const struct conga_node *node, struct conga_array *ids)
{
	struct nlattr *leaf[CONGA_ATTRS_MAX + 1];
	struct conga_check_id id;
	size_t next = 0;

	while (conga_node_next_leaf(node, &next, leaf)) {
		if (!leaf[CONGA_A_LEAF_ID])
			continue;
		id.v4 = leaf[CONGA_A_LEAF_ADDR4];
		id.id = conga_attr_number(leaf[CONGA_A_LEAF_ID]);
		conga_node_leaf_name(leaf, id.name);
		if (conga_array_add(ids, &id))
			return;
	}
	conga_array_sort(ids);
}

static void conga_check_compare_id(const struct conga_check *check, unsigned int own,
				   const struct conga_check_id *before,
				   const struct conga_check_id *id)
{
	if (id->id == own)
		conga_check_report(check, id->name,
				   "has the leaf id of this node, 0x%08x; give each node its own: conga fabric set leaf-id ID",
				   own);
	else if (before && before->v4 == id->v4 && before->id == id->id)
		conga_check_report(check, id->name,
				   "has the same leaf id as %s, 0x%08x; give each node its own: conga fabric set leaf-id ID",
				   before->name, id->id);
}

void conga_check_leaf_id(const struct conga_check *check, const struct conga_node *node)
{
	struct conga_array ids = CONGA_ARRAY(struct conga_check_id, conga_check_compare_ids);
	unsigned int own = conga_check_own_id(node);
	size_t i;

	conga_check_read_ids(node, &ids);
	for (i = 0; i < ids.count; i++)
		conga_check_compare_id(check, own, i ? conga_array_at(&ids, i - 1) : NULL,
				       conga_array_at(&ids, i));
	conga_array_clean(&ids);
}

static bool conga_check_is_hula(const struct conga_node *node)
{
	struct nlattr *fabric[CONGA_ATTRS_MAX + 1];

	return conga_check_read_fabric(node, fabric) && fabric[CONGA_A_FABRIC_POLICY] &&
		!nla_strcmp(fabric[CONGA_A_FABRIC_POLICY], "hula");
}

/* With hula a leaf is known by its probes, which every node on the way must forward. */
void conga_check_leaf_unprobed(const struct conga_check *check, const struct conga_node *node)
{
	struct nlattr *leaf[CONGA_ATTRS_MAX + 1];
	char name[CONGA_NODE_NAME_MAX];
	size_t next = 0;

	if (!conga_check_is_hula(node))
		return;
	while (conga_node_next_leaf(node, &next, leaf)) {
		if (leaf[CONGA_A_LEAF_PROBE_AGE])
			continue;
		conga_node_leaf_name(leaf, name);
		conga_check_report(check, name,
				   "has never sent a probe that arrived here, so packets to it are left to the kernel; run policy hula on the leaf and on every node between, with both leaves added there");
	}
}

void conga_check_leaf_no_path(const struct conga_check *check, const struct conga_node *node)
{
	struct nlattr *leaf[CONGA_ATTRS_MAX + 1];
	char name[CONGA_NODE_NAME_MAX];
	size_t next = 0;

	while (conga_node_next_leaf(node, &next, leaf)) {
		if (conga_attr_number(leaf[CONGA_A_LEAF_PATHS]))
			continue;
		conga_node_leaf_name(leaf, name);
		conga_check_report(check, name,
				   "has no usable path; the reasons are shown by: conga path show leaf %s",
				   name);
	}
}

void conga_check_hello_off(const struct conga_check *check, const struct conga_node *node)
{
	struct nlattr *leaf[CONGA_ATTRS_MAX + 1];
	char name[CONGA_NODE_NAME_MAX];
	size_t next = 0;

	while (conga_check_next_leaf(node, &next, 0, CONGA_LEAF_HELLO_OFF, leaf, name))
		conga_check_report(check, name,
				   "is in mode auto and hello is off here, so the leaf stays plain; switch hello on: conga fabric set hello 300ms");
}

/* Whether a route uses the uplink does not depend on other problems of the path. */
static bool conga_check_has_route(const struct conga_node *node, unsigned int ifindex)
{
	struct nlattr *path[CONGA_ATTRS_MAX + 1];
	unsigned int reason;
	size_t next = 0;

	while (conga_node_next_path(node, &next, path)) {
		reason = conga_attr_number(path[CONGA_A_PATH_REASON]);
		if (conga_attr_number(path[CONGA_A_PATH_IFINDEX]) == ifindex &&
		    reason != CONGA_PATH_NO_ROUTE && reason != CONGA_PATH_NOT_NEXTHOP)
			return true;
	}
	return false;
}

void conga_check_uplink_unused(const struct conga_check *check, const struct conga_node *node)
{
	struct nlattr *port[CONGA_ATTRS_MAX + 1];
	char name[CONGA_NODE_NAME_MAX];
	unsigned int ifindex;
	size_t next = 0;

	if (!node->state.leaves.count)
		return;
	while (conga_node_next_port(node, &next, port)) {
		ifindex = conga_attr_number(port[CONGA_A_PORT_IFINDEX]);
		if (conga_attr_number(port[CONGA_A_PORT_ROLE]) != CONGA_ROLE_UPLINK ||
		    conga_check_has_route(node, ifindex))
			continue;
		conga_names_find(ifindex, name);
		conga_check_report(check, name,
				   "is the nexthop of no leaf; add routes to the leaves by this port, or delete the port");
	}
}

/* A node that forwards nothing has no use for a transit port. */
void conga_check_transit_unused(const struct conga_check *check, const struct conga_node *node)
{
	struct nlattr *port[CONGA_ATTRS_MAX + 1];
	char name[CONGA_NODE_NAME_MAX];
	size_t next = 0;

	if (conga_node_sysctl("ipv4", "ip_forward") != 0 ||
	    conga_node_sysctl("ipv6", "conf/all/forwarding") > 0)
		return;
	while (conga_node_next_port(node, &next, port)) {
		if (conga_attr_number(port[CONGA_A_PORT_ROLE]) != CONGA_ROLE_TRANSIT)
			continue;
		conga_names_find(conga_attr_number(port[CONGA_A_PORT_IFINDEX]), name);
		conga_check_report(check, name,
				   "is a transit port, but this node forwards nothing; if it is a spine: sysctl -w net.ipv4.ip_forward=1; if it is a leaf, delete the port and add it as an uplink");
	}
}
