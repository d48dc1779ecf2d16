// SPDX-License-Identifier: GPL-2.0
#include <arpa/inet.h>
#include <err.h>
#include <linux/fib_rules.h>
#include <linux/if_link.h>
#include <linux/neighbour.h>
#include <linux/nexthop.h>
#include <linux/rtnetlink.h>
#include <linux/xfrm.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "churn_requests.h"
#include "message.h"

#define BITS		8		/* of a byte */
#define VXLAN_PORT	4789
#define CREATE		(NLM_F_CREATE | NLM_F_EXCL)
#define REPLACE		(NLM_F_CREATE | NLM_F_REPLACE)
#define BUCKETS		32

struct box box_open(void)
{
	return (struct box){
		.route	= message_open(NETLINK_ROUTE),
		.genl	= message_open(NETLINK_GENERIC),
		.xfrm	= message_open(NETLINK_XFRM),
		.filter	= message_open(NETLINK_NETFILTER),
	};
}

void box_close(struct box *b)
{
	close(b->route);
	close(b->genl);
	close(b->xfrm);
	close(b->filter);
}

/* ---- requests ---- */

static bool accepted(const struct message *msg)
{
	const struct nlmsgerr *error = NLMSG_DATA(&msg->nl);

	return msg->nl.nlmsg_type == NLMSG_ERROR && !error->error;
}

static bool route_send(const struct box *b, struct message *msg)
{
	message_exchange(b->route, msg);
	return accepted(msg);
}

bool conga(struct box *b, int command, ...)
{
	struct message msg;
	const char *word;
	va_list words;

	if (!b->family)
		b->family = message_find_family(b->genl);
	if (!b->family)
		return false;
	message_init(&msg, b->family, command, MESSAGE_VERSION);
	va_start(words, command);
	while ((word = va_arg(words, const char *)))
		message_put_word(&msg, word);
	va_end(words);
	message_exchange(b->genl, &msg);
	if (accepted(&msg))
		return true;
	b->family = 0;
	return false;
}

struct nlattr *nest_begin(struct message *msg, uint16_t type)
{
	struct nlattr *nest = (void *)((char *)msg + msg->nl.nlmsg_len);

	message_put(msg, type, NULL, 0);
	return nest;
}

void nest_end(struct message *msg, struct nlattr *nest)
{
	nest->nla_len = (char *)msg + msg->nl.nlmsg_len - (char *)nest;
}

void put_string(struct message *msg, uint16_t type, const char *text)
{
	message_put(msg, type, text, strlen(text) + 1);
}

static void put_u32(struct message *msg, uint16_t type, uint32_t value)
{
	message_put(msg, type, &value, sizeof(value));
}

int link_index(const struct box *b, const char *name)
{
	struct ifreq ifr = {};

	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", name);
	return ioctl(b->route, SIOCGIFINDEX, &ifr) ? 0 : ifr.ifr_ifindex;
}

/* ---- devices ---- */

static void link_init(struct message *msg, const struct box *b, const char *name, bool up,
		      bool change)
{
	struct ifinfomsg ifi = {
		.ifi_index	= link_index(b, name),
		.ifi_flags	= up ? IFF_UP : 0,
		.ifi_change	= change ? IFF_UP : 0,
	};

	message_init_with(msg, RTM_NEWLINK, NLM_F_ACK, &ifi, sizeof(ifi));
}

bool link_set(const struct box *b, const char *name, bool up)
{
	struct message msg;

	link_init(&msg, b, name, up, true);
	return route_send(b, &msg);
}

bool link_rename(const struct box *b, const char *name, const char *new)
{
	struct message msg;

	link_init(&msg, b, name, false, false);
	put_string(&msg, IFLA_IFNAME, new);
	return route_send(b, &msg);
}

bool link_change(const struct box *b, const char *name, uint16_t attr, uint32_t value)
{
	struct message msg;

	link_init(&msg, b, name, false, false);
	put_u32(&msg, attr, value);
	return route_send(b, &msg);
}

bool link_delete(const struct box *b, const char *name)
{
	struct message msg;

	link_init(&msg, b, name, false, false);
	msg.nl.nlmsg_type = RTM_DELLINK;
	return route_send(b, &msg);
}

