// SPDX-License-Identifier: GPL-2.0
/* Devices: what kind they are, and what lies above and below. */
#include <stdio.h>
#include <string.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include "daemon/daemon.h"

#define CONGAD_LINK_KIND_MAX	16

/* Told apart from running, since a device without a carrier knows no speed. */
#define CONGAD_LINK_RUNNING	(IFF_UP | IFF_RUNNING)

static const struct {
	const char *word;
	enum congad_link_kind kind;
} congad_link_kinds[] = {
	{ "vxlan", CONGAD_LINK_VXLAN },
	{ "vrf", CONGAD_LINK_VRF },
	{ "bridge", CONGAD_LINK_NO_UPLINK },
};

static enum congad_link_kind congad_link_kind(const char *word)
{
	size_t i;

	for (i = 0; i < sizeof(congad_link_kinds) / sizeof(*congad_link_kinds); i++)
		if (!strcmp(congad_link_kinds[i].word, word))
			return congad_link_kinds[i].kind;
	return CONGAD_LINK_PLAIN;
}

static int congad_link_vxlan_lower(struct nlattr *data)
{
	struct nlattr *tb[IFLA_VXLAN_MAX + 1];

	if (!data || nla_parse_nested(tb, IFLA_VXLAN_MAX, data, NULL) < 0)
		return 0;
	return congad_nl_u32(tb[IFLA_VXLAN_LINK]);
}

static void congad_link_parse_info(struct congad_link *link, struct nlattr *attr)
{
	struct nlattr *tb[IFLA_INFO_MAX + 1];
	char word[CONGAD_LINK_KIND_MAX];

	if (!attr || nla_parse_nested(tb, IFLA_INFO_MAX, attr, NULL) < 0 || !tb[IFLA_INFO_KIND])
		return;
	nla_strlcpy(word, tb[IFLA_INFO_KIND], sizeof(word));
	link->kind = congad_link_kind(word);
	if (link->kind == CONGAD_LINK_VXLAN)
		link->lower = congad_link_vxlan_lower(tb[IFLA_INFO_DATA]);
}

static int congad_link_on_reply(struct nlmsghdr *hdr, void *arg)
{
	const struct ifinfomsg *ifi = nlmsg_data(hdr);
	struct nlattr *tb[IFLA_MAX + 1];
	struct congad_view *view = arg;
	struct congad_link link = { 0 };

	if (nlmsg_parse(hdr, sizeof(*ifi), tb, IFLA_MAX, NULL) < 0 || !tb[IFLA_IFNAME])
		return 0;
	link.ifindex = ifi->ifi_index;
	link.master = congad_nl_u32(tb[IFLA_MASTER]);
	link.running = (ifi->ifi_flags & CONGAD_LINK_RUNNING) == CONGAD_LINK_RUNNING;
	nla_strlcpy(link.name, tb[IFLA_IFNAME], sizeof(link.name));
	congad_link_parse_info(&link, tb[IFLA_LINKINFO]);
	if (ifi->ifi_flags & IFF_LOOPBACK)
		link.kind = CONGAD_LINK_NO_UPLINK;
	/* For a tunnel that is where its packets leave. */
	link.elsewhere = link.kind == CONGAD_LINK_VXLAN && tb[IFLA_LINK_NETNSID];
	return congad_array_add(&view->links, &link);
}

int congad_link_read(struct congad_view *view)
{
	struct ifinfomsg ifi = { .ifi_family = AF_UNSPEC };
	struct nl_msg *msg = congad_nl_message(RTM_GETLINK, &ifi, sizeof(ifi));
	int err;

	if (msg)
		nla_put_u32(msg, IFLA_EXT_MASK, RTEXT_FILTER_SKIP_STATS);
	err = congad_nl_ask_route(msg, NLM_F_DUMP, congad_link_on_reply, view);
	congad_array_sort(&view->links);
	return err;
}

const struct congad_link *congad_link_find(const struct congad_view *view, int ifindex)
{
	struct congad_link key = { .ifindex = ifindex };

	return congad_array_find(&view->links, &key);
}

/* congad_link_name - for the next sentence only, if the device has gone */
const char *congad_link_name(const struct congad_view *view, int ifindex)
{
	static char number[IFNAMSIZ];
	const struct congad_link *link = congad_link_find(view, ifindex);

	if (link)
		return link->name;
	snprintf(number, sizeof(number), "if%d", ifindex);
	return number;
}

/* congad_link_is_uplink - may it be one, if it is a nexthop? */
bool congad_link_is_uplink(const struct congad_view *view, int ifindex)
{
	const struct congad_link *link = congad_link_find(view, ifindex);

	return link && link->kind == CONGAD_LINK_PLAIN;
}

/* congad_link_vrf - the VRF that a device is, or is in; 0: none */
int congad_link_vrf(const struct congad_view *view, int ifindex)
{
	const struct congad_link *link = congad_link_find(view, ifindex);

	if (link && link->kind != CONGAD_LINK_VRF)
		link = congad_link_find(view, link->master);
	return link && link->kind == CONGAD_LINK_VRF ? link->ifindex : 0;
}
