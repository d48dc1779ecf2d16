/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_FABRIC_H
#define _CONGA_FABRIC_H

#include <linux/cache.h>
#include <linux/mutex.h>
#include <linux/netfilter.h>
#include <linux/prandom.h>
#include <linux/rhashtable.h>
#include <linux/seqlock.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <net/net_namespace.h>

#include "objects/extension.h"
#include "objects/pace.h"
#include "objects/stats.h"
#include "packet/dstports.h"
#include "paper/ecn.h"
#include "paper/entropy.h"
#include "paper/flowlet.h"
#include "policies/policy.h"

struct conga_flow_states;
struct conga_flowlets;
struct conga_leaf;
struct conga_port;

/* one each for tx and rx, IPv4 and IPv6 */
#define CONGA_HOOKS	4

/**
 * DOC: Locking
 *
 * Two locks guard configuration, always taken in this order: the RTNL, then
 * the mutex of the network namespace (conga_net::lock). Every change of a fabric, its ports
 * and its leaves holds both; the functions that make such a change assert that by
 * conga_assert_locked(). Netlink dumps hold the mutex alone, so that the objects stay
 * during a walk; dumps never take the RTNL.
 *
 * The packet path takes neither lock. It runs under RCU with BH disabled, and reaches
 * everything from the fabric or port that its hook was registered with; GRO, which has no
 * hook, from the fabric of the packet's namespace. Where the kernel calls a hook function
 * with BH enabled, the function disables BH; datapath/hooks.h says which, and where that is
 * asserted. Objects die in two phases: unpublish (hooks, lists, tables, pointers), then one
 * synchronize_net() for all of them, then free. Parameters, the flowlet table and DREs are
 * constant once published and replaced whole.
 *
 * Variables that packets change are words read with READ_ONCE and written with
 * WRITE_ONCE (flowlets, congestion tables) or per CPU (counters, DRE cells). The state of
 * hello and probes for a leaf, the delays of its paths, and the leaf's state change under
 * its hello_lock, by the tick, answers and probes.
 *
 * The paths to a leaf of packets with one key are a set, constant once published but for
 * the words that struct conga_paths names. A CPU that finds a set stale resolves a new set
 * and replaces the old one, under the leaf's paths_lock; the old set is freed after a grace
 * period. Neither this lock nor hello_lock is taken inside the other.
 *
 * Three works (hello's tick, events, own addresses) and the timer of probes walk leaves
 * or ports under RCU and take none of the configuration's locks, so that a holder of
 * these may wait for them. A fourth work looks at the speeds of ports and changes their
 * rates. It only tries the two locks, in their order, and runs again later if it does not
 * get both; so the holder of the locks may wait for it, too.
 */

/* The parameters are constant while published. A writer holds the locks, and publishes a
 * changed copy.
 */
struct conga_params {
	const struct conga_policy *policy;
	u64		tfl;		/* ns */
	u64		tage;		/* ns */
	u64		tdre;		/* ns, or CONGA_FABRIC_TDRE_AUTO */
	u32		alpha;		/* millionths */
	u32		flowlets;	/* entries */
	u64		hello;		/* ns, 0: off */
	u64		probe;		/* ns, 0: off, or CONGA_PROBE_AUTO */
	u64		probe_min;	/* ns, of the namespace */
	u32		leaf_id;	/* our leaf id in hellos */
	u8		q;		/* bits */
	u8		metric;		/* enum conga_metric */
	u8		entropy;	/* LBTags of each uplink; 0: as many as there are */
	bool		ecn;		/* packets get ECT, and their marks are read, where both
					 * leaves have this
					 */
	bool		outer;		/* the outer header may change: packets get other source
					 * ports, by the policy or by entropy, or ECT
					 */
	struct conga_ecn_memory ecn_memory; /* of marks */
	bool		explicit_feedback;
	bool		tfl_set;	/* the user set tfl; otherwise it is the policy's */
	bool		leaf_id_set;	/* the user set leaf_id; otherwise it is random */
	bool		opt_out;	/* a mark or a DSCP opts out */
	u8		opt_out_dscp;	/* of the inner packet, or CONGA_DSCP_NONE */
	u32		opt_out_mark;
	u32		opt_out_mask;	/* 0: no mark opts out */
	u32		policy_param[CONGA_POLICY_PARAMS];
	struct conga_flow_states *flow_states; /* NULL: the policy has none */
	struct in6_addr	local[2];	/* the user's, of IPv6 and (mapped) IPv4, or :: */
	struct conga_dstports dstports;	/* ports at which VXLAN is stamped */
	struct rcu_head	rcu;
};