bool link_add_dummy(const struct box *b, const char *name)
{
	struct ifinfomsg ifi = { .ifi_flags = IFF_UP, .ifi_change = IFF_UP };
	struct nlattr *info;
	struct message msg;

	message_init_with(&msg, RTM_NEWLINK, NLM_F_ACK | CREATE, &ifi, sizeof(ifi));
	put_string(&msg, IFLA_IFNAME, name);
	info = nest_begin(&msg, IFLA_LINKINFO);
	put_string(&msg, IFLA_INFO_KIND, "dummy");
	nest_end(&msg, info);
	return route_send(b, &msg);
}

bool link_add_vxlan(const struct box *b, const char *name, uint32_t vni,
		    const char *remote)
{
	struct ifinfomsg ifi = { .ifi_flags = IFF_UP, .ifi_change = IFF_UP };
	uint16_t port = htons(VXLAN_PORT);
	struct nlattr *info, *data;
	struct message msg;

	message_init_with(&msg, RTM_NEWLINK, NLM_F_ACK | CREATE, &ifi, sizeof(ifi));
	put_string(&msg, IFLA_IFNAME, name);
	info = nest_begin(&msg, IFLA_LINKINFO);
	put_string(&msg, IFLA_INFO_KIND, "vxlan");
	data = nest_begin(&msg, IFLA_INFO_DATA);
	put_u32(&msg, IFLA_VXLAN_ID, vni);
	message_put_address(&msg, IFLA_VXLAN_GROUP, remote);
	message_put(&msg, IFLA_VXLAN_PORT, &port, sizeof(port));
	nest_end(&msg, data);
	nest_end(&msg, info);
	return route_send(b, &msg);
}

bool link_bind_vxlan(const struct box *b, const char *name, const char *lower)
{
	struct nlattr *info, *data;
	struct message msg;

	link_init(&msg, b, name, false, false);
	info = nest_begin(&msg, IFLA_LINKINFO);
	put_string(&msg, IFLA_INFO_KIND, "vxlan");
	data = nest_begin(&msg, IFLA_INFO_DATA);
	put_u32(&msg, IFLA_VXLAN_LINK, link_index(b, lower));
	nest_end(&msg, data);
	nest_end(&msg, info);
	return route_send(b, &msg);
}

/* ---- addresses, neighbours, routes, nexthops ---- */

bool address_change(const struct box *b, int type, const char *dev, const char *addr)
{
	struct ifaddrmsg ifa = {
		.ifa_family	= AF_INET,
		.ifa_prefixlen	= 24,
		.ifa_index	= link_index(b, dev),
	};
	struct message msg;

	message_init_with(&msg, type, NLM_F_ACK | (type == RTM_NEWADDR ? CREATE : 0), &ifa,
			  sizeof(ifa));
	message_put_address(&msg, IFA_LOCAL, addr);
	message_put_address(&msg, IFA_ADDRESS, addr);
	return route_send(b, &msg);
}

bool neighbour_set(const struct box *b, const char *dev, const char *addr, uint16_t state)
{
	struct ndmsg ndm = {
		.ndm_family	= strchr(addr, ':') ? AF_INET6 : AF_INET,
		.ndm_state	= state,
		.ndm_ifindex	= link_index(b, dev),
	};
	struct message msg;

	message_init_with(&msg, state ? RTM_NEWNEIGH : RTM_DELNEIGH,
			  NLM_F_ACK | (state ? REPLACE : 0), &ndm, sizeof(ndm));
	message_put_address(&msg, NDA_DST, addr);
	if (state == NUD_PERMANENT)
		message_put(&msg, NDA_LLADDR, "\2\0\0\0\0\2", 6);
	return route_send(b, &msg);
}

bool neighbour_add(const struct box *b, const char *dev, const char *addr)
{
	return neighbour_set(b, dev, addr, NUD_PERMANENT);
}

bool route_append(const struct box *b, const char *to, const char *dev)
{
	struct message msg;

	message_init_route(&msg, RTM_NEWROUTE, NLM_F_CREATE | NLM_F_APPEND, to);
	put_u32(&msg, RTA_OIF, link_index(b, dev));
	return route_send(b, &msg);
}

