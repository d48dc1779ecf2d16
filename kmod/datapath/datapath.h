/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_DATAPATH_H
#define _CONGA_DATAPATH_H

/*
 * The packet's way through the module, on one screen.
 *
 *  leaf, sending                         spine                leaf, receiving
 *  ~~~~~~~~~~~~~                         ~~~~~                ~~~~~~~~~~~~~~~
 *  vxlan device builds the packet
 *    |
 *  tx.c    LOCAL_OUT                                          link to the host
 *    | find the leaf by address                                     ^
 *    | hash the inner flow                                          |
 *    | flowlet live? keep : policy picks  (choose.c)          vxlan device
 *    | path -> route by that uplink                                 ^
 *    | a port of the flowlet's own, if the policy rehashes          |
 *    | stamp: LBTag, CE = 0, feedback                               |
 *    v                                                        rx.c  LOCAL_IN
 *  kernel's output, neighbour                                       | stamped?
 *    |                                                              | learn CE
 *    v                                                              | learn fb
 *  link.c  EGRESS of the uplink         link.c  EGRESS              | clear
 *    | DRE counts                         | DRE counts              |
 *    | CE = max(CE, metric)               | CE = max(CE, metric)    |
 *    v                                    v                         |
 *    +------------ wire ------------ forwarding ------------ wire --+
 *
 * Where the policy decides at every box, forward.c, FORWARD of a spine, takes the
 * first steps of tx.c (steer.h), without a stamp.
 *
 * Beside it control.c asks leaves whether, and by which uplinks, they can be
 * relied on: it works from a timer and from control packets that rx.c hands it.
 * Likewise probe.c, between neighbours: which hop is best to a leaf (HULA).
 *
 * Before the receiving leaf's LOCAL_IN, gro.c lets the kernel merge packets that
 * differ in CE.
 *
 * Each door gets its object (fabric or port) as the hook's private pointer, so
 * a namespace or device without one pays nothing; gro.c has no hook of its own,
 * and looks for the fabric where CE differs. All run in softirq or with
 * BH disabled, under RCU, and always let the packet go on, with one exception:
 * rx.c consumes control packets.
 */
#include <linux/netfilter.h>
#include <uapi/linux/conga.h>

struct conga_fabric;
struct conga_port;
struct net;

/* tx.c, rx.c, forward.c: priv is the fabric. link.c: priv is the port. */
unsigned int conga_tx(void *priv, struct sk_buff *skb,
		      const struct nf_hook_state *state);
unsigned int conga_rx(void *priv, struct sk_buff *skb,
		      const struct nf_hook_state *state);
unsigned int conga_forward(void *priv, struct sk_buff *skb,
			   const struct nf_hook_state *state);
unsigned int conga_link(void *priv, struct sk_buff *skb,
			const struct nf_hook_state *state);

/* gro.c: RTNL. */
void conga_gro_get(void);
void conga_gro_put(void);

/* hooks.c: RTNL and the mutex. */
int conga_hooks_attach(struct conga_fabric *fabric);
int conga_hooks_attach_forward(struct conga_fabric *fabric);
void conga_hooks_detach_forward(struct conga_fabric *fabric);
int conga_hooks_attach_port(struct conga_port *port);
void conga_hooks_remove_port(struct conga_port *port);
void conga_hooks_remove_fabric(struct conga_fabric *fabric);

/* notify.c, family.c */
int conga_notify_init(void);
void conga_notify_exit(void);
void conga_notify_start(struct conga_fabric *fabric);
void conga_notify_stop(struct conga_fabric *fabric);
int conga_netlink_init(void);
void conga_netlink_exit(void);

#endif /* _CONGA_DATAPATH_H */
