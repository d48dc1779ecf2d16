/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_PORT_H
#define _CONGA_PORT_H

/* Inline, because conga_link() counts every packet, and conga_tx() and conga_forward() look
 * at the port that they choose.
 */
#include <linux/netdevice.h>
#include <linux/netfilter.h>
#include <linux/u64_stats_sync.h>

#include "objects/extension.h"
#include "objects/fabric.h"
#include "packet/packet.h"
#include "paper/adjacency.h"
#include "paper/dre_shared.h"

#define CONGA_PORT_GATEWAYS	4

/* A port's DRE. It is replaced as a whole when a parameter changes, so that shares never
 * mix periods of different lengths. Every packet at the port reads params. Packets write
 * only the sum in shared, once in Tdre, which has a cache line of its own.
 */
struct conga_port_dre {
	struct conga_dre_params	params;
	bool			marks;	/* the policy marks packets that leave by this port */
	struct rcu_head		rcu;
	struct conga_dre_shared	shared;
};

/* One per CPU; every packet writes its own CPU's, likewise in a cache line of its own. */
struct conga_port_counters {
	struct u64_stats_sync	sync;
	u64_stats_t		packets;
	u64_stats_t		bytes;
} ____cacheline_aligned_in_smp;

/* The addresses by which leaves may know this node behind an uplink, by family: IPv6 at 0,
 * IPv4 (mapped) at 1; :: is none. Guarded by the fabric's own_lock, which only the refresh
 * takes for writing.
 */
struct conga_own {
	struct in6_addr	learnt[2];	/* address by which leaves behind the uplink know this node
					 */
	struct in6_addr	tunnel[2];	/* local address of a vxlan device */
	struct in6_addr	route[2];	/* source of the route to the first leaf */
	u8		rank[2];	/* enum conga_own_rank of learnt */
};

/* Packets read the first cache line, from fabric to list, and never write this structure:
 * their counts are per CPU, in counters and dre.
 */
struct conga_port {
	struct conga_fabric		*fabric;
	struct conga_port_dre __rcu	*dre;
	struct conga_port_counters __percpu *counters;
	struct net_device		*dev;
	int				ifindex;
	u8				role;	/* enum conga_role */
	u8				tag;	/* LBTag; for a transit port its number as a hop,
						 * or CONGA_TAG_NONE
						 */
	u8				rate_source; /* enum conga_rate_source */
	u16				tags;	/* all LBTags of an uplink, its own among them */
	u8				origin;	/* enum conga_origin */
	bool				drain;	/* no new flowlets; also in fabric->draining */
	bool				told_up; /* the state in the last event, by event.c */
	u64				rate;	/* bit/s */
	struct conga_backlog		*backlog; /* of its queues */
	netdevice_tracker		dev_tracker;
	struct list_head		list;	/* fabric->ports */
	struct list_head		dying;	/* for lifetime.c, with its fabric */
	struct nf_hook_ops		egress;	/* by hooks.c */
	unsigned int			gateways; /* watched, by neighbour.c */
	struct in6_addr			gateway[CONGA_PORT_GATEWAYS]; /* IPv4 mapped */
	struct conga_own		own;	/* of an uplink, by own.c */
	u64				told_rate; /* bit/s, in the last event, by event.c */
	struct conga_port_extension	extension; /* of the policy */
	spinlock_t			adjacency_lock;	/* guards adjacency; BH disabled */
	struct conga_adjacency		adjacency; /* the node at the other end, by announce.c */
};

/* conga_port_hop - the port whose LBTag or hop number is @tag, NULL if none; RCU or the mutex */
static inline struct conga_port *
conga_port_hop(const struct conga_fabric *fabric, u8 tag)
{
	return rcu_dereference_check(fabric->hop[tag],
				     lockdep_is_held(&conga_net(fabric->net)->lock));
}

/* conga_port_uplink - the owner of an LBTag, NULL if none; likewise */
static inline struct conga_port *
conga_port_uplink(const struct conga_fabric *fabric, u8 tag)
{
	struct conga_port *port = conga_port_hop(fabric, tag);

	return port && port->role == CONGA_ROLE_UPLINK ? port : NULL;
}

/* Can the port send at this moment? Any context. */
static inline bool conga_port_up(const struct conga_port *port)
{
	const unsigned long both = BIT(__LINK_STATE_START) | BIT(__LINK_STATE_NOCARRIER);

	/* netif_running() and netif_carrier_ok() */
	return (READ_ONCE(port->dev->state) & both) == BIT(__LINK_STATE_START);
}

struct conga_port *conga_port_find(const struct conga_fabric *fabric,
				   int ifindex);
u8 conga_port_free_tag(const struct conga_fabric *fabric);
u64 conga_port_link_rate(struct net_device *dev);

struct conga_port *conga_port_create(struct conga_fabric *fabric,
				     struct net_device *dev, u8 role, u8 tag,
				     u64 rate, u8 rate_source);
void conga_port_set_drain(struct conga_port *port, bool drain);
void conga_port_take_tag(struct conga_port *port, u8 tag);
u16 conga_port_own_tags(const struct conga_fabric *fabric);
void conga_port_share_tags(struct conga_fabric *fabric);
void conga_port_publish(struct conga_port *port);
void conga_port_make_dead(struct conga_port *port);
void conga_port_free(struct conga_port *port);

struct conga_port_dre *conga_port_dre_create(const struct conga_port *port,
					     const struct conga_params *params,
					     u64 rate);
bool conga_port_dre_differs(const struct conga_params *old,
			    const struct conga_params *new);
void conga_port_dre_publish(struct conga_port *port, struct conga_port_dre *dre);
void conga_port_dre_free(struct conga_port_dre *dre);

u64 conga_port_x(struct conga_port_dre *dre, u64 now);
u8 conga_port_metric(struct conga_port *port, u64 now);
u8 conga_port_metric_of(struct conga_port *port, u64 now, u32 weight);
u8 conga_port_utilisation(struct conga_port *port, u64 now);
u32 conga_port_mbits(const struct conga_port *port);
void conga_port_read(const struct conga_port *port, u64 *packets, u64 *bytes);

/* Notes for the choice of uplinks whether the port has load; written only on a change. X
 * lacks the bytes that other CPUs sent in the running period, so that the bit may come one
 * period late.
 */
static inline void conga_port_note_load(const struct conga_port *port,
					bool loaded)
{
	atomic_long_t *all = &port->fabric->loaded;
	long tags = READ_ONCE(port->tags);

	if (port->role != CONGA_ROLE_UPLINK ||
	    likely((atomic_long_read(all) & tags) == (loaded ? tags : 0)))
		return;
	if (loaded)
		atomic_long_or(tags, all);
	else
		atomic_long_andnot(tags, all);
}

/* conga_port_count - a packet enters the port's queue; returns X in DRE units, with it; see
 * conga_port_note_load().
 * BH disabled, RCU
 */
static inline u64 conga_port_count(struct conga_port *port,
				   struct conga_port_dre *dre, u64 now,
				   struct conga_on_wire wire)
{
	struct conga_port_counters *counters = this_cpu_ptr(port->counters);

	u64_stats_update_begin(&counters->sync);
	u64_stats_add(&counters->packets, wire.frames);
	u64_stats_add(&counters->bytes, wire.bytes);
	u64_stats_update_end(&counters->sync);

	return conga_dre_shared_add(&dre->params, &dre->shared, now, wire.bytes);
}

#endif /* _CONGA_PORT_H */