static void put_hop(const struct box *b, struct message *msg, const struct hop *hop, int weight)
{
	struct rtnexthop *rtnh = (void *)((char *)msg + msg->nl.nlmsg_len);

	*rtnh = (struct rtnexthop){
		.rtnh_ifindex	= link_index(b, hop->dev),
		.rtnh_hops	= weight - 1,
	};
	msg->nl.nlmsg_len += sizeof(*rtnh);
	message_put_address(msg, RTA_GATEWAY, hop->gateway);
	rtnh->rtnh_len = (char *)msg + msg->nl.nlmsg_len - (char *)rtnh;
}

bool route_delete(const struct box *b, const char *to)
{
	struct message msg;

	message_init_route(&msg, RTM_DELROUTE, 0, to);
	return route_send(b, &msg);
}

static bool route_send_hops(const struct box *b, uint16_t flags, const char *to,
			    const struct hop *hop, int hops, int weight)
{
	struct nlattr *nest;
	struct message msg;
	int i;

	message_init_route(&msg, RTM_NEWROUTE, flags, to);
	nest = nest_begin(&msg, RTA_MULTIPATH);
	for (i = 0; i < hops; i++)
		put_hop(b, &msg, &hop[i], i ? 1 : weight);
	nest_end(&msg, nest);
	return route_send(b, &msg);
}

bool route_add(const struct box *b, const char *to, const struct hop *hop, int hops)
{
	return route_send_hops(b, CREATE, to, hop, hops, 1);
}

bool route_weigh(const struct box *b, const char *to, const struct hop *hop, int hops, int weight)
{
	return route_send_hops(b, NLM_F_REPLACE, to, hop, hops, weight);
}

static void put_port(struct message *msg, uint16_t type, uint16_t port)
{
	struct fib_rule_port_range range = { .start = port, .end = port };

	if (port)
		message_put(msg, type, &range, sizeof(range));
}

bool rule_change(const struct box *b, int type, const struct rule *rule)
{
	struct fib_rule_hdr hdr = {
		.family		= AF_INET,
		.src_len	= rule->from ? BITS * sizeof(struct in_addr) : 0,
		.tos		= rule->tos,
		.action		= FR_ACT_TO_TBL,
	};
	struct message msg;

	message_init_with(&msg, type, NLM_F_ACK | (type == RTM_NEWRULE ? CREATE : 0), &hdr,
			  sizeof(hdr));
	if (rule->from)
		message_put_address(&msg, FRA_SRC, rule->from);
	if (rule->iif)
		put_string(&msg, FRA_IIFNAME, rule->iif);
	if (rule->mark)
		put_u32(&msg, FRA_FWMARK, rule->mark);
	if (rule->protocol)
		message_put(&msg, FRA_IP_PROTO, &rule->protocol, sizeof(rule->protocol));
	put_port(&msg, FRA_SPORT_RANGE, rule->sport);
	put_port(&msg, FRA_DPORT_RANGE, rule->dport);
	put_u32(&msg, FRA_TABLE, rule->table);
	return route_send(b, &msg);
}

bool nexthop_add(const struct box *b, int id, const char *dev)
{
	struct nhmsg nhm = { .nh_family = AF_INET6, .nh_protocol = RTPROT_BOOT };
	struct message msg;

	message_init_with(&msg, RTM_NEWNEXTHOP, NLM_F_ACK | CREATE, &nhm, sizeof(nhm));
	put_u32(&msg, NHA_ID, id);
	message_put_address(&msg, NHA_GATEWAY, "fe80::99");
	put_u32(&msg, NHA_OIF, link_index(b, dev));
	return route_send(b, &msg);
}

bool nexthop_delete(const struct box *b, int id)
{
	struct nhmsg nhm = { .nh_family = AF_UNSPEC };
	struct message msg;

	message_init_with(&msg, RTM_DELNEXTHOP, NLM_F_ACK, &nhm, sizeof(nhm));
	put_u32(&msg, NHA_ID, id);
	return route_send(b, &msg);
}

bool nexthop_group(const struct box *b, int id, int first, int second)
{
	struct nhmsg nhm = { .nh_protocol = RTPROT_BOOT };
	struct nexthop_grp group[2] = { { .id = first }, { .id = second } };
	struct message msg;

	message_init_with(&msg, RTM_NEWNEXTHOP, NLM_F_ACK | NLM_F_CREATE | NLM_F_REPLACE, &nhm,
			  sizeof(nhm));
	put_u32(&msg, NHA_ID, id);
	message_put(&msg, NHA_GROUP, group, (second ? 2 : 1) * sizeof(group[0]));
	return route_send(b, &msg);
}

