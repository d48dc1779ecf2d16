// SPDX-License-Identifier: GPL-2.0
#include <stdbool.h>
#include <linux/conga.h>
#include <netlink/attr.h>
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
	{ "set the same q on every node of the fabric", CONGA_LEAF_Q },
	{ "set the same q on every node of the fabric", CONGA_LEAF_BYTE3 },
	{ "set the same metric on every node of the fabric", CONGA_LEAF_METRIC },
	{ "give each node its own tunnel address", CONGA_LEAF_ALTERNATES },
	{ }
};

void conga_check_leaf_differs(const struct conga_check *check, const struct conga_node *node)
{
	struct nlattr *leaf[CONGA_ATTRS_MAX + 1];
	char name[CONGA_NODE_NAME_MAX], why[CONGA_LEAF_REASON_MAX];
	unsigned int reason;
	const char *remedy;
	size_t next = 0;

	while (conga_node_next_leaf(node, &next, leaf)) {
		reason = conga_attr_number(leaf[CONGA_A_LEAF_REASON]);
		remedy = conga_args_choice_word(conga_check_remedies, reason);
		if (!remedy)
			continue;
		conga_node_leaf_name(leaf, name);
		conga_leaf_reason(leaf, why);
		conga_check_report(check, name, "%s; %s", why, remedy);
	}
}

static bool conga_check_says_hello(const struct conga_node *node)
{
	struct nlattr *fabric[CONGA_ATTRS_MAX + 1];
	size_t next = 0;

	return conga_command_next(&conga_fabric_object, &node->state.fabric, &next, fabric) &&
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

	while (conga_node_next_leaf(node, &next, leaf)) {
		if (conga_attr_number(leaf[CONGA_A_LEAF_REASON]) != CONGA_LEAF_HELLO_OFF)
			continue;
		conga_node_leaf_name(leaf, name);
		conga_check_report(check, name,
				   "is in mode auto and hello is off here, so the leaf stays plain; switch hello on: conga fabric set hello 300ms");
	}
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
