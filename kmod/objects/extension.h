/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_EXTENSION_H
#define _CONGA_EXTENSION_H

/* The state and the functions of fabric, ports and leaves for a policy with an extension
 * (policies/extension.h), which is HULA or TR. CONGA uses none of them.
 */
#include <linux/hrtimer.h>
#include <linux/netfilter.h>
#include <linux/rcupdate.h>
#include <linux/types.h>

#include "objects/pace.h"
#include "paper/ahead.h"
#include "paper/hula.h"

struct conga_fabric;
struct conga_leaf;
struct conga_params;
struct conga_port;
struct net;

#define CONGA_FORWARD_HOOKS	2	/* IPv4 and IPv6 */

/* The delays of probes, in ns. Only their timer writes it; a concurrent reader may see a
 * sum without its last part.
 */
struct conga_lateness {
	u64		rounds;
	u64		sum;
	u64		most;
};

/* The part of a fabric */
struct conga_fabric_extension {
	struct nf_hook_ops	forward[CONGA_FORWARD_HOOKS]; /* while the policy decides at every
							       * node; by hooks.c
							       */
	u8			lowest;	/* tier of transit ports */
	struct hrtimer		probe_timer;	/* from here on by probe.c */
	struct conga_pace	probe_pace;
	struct conga_lateness	lateness;
};

/* The part of a port */
struct conga_port_extension {
	u8	tier;	/* of the link; leaves' own links have the lowest tier */
};

/* The queues and delays ahead, if the policy needs them */
struct conga_leaf_ahead {
	struct conga_ahead	ahead;
	struct rcu_head		rcu;
};

/* The part of a leaf */
struct conga_leaf_extension {
	struct conga_hula	hula;	/* by hello_lock, except for best */
	struct conga_leaf_ahead __rcu *ahead; /* NULL: the policy does not need it */
};

/* RCU or the mutex */
u64 conga_extension_tp(const struct conga_params *params);
u64 conga_extension_tfail(const struct conga_params *params);
u8 conga_extension_near(const struct conga_params *params);
u64 conga_extension_tdre(const struct conga_params *params, u64 tdre);
u8 conga_extension_byte3(const struct conga_params *params);
u16 conga_extension_out(const struct conga_leaf *leaf);
void conga_extension_flush_leaf(struct conga_leaf *leaf);

/* The locks are held */
void conga_extension_setup_params(struct conga_params *params, const struct net *net);
bool conga_extension_marks(const struct conga_port *port,
			   const struct conga_params *params);
bool conga_extension_dre_differs(const struct conga_params *old,
				 const struct conga_params *new);
bool conga_extension_prepare(struct conga_fabric *fabric,
			     const struct conga_params *params);
void conga_extension_release(struct conga_fabric *fabric);
bool conga_extension_prepare_leaf(struct conga_leaf *leaf,
				  const struct conga_params *params);
void conga_extension_free_leaf(struct conga_leaf *leaf);
void conga_extension_forget_tag(struct conga_leaf *leaf, u8 tag);

#endif /* _CONGA_EXTENSION_H */