/*
 * Packets read the members before loaded, and never write them: in the first cache line
 * path_epoch changes with port events, the rest with configuration. Packets also read
 * loaded, and write it when the load of an uplink begins or ends; it shares its line only
 * with members that packets do not read, so that a write does not slow look-ups down.
 * Packets queue event_work when there is news.
 */
struct conga_fabric {
	struct conga_params __rcu	*params;
	struct conga_flowlets __rcu	*flowlets;
	struct conga_stats __percpu	*stats;
	u8 __percpu			*recent;	/* LBTag chosen last */
	struct rnd_state __percpu	*random;	/* of draws, BH disabled */
	struct net			*net;
	u32				hash_seed;
	atomic_t			path_epoch;	/* bumped by port events */
	struct list_head		ports;		/* RCU list */
	struct conga_port __rcu		*hop[CONGA_TAGS_MAX];	/* by LBTag */
	struct conga_leaf __rcu		**leaf4;	/* leaves of IPv4, each at the slot of its
							 * address, unless another one has it
							 */
	struct rhashtable		leaves;		/* by address, all of them */
	u16				draining;	/* a bit per LBTag */
	u16				transit;	/* hops that are no uplinks */
	u16				extra;		/* LBTags beside an uplink's own */
	bool				leaving;	/* removal has begun */
	bool				bound;		/* a tunnel is bound to a device */
	atomic_t			path_extra;	/* sets of paths beyond a leaf's first */

	atomic_long_t			loaded		/* LBTags of uplinks whose metric is more
							 * than 0, a bit each; by packets
							 */
					____cacheline_aligned_in_smp;
	struct xarray			leaf_index;	/* u16 -> leaf */
	struct nf_hook_ops		hooks[CONGA_HOOKS]; /* by hooks.c */
	struct delayed_work		hello_work;	/* by control.c */
	struct conga_pace		hello_pace;	/* likewise */
	unsigned long			hello_next;	/* leaf_index at which the tick continues */
	u64				announced;	/* ns, latest announcements; 0: none */
	bool				unmarked;	/* no uplink ends at a node that runs
							 * conga; by announce.c
							 */
	u16				tunnel_mtu[2];	/* largest, IPv4 and IPv6; 0: none;
							 * by control_tick.c
							 */
	struct conga_entropy_range	source_ports;	/* of tunnels; by source_port.c */
	bool				tunnels_stale;	/* a tunnel came, went or changed since */
	struct conga_fabric_extension	extension;
	struct delayed_work		event_work;	/* by event.c */
	struct delayed_work		own_work;	/* by own.c */
	seqlock_t			own_lock;	/* own of ports */
	u16				own_teacher[2];	/* leaf, by family: IPv6, IPv4 */
	bool				own_gone;	/* an address of this node went away */
	struct conga_pace		event_pace;	/* likewise */
	struct delayed_work		speed_work;	/* by speed.c */
	struct conga_pace		speed_pace;	/* likewise */
	u32				generation;	/* of ports and leaves; each change counts
							 * it up
							 */
	u32				port_count;
	u32				leaf_count;
};

/* One per network namespace. */
struct conga_net {
	struct mutex			lock;	/* see DOC: Locking */
	struct conga_fabric __rcu	*fabric;
};

struct conga_net *conga_net(const struct net *net);
int conga_fabric_init(void);
void conga_fabric_exit(void);

void conga_lock(struct net *net);
void conga_unlock(struct net *net);
void conga_assert_locked(const struct conga_fabric *fabric);

struct conga_fabric *conga_fabric_get_locked(struct net *net);
void conga_fabric_publish(struct conga_fabric *fabric);
void conga_fabric_make_dead(struct conga_fabric *fabric);
struct conga_params *conga_fabric_params(const struct conga_fabric *fabric);
void conga_fabric_changed(struct conga_fabric *fabric);
void conga_fabric_invalidate_paths(struct conga_fabric *fabric);

#endif /* _CONGA_FABRIC_H */
