/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_OWN_H
#define _CONGA_OWN_H

#include <linux/in6.h>
#include <linux/types.h>
#include <net/ipv6.h>

struct conga_fabric;
struct conga_leaf;
struct conga_params;
struct conga_port;

/* The reasons to take an address of this node as the one by which a leaf knows it */
enum conga_own_rank {
	CONGA_OWN_NONE,
	CONGA_OWN_CALLED,	/* the leaf's hellos came to it */
	CONGA_OWN_CONFIRMED,	/* the leaf answered a hello that left from it */
	CONGA_OWN_SEEN,		/* a tunnel's packets to the leaf left from it */
	CONGA_OWN_ANSWERED,	/* both */
};

/* Softirq or BH disabled, RCU */
bool conga_own_source(struct conga_leaf *leaf, const struct conga_port *port,
		      const struct conga_params *params,
		      struct in6_addr *source);
bool conga_own_origin(const struct conga_port *port,
		      const struct conga_params *params, bool v4,
		      struct in6_addr *origin);
void conga_own_learn(struct conga_leaf *leaf, const struct in6_addr *source);
void conga_own_called(struct conga_leaf *leaf, const struct in6_addr *addr);
void conga_own_answered(struct conga_leaf *leaf, const struct in6_addr *addr);

/* Any context, RCU or the locks */
void conga_own_changed(struct conga_fabric *fabric);
void conga_own_gone(struct conga_fabric *fabric);

/* The locks are held, may sleep */
void conga_own_setup(struct conga_fabric *fabric);
void conga_own_refresh(struct conga_fabric *fabric);
void conga_own_stop(struct conga_fabric *fabric);

#endif /* _CONGA_OWN_H */
