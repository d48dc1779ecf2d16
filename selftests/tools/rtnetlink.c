// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>
#include <linux/netlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <sys/socket.h>
#include "common/netns.h"
#include "rtnetlink.h"

/* libnl up to version 3.7 does not know the sentence. */
static void rtnetlink_read(const struct nlmsgerr *err, struct rtnetlink_refusal *refusal)
{
	struct nlmsghdr *hdr = (struct nlmsghdr *)((char *)err - NLMSG_HDRLEN);
	struct nlattr *tlv[NLMSGERR_ATTR_MAX + 1];

	refusal->seq = err->msg.nlmsg_seq;
	snprintf(refusal->why, sizeof(refusal->why), "%s", strerror(-err->error));
	if (!(hdr->nlmsg_flags & NLM_F_ACK_TLVS) || !(hdr->nlmsg_flags & NLM_F_CAPPED))
		return;
	if (nla_parse(tlv, NLMSGERR_ATTR_MAX, (struct nlattr *)(err + 1),
		      nlmsg_datalen(hdr) - sizeof(*err), NULL) < 0)
		return;
	if (tlv[NLMSGERR_ATTR_MSG])
		nla_strlcpy(refusal->why, tlv[NLMSGERR_ATTR_MSG], sizeof(refusal->why));
}

static int rtnetlink_on_error(struct sockaddr_nl *from, struct nlmsgerr *err, void *arg)
{
	(void)from;
	rtnetlink_read(err, arg);
	return NL_STOP;
}

struct nl_sock *rtnetlink_open(const char *netns, struct rtnetlink_refusal *refusal)
{
	struct nl_sock *sock;
	int on = 1;

	if (conga_netns_switch(netns))
		return NULL;
	sock = nl_socket_alloc();
	if (!sock || nl_connect(sock, NETLINK_ROUTE)) {
		nl_socket_free(sock);
		return NULL;
	}
	setsockopt(nl_socket_get_fd(sock), SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on));
	setsockopt(nl_socket_get_fd(sock), SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof(on));
	nl_socket_modify_err_cb(sock, NL_CB_CUSTOM, rtnetlink_on_error, refusal);
	return sock;
}
