/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_LINK_H
#define _CONGA_LINK_H

#include <linux/netfilter.h>
#include <linux/skbuff.h>

/* @priv is the port. BH disabled, RCU. */
unsigned int conga_link(void *priv, struct sk_buff *skb,
			const struct nf_hook_state *state);

#endif /* _CONGA_LINK_H */
