// SPDX-License-Identifier: GPL-2.0
#include <stdbool.h>
#include <linux/conga.h>
#include <netlink/attr.h>
#include "common/attr.h"
#include "common/names.h"
#include "tool/check_leaf.h"
#include "tool/check_neighbour.h"
#include "tool/check_node.h"
#include "tool/check_report.h"
#include "tool/grammar.h"
#include "tool/leaf_reason.h"

void conga_check_neighbour_differs(const struct conga_check *check, const struct conga_node *node)
{
	char name[CONGA_NODE_NAME_MAX], why[CONGA_LEAF_REASON_MAX];
	struct nlattr *port[CONGA_ATTRS_MAX + 1];
	const struct nlattr *reason;
	const char *remedy;
	size_t next = 0;

	while (conga_node_next_port(node, &next, port)) {
		reason = port[CONGA_A_PORT_NEIGHBOUR_REASON];
		remedy = conga_check_remedy(conga_attr_number(reason));
		if (!reason || !remedy)
			continue;
		conga_names_find(conga_attr_number(port[CONGA_A_PORT_IFINDEX]), name);
		conga_leaf_reason_differs(reason, port[CONGA_A_PORT_NEIGHBOUR_TERM], why);
		conga_check_report(check, name,
				   "the node at the other end %s, so the load behind it is misread; %s",
				   why, remedy);
	}
}

/* Returns the ifindex of an uplink to a node that runs conga, or 0. */
static unsigned int conga_check_neighbour_conga(const struct conga_node *node)
{
	struct nlattr *port[CONGA_ATTRS_MAX + 1];
	size_t next = 0;

	while (conga_node_next_port(node, &next, port))
		if (conga_attr_number(port[CONGA_A_PORT_ROLE]) == CONGA_ROLE_UPLINK &&
		    port[CONGA_A_PORT_NEIGHBOUR_ID])
			return conga_attr_number(port[CONGA_A_PORT_IFINDEX]);
	return 0;
}

/* In a fabric of foreign spines no uplink has a neighbour, and nothing is wrong: the ports show
 * it. A leaf some of whose spines run conga sees the load of these alone.
 */
void conga_check_neighbour_none(const struct conga_check *check, const struct conga_node *node)
{
	char name[CONGA_NODE_NAME_MAX], other[CONGA_NODE_NAME_MAX];
	unsigned int one = conga_check_neighbour_conga(node);
	struct nlattr *port[CONGA_ATTRS_MAX + 1];
	size_t next = 0;

	if (!one)
		return;
	conga_names_find(one, other);
	while (conga_node_next_port(node, &next, port)) {
		if (conga_attr_number(port[CONGA_A_PORT_ROLE]) != CONGA_ROLE_UPLINK ||
		    conga_attr_number(port[CONGA_A_PORT_NEIGHBOUR]) != CONGA_NEIGHBOUR_NONE)
			continue;
		conga_names_find(conga_attr_number(port[CONGA_A_PORT_IFINDEX]), name);
		conga_check_report(check, name,
				   "no node that runs conga announces itself at the other end, as one does by %s, so congestion behind that node is not seen; see whether it runs conga, with hello on and this link as a port, there: conga port add DEV role transit",
				   other);
	}
}
