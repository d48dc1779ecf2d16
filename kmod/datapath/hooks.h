/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_HOOKS_H
#define _CONGA_HOOKS_H

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
 *    | stamp: LBTag, CE = 0, feedback                               |
 *    | ECT, another source port, if a parameter wants it            |
 *    v                                                        rx.c  LOCAL_IN
 *  kernel's output, neighbour                                       | stamped?
 *    |                                                              | learn CE, fb
 *    v                                                              | restore ECN
 *  link.c  EGRESS of the uplink         link.c  EGRESS              | clear
 *    | DRE counts                         | DRE counts              |
 *    | CE = max(CE, metric)               | CE = max(CE, metric)    |
 *    v                                    v                         |
 *    +------------ wire ------------ forwarding ------------ wire --+
 *
 * Where the policy decides at every node, forward.c, FORWARD of a spine, takes the
 * first steps of tx.c (steer.h), without a stamp.
 *
 * Beside this path, control.c asks leaves whether, and by which uplinks, they answer: it
 * works from a timer and from control packets that rx.c hands it. Likewise probe.c asks
 * neighbours which hop to a leaf is the best (HULA).
 *
 * Before the receiving leaf's LOCAL_IN, gro.c lets the kernel merge packets that
 * differ in CE.
 *
 * Each hook function gets its object (fabric or port) as the hook's private pointer, so
 * that a namespace or device without one pays nothing; gro.c has no hook of its own, and
 * looks for the fabric where CE differs.
 *
 * Contexts: all run under RCU, in softirq or process context. The kernel calls EGRESS with
 * BH disabled. It may call the others with BH enabled: LOCAL_OUT for a process that sends,
 * and all three for a userspace queue that gives a packet back. tx.c, rx.c and forward.c
 * then disable BH before anything else. conga_steer_begin(), conga_rx_packet() and
 * conga_link() assert that it is disabled.
 *
 * Verdicts: a packet goes on (NF_ACCEPT), with two exceptions. rx.c consumes control
 * packets (NF_STOLEN, counted as CONGA_A_STATS_RX_CONTROL or, of those joined with other
 * packets, as CONGA_A_STATS_CONTROL_MALFORMED). tx.c drops a packet that comes from no
 * tunnel if, for want of memory, it cannot be copied or its stamp cannot be cleared
 * (NF_DROP, counted as CONGA_A_STATS_TX_NOMEM): a local process must not speak for this
 * leaf.
 */
struct conga_fabric;
struct conga_port;

/* The locks are held, may sleep. */
int conga_hooks_attach(struct conga_fabric *fabric);
void conga_hooks_detach(struct conga_fabric *fabric);
int conga_hooks_attach_forward(struct conga_fabric *fabric);
void conga_hooks_detach_forward(struct conga_fabric *fabric);
int conga_hooks_attach_port(struct conga_port *port);
void conga_hooks_detach_port(struct conga_port *port);

#endif /* _CONGA_HOOKS_H */
