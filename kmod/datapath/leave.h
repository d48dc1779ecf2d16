/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_LEAVE_H
#define _CONGA_LEAVE_H

#include <linux/netfilter.h>
#include <linux/skbuff.h>

struct conga_fabric;
struct conga_packet;
struct conga_path_key;
struct dst_entry;
struct net;

/* leave.c: which packets the kernel keeps per output device; BH disabled, RCU */
bool conga_leave_translated(const struct sk_buff *skb, const struct net *net, u8 pf);
bool conga_leave_transformed(const struct sk_buff *skb, const struct conga_packet *packet,
			     struct net *net, struct dst_entry *dst);
bool conga_leave_bound(const struct sk_buff *skb, const struct conga_packet *packet,
		       bool requeued);

/* leave.c: RTNL */
int conga_leave_init(void);
void conga_leave_exit(void);
void conga_leave_look(struct conga_fabric *fabric);

/* leave.c: any context */
bool conga_leave_must_look(const struct conga_fabric *fabric);

#endif /* _CONGA_LEAVE_H */
