/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_IPSEC_H
#define _CONGA_IPSEC_H

#include <linux/types.h>

struct dst_entry;
struct net;
struct net_device;
struct sk_buff;

/* Softirq or BH disabled, RCU */
bool conga_ipsec_admits(struct sk_buff *skb, bool v6);
bool conga_ipsec_leaves(struct net *net, struct dst_entry *dst,
			const struct sk_buff *skb);
bool conga_ipsec_leaves_link(struct net_device *dev, const struct sk_buff *skb);

#endif /* _CONGA_IPSEC_H */