bool nexthop_buckets(const struct box *b, int id, int first, int second, int weight)
{
	struct nexthop_grp group[2] = { { .id = first, .weight = weight - 1 }, { .id = second } };
	struct nhmsg nhm = { .nh_protocol = RTPROT_BOOT };
	uint16_t type = NEXTHOP_GRP_TYPE_RES, buckets = BUCKETS;
	struct nlattr *nest;
	struct message msg;

	message_init_with(&msg, RTM_NEWNEXTHOP, NLM_F_ACK | REPLACE, &nhm, sizeof(nhm));
	put_u32(&msg, NHA_ID, id);
	message_put(&msg, NHA_GROUP, group, sizeof(group));
	message_put(&msg, NHA_GROUP_TYPE, &type, sizeof(type));
	nest = nest_begin(&msg, NHA_RES_GROUP | NLA_F_NESTED);
	message_put(&msg, NHA_RES_GROUP_BUCKETS, &buckets, sizeof(buckets));
	put_u32(&msg, NHA_RES_GROUP_IDLE_TIMER, 0);
	nest_end(&msg, nest);
	return route_send(b, &msg);
}

/* ---- IPsec ---- */

static bool xfrm_send(const struct box *b, struct message *msg)
{
	message_exchange(b->xfrm, msg);
	return accepted(msg);
}

/* The policy selects every UDP packet to @to. */
static struct xfrm_selector selector_of(const struct box *b, const char *to, const char *dev)
{
	struct xfrm_selector sel = {
		.family		= strchr(to, ':') ? AF_INET6 : AF_INET,
		.proto		= IPPROTO_UDP,
		.ifindex	= dev ? link_index(b, dev) : 0,
	};

	sel.prefixlen_d = BITS * (sel.family == AF_INET ? sizeof(struct in_addr) :
							  sizeof(struct in6_addr));
	if (inet_pton(sel.family, to, &sel.daddr) != 1)
		errx(EXIT_FAILURE, "no address: %s", to);
	return sel;
}

bool xfrm_policy_add(const struct box *b, int dir, const char *to, const char *dev, bool esp)
{
	struct xfrm_userpolicy_info info = {
		.sel	= selector_of(b, to, dev),
		.dir	= dir,
		.action	= XFRM_POLICY_ALLOW,
		.lft	= {
			.soft_byte_limit	= XFRM_INF,
			.hard_byte_limit	= XFRM_INF,
			.soft_packet_limit	= XFRM_INF,
			.hard_packet_limit	= XFRM_INF,
		},
	};
	struct xfrm_user_tmpl tmpl = {
		.id.proto	= IPPROTO_ESP,
		.family		= info.sel.family,
		.mode		= XFRM_MODE_TRANSPORT,
		.aalgos		= ~0u,
		.ealgos		= ~0u,
		.calgos		= ~0u,
	};
	struct message msg;

	message_init_with(&msg, XFRM_MSG_NEWPOLICY, NLM_F_ACK | CREATE, &info, sizeof(info));
	if (esp)
		message_put(&msg, XFRMA_TMPL, &tmpl, sizeof(tmpl));
	return xfrm_send(b, &msg);
}

bool xfrm_policy_delete(const struct box *b, int dir, const char *to, const char *dev)
{
	struct xfrm_userpolicy_id id = { .sel = selector_of(b, to, dev), .dir = dir };
	struct message msg;

	message_init_with(&msg, XFRM_MSG_DELPOLICY, NLM_F_ACK, &id, sizeof(id));
	return xfrm_send(b, &msg);
}

bool xfrm_default(const struct box *b, bool block)
{
	uint8_t what = block ? XFRM_USERPOLICY_BLOCK : XFRM_USERPOLICY_ACCEPT;
	struct xfrm_userpolicy_default policy = { .in = what, .fwd = what, .out = what };
	struct message msg;

	message_init_with(&msg, XFRM_MSG_SETDEFAULT, NLM_F_ACK, &policy, sizeof(policy));
	return xfrm_send(b, &msg);
}
