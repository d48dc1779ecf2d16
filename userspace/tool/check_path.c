// SPDX-License-Identifier: GPL-2.0
#include <arpa/inet.h>
#include <stdio.h>
#include <linux/conga.h>
#include <netlink/attr.h>
#include "common/attr.h"
#include "common/names.h"
#include "tool/check_node.h"
#include "tool/check_path.h"
#include "tool/check_report.h"
#include "tool/grammar.h"

#define CONGA_CHECK_PATH_MAX	(2 * CONGA_NODE_NAME_MAX + sizeof(" by "))
#define CONGA_CHECK_GATEWAY_MAX	(sizeof("the gateway ") + INET6_ADDRSTRLEN)

/* Hellos missed, at least, and in a hundred of those sent, before a path is said to lose packets */
#define CONGA_CHECK_LOSS_LEAST		3
#define CONGA_CHECK_LOSS_PERCENT	10

/* Source ports of an LBTag in a row that told the same as another one, before the nodes behind are
 * said not to hash them: with two paths, one of 256 uplinks has as many by chance.
 */
#define CONGA_CHECK_ALIKE_LEAST		8

/* Prints "LEAF by UPLINK". */
static void conga_check_path_name(struct nlattr **path, char text[CONGA_CHECK_PATH_MAX])
{
	char leaf[CONGA_NODE_NAME_MAX], dev[CONGA_NODE_NAME_MAX];

	conga_node_addr_name(path, CONGA_A_PATH_ADDR4, leaf);
	conga_names_find(conga_attr_number(path[CONGA_A_PATH_IFINDEX]), dev);
	snprintf(text, CONGA_CHECK_PATH_MAX, "%s by %s", leaf, dev);
}

/* Where to look: behind the gateway, if there is one */
static void conga_check_path_place(struct nlattr **path, char text[CONGA_CHECK_GATEWAY_MAX])
{
	const struct nlattr *gateway4 = path[CONGA_A_PATH_GATEWAY4];
	const struct nlattr *gateway = gateway4 ? gateway4 : path[CONGA_A_PATH_GATEWAY6];
	char addr[INET6_ADDRSTRLEN];

	if (gateway && inet_ntop(gateway4 ? AF_INET : AF_INET6, nla_data(gateway), addr,
				 sizeof(addr)))
		snprintf(text, CONGA_CHECK_GATEWAY_MAX, "the gateway %s", addr);
	else
		snprintf(text, CONGA_CHECK_GATEWAY_MAX, "the uplink");
}

/* The next path in a state, with its name and its place; false after the last. */
static bool conga_check_next_path(const struct conga_node *node, size_t *next, unsigned int state,
				  struct nlattr **path, char *name, char *place)
{
	while (conga_node_next_path(node, next, path)) {
		if (state && conga_attr_number(path[CONGA_A_PATH_STATE]) != state)
			continue;
		conga_check_path_name(path, name);
		conga_check_path_place(path, place);
		return true;
	}
	return false;
}

/* Reports the paths in a state, which are not used, and where to look. */
static void conga_check_path_report(const struct conga_check *check, const struct conga_node *node,
				    unsigned int state, const char *finding, const char *advice)
{
	char name[CONGA_CHECK_PATH_MAX], place[CONGA_CHECK_GATEWAY_MAX];
	struct nlattr *path[CONGA_ATTRS_MAX + 1];
	size_t next = 0;

	while (conga_check_next_path(node, &next, state, path, name, place))
		conga_check_report(check, name, "%s, so packets do not use it; %s from %s on",
				   finding, advice, place);
}

void conga_check_path_silent(const struct conga_check *check, const struct conga_node *node)
{
	conga_check_path_report(check, node, CONGA_PATH_STATE_SILENT,
				"is silent: the leaf answers by other uplinks but not by this one",
				"look for what drops packets of the tunnel (a firewall, a filter of reserved bits of VXLAN, a dead link)");
}

void conga_check_path_narrow(const struct conga_check *check, const struct conga_node *node)
{
	conga_check_path_report(check, node, CONGA_PATH_STATE_NARROW, "loses large packets",
				"look for a link with a smaller MTU");
}

/* Hellos are remembered while the leaf answers by any path: a leaf that does not is another
 * finding, and a path that was not asked yet is none.
 */
