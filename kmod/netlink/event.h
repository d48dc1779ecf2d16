/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_EVENT_H
#define _CONGA_EVENT_H

struct conga_fabric;
struct conga_leaf;
struct conga_port;
struct net;
struct work_struct;

/* The locks are held */
void conga_netlink_tell_fabric(struct conga_fabric *fabric);
void conga_netlink_tell_fabric_gone(struct net *net);
void conga_netlink_tell_port(struct conga_port *port);
void conga_netlink_tell_port_gone(struct conga_port *port);
void conga_netlink_tell_leaf(struct conga_leaf *leaf);
void conga_netlink_tell_leaf_gone(struct conga_leaf *leaf);

/* Process context */
void conga_netlink_news(struct work_struct *work);

#endif /* _CONGA_EVENT_H */
