/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_TX_H
#define _CONGA_TX_H

#include <linux/netfilter.h>
#include <linux/skbuff.h>

/* @priv is the fabric. RCU; disables BH itself. */
unsigned int conga_tx(void *priv, struct sk_buff *skb,
		      const struct nf_hook_state *state);

#endif /* _CONGA_TX_H */