void conga_check_path_unproven(const struct conga_check *check, const struct conga_node *node)
{
	char name[CONGA_CHECK_PATH_MAX], place[CONGA_CHECK_GATEWAY_MAX];
	struct nlattr *path[CONGA_ATTRS_MAX + 1];
	size_t next = 0;

	while (conga_check_next_path(node, &next, CONGA_PATH_STATE_UNPROVEN, path, name, place))
		if (path[CONGA_A_PATH_HELLOS])
			conga_check_report(check, name,
					   "is unproven: hellos were sent by it, and nothing came back yet; wait for some hellos, and check again");
}

/* A path that is out is reported as such. */
static bool conga_check_loses(struct nlattr **path)
{
	unsigned int state = conga_attr_number(path[CONGA_A_PATH_STATE]);
	unsigned int missed = conga_attr_number(path[CONGA_A_PATH_HELLOS_MISSED]);
	unsigned int sent = conga_attr_number(path[CONGA_A_PATH_HELLOS]);

	return state != CONGA_PATH_STATE_SILENT && state != CONGA_PATH_STATE_DOWN &&
	       missed >= CONGA_CHECK_LOSS_LEAST && missed * 100 >= sent * CONGA_CHECK_LOSS_PERCENT;
}

void conga_check_path_loss(const struct conga_check *check, const struct conga_node *node)
{
	char name[CONGA_CHECK_PATH_MAX], place[CONGA_CHECK_GATEWAY_MAX];
	struct nlattr *path[CONGA_ATTRS_MAX + 1];
	size_t next = 0;

	while (conga_check_next_path(node, &next, 0, path, name, place)) {
		if (!conga_check_loses(path))
			continue;
		conga_check_report(check, name,
				   "loses packets: %llu of the last %llu hellos by it were not answered; look for a link with errors, or for a node that drops packets, from %s on",
				   conga_attr_number(path[CONGA_A_PATH_HELLOS_MISSED]),
				   conga_attr_number(path[CONGA_A_PATH_HELLOS]), place);
	}
}

/* The LBTags of an uplink, as one leaf's feedback tells them apart */
struct conga_check_share {
	unsigned int others;	/* LBTags but the first */
	unsigned int alike;	/* of these, however often they got another port */
};

static bool conga_check_shares_path(const struct conga_check_share *share)
{
	return share->others && share->alike == share->others;
}

/* The number of leaves to which all LBTags of the uplink tell the same. The paths of a leaf by an
 * uplink follow each other; the first one has no other before it to be like.
 */
static unsigned int conga_check_alike_leaves(const struct conga_node *node, unsigned int ifindex)
{
	struct conga_check_share share = { 0, 0 };
	struct nlattr *path[CONGA_ATTRS_MAX + 1];
	unsigned int leaves = 0;
	size_t next = 0;

	while (conga_node_next_path(node, &next, path)) {
		if (conga_attr_number(path[CONGA_A_PATH_IFINDEX]) != ifindex)
			continue;
		if (path[CONGA_A_PATH_ALIKE]) {
			share.others++;
			share.alike += conga_attr_number(path[CONGA_A_PATH_ALIKE]) >=
				       CONGA_CHECK_ALIKE_LEAST;
			continue;
		}
		leaves += conga_check_shares_path(&share);
		share = (struct conga_check_share){ 0, 0 };
	}
	return leaves + conga_check_shares_path(&share);
}

void conga_check_path_alike(const struct conga_check *check, const struct conga_node *node)
{
	struct nlattr *port[CONGA_ATTRS_MAX + 1];
	char dev[CONGA_NODE_NAME_MAX];
	size_t next = 0;

	while (conga_node_next_port(node, &next, port)) {
		unsigned int ifindex = conga_attr_number(port[CONGA_A_PORT_IFINDEX]);
		unsigned int leaves = conga_check_alike_leaves(node, ifindex);

		if (!leaves)
			continue;
		conga_names_find(ifindex, dev);
		conga_check_report(check, dev,
				   "has LBTags that tell the same whichever source ports they have (to %u %s), so there is one path only behind it; if there should be more, see that the nodes there hash the UDP source port (layer 4)",
				   leaves, leaves == 1 ? "leaf" : "leaves");
	}
}
