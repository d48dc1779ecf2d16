/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoints, /sys/kernel/tracing/events/conga: they show what single packets did, while
 * counters only show how many. They cost very little while they are disabled.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM conga

#if !defined(_CONGA_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _CONGA_TRACE_H

#include <linux/in6.h>
#include <linux/tracepoint.h>
#include <uapi/linux/conga.h>

#include "objects/leaf.h"
#include "objects/port.h"

/* A policy chose an uplink: where a flowlet starts, or for each packet, if the policy
 * decides so. The event has the policy's view, by LBTag: uplinks that lead to the leaf,
 * metrics of their own DREs and metrics that the leaf fed back; a part for which the policy
 * did not ask is 0 (section 3.5).
 */
TRACE_EVENT(conga_choice,
	    TP_PROTO(const struct conga_leaf *leaf, const struct conga_view *view, u8 tag),
	    TP_ARGS(leaf, view, tag),
	    TP_STRUCT__entry(__array(u8, leaf, sizeof(struct in6_addr))
			     __field(u32, hash)
			     __field(u16, usable)
			     __field(u8, tag)
			     __field(u8, previous)
			     __array(u8, local, CONGA_TAGS_MAX)
			     __array(u8, remote, CONGA_TAGS_MAX)
	    ),
	    TP_fast_assign(u8 i;

			   memcpy(__entry->leaf, &leaf->addr, sizeof(struct in6_addr));
			   __entry->hash = view->hash;
			   __entry->usable = view->usable;
			   __entry->tag = tag;
			   __entry->previous = view->previous;

			for (i = 0; i < CONGA_TAGS_MAX; i++) {
				__entry->local[i] = view->uplink[i].local;
				__entry->remote[i] = view->uplink[i].remote;
			}
	    ),
	    TP_printk("leaf %pI6c hash %08x tag %u previous %u usable %04x local %*ph remote %*ph",
		      __entry->leaf, __entry->hash, __entry->tag, __entry->previous,
		      __entry->usable, CONGA_TAGS_MAX, __entry->local, CONGA_TAGS_MAX,
		      __entry->remote)
);

/* A stamped packet left by a port that is more congested than its path until here, so that
 * its CE was raised (section 3.3).
 */
TRACE_EVENT(conga_ce_raised,
	    TP_PROTO(const struct conga_port *port, u32 from, u32 to, u8 q),
	    TP_ARGS(port, from, to, q),
	    TP_STRUCT__entry(__array(char, dev, IFNAMSIZ)
			     __field(u8, before)
			     __field(u8, ce)
	    ),
	    TP_fast_assign(strscpy(__entry->dev, port->dev->name, IFNAMSIZ);
			   __entry->before = conga_wire_ce(from, q);
			   __entry->ce = conga_wire_ce(to, q);
	    ),
	    TP_printk("dev %s from %u to %u", __entry->dev, __entry->before, __entry->ce)
);

/* A leaf fed back the congestion of the path to it by our uplink of that LBTag: in a
 * packet's stamp, or in a control packet (section 3.3).
 */
TRACE_EVENT(conga_feedback,
	    TP_PROTO(const struct conga_leaf *leaf, u8 tag, u8 metric, bool control),
	    TP_ARGS(leaf, tag, metric, control),
	    TP_STRUCT__entry(__array(u8, leaf, sizeof(struct in6_addr))
			     __field(u8, tag)
			     __field(u8, metric)
			     __field(u8, control)
	    ),
	    TP_fast_assign(memcpy(__entry->leaf, &leaf->addr, sizeof(struct in6_addr));
			   __entry->tag = tag;
			   __entry->metric = metric;
			   __entry->control = control;
	    ),
	    TP_printk("leaf %pI6c tag %u metric %u%s", __entry->leaf, __entry->tag,
		      __entry->metric, __entry->control ? " control" : "")
);

#define conga_trace_reasons					\
	{ CONGA_PATH_USABLE,		"usable" },		\
	{ CONGA_PATH_PORT_DOWN,		"port_down" },		\
	{ CONGA_PATH_NO_ROUTE,		"no_route" },		\
	{ CONGA_PATH_NOT_NEXTHOP,	"not_nexthop" },	\
	{ CONGA_PATH_NEXTHOP_DOWN,	"nexthop_down" },	\
	{ CONGA_PATH_OTHER_DEVICE,	"other_device" },	\
	{ CONGA_PATH_SILENT,		"silent" },		\
	{ CONGA_PATH_DRAINING,		"draining" },		\
	{ CONGA_PATH_UNPROBED,		"unprobed" },		\
	{ CONGA_PATH_NARROW,		"narrow" },		\
	{ CONGA_PATH_NEIGHBOUR,		"neighbour" }

/* A path has become usable or unusable, with the reason; "conga monitor path" shows the same. */
TRACE_EVENT(conga_path,
	    TP_PROTO(const struct conga_leaf *leaf, const struct conga_port *port, u8 tag,
		     u8 before, u8 reason),
	    TP_ARGS(leaf, port, tag, before, reason),
	    TP_STRUCT__entry(__array(u8, leaf, sizeof(struct in6_addr))
			     __array(char, dev, IFNAMSIZ)
			     __field(u8, tag)
			     __field(u8, before)
			     __field(u8, reason)
	    ),
	    TP_fast_assign(memcpy(__entry->leaf, &leaf->addr, sizeof(struct in6_addr));
			   strscpy(__entry->dev, port->dev->name, IFNAMSIZ);
			   __entry->tag = tag;
			   __entry->before = before;
			   __entry->reason = reason;
	    ),
	    TP_printk("leaf %pI6c dev %s tag %u %s", __entry->leaf, __entry->dev,
		      __entry->tag, __print_symbolic(__entry->reason, conga_trace_reasons))
);

#define conga_trace_verdicts					\
	{ CONGA_A_STATS_PROBE_TAKEN,		"taken" },	\
	{ CONGA_A_STATS_PROBE_NO_BETTER,	"no_better" },	\
	{ CONGA_A_STATS_PROBE_UNWANTED,		"unwanted" },	\
	{ CONGA_A_STATS_PROBE_DISTANT,		"distant" },	\
	{ CONGA_A_STATS_PROBE_MALFORMED,	"malformed" },	\
	{ CONGA_A_STATS_PROBE_OWN,		"own" },	\
	{ CONGA_A_STATS_PROBE_UNKNOWN_LEAF,	"unknown_leaf" }, \
	{ CONGA_A_STATS_PROBE_NOT_PATH,		"not_path" }

/* A probe came by a port: its leaf, the utilisation of the path including this node's own
 * link, and the result, by the name of the counter. If the probe was rejected before it was
 * read, leaf and utilisation have no meaning.
 */
TRACE_EVENT(conga_probe,
	    TP_PROTO(const struct conga_port *port, const __be32 *leaf,
		     u8 utilisation, enum conga_attr_stats verdict),
	    TP_ARGS(port, leaf, utilisation, verdict),
	    TP_STRUCT__entry(__array(u8, leaf, sizeof(struct in6_addr))
			     __array(char, dev, IFNAMSIZ)
			     __field(u8, utilisation)
			     __field(u16, verdict)
	    ),
	    TP_fast_assign(memcpy(__entry->leaf, leaf, sizeof(struct in6_addr));
			   strscpy(__entry->dev, port->dev->name, IFNAMSIZ);
			   __entry->utilisation = utilisation;
			   __entry->verdict = verdict;
	    ),
	    TP_printk("leaf %pI6c dev %s utilisation %u %s", __entry->leaf,
		      __entry->dev, __entry->utilisation,
		      __print_symbolic(__entry->verdict, conga_trace_verdicts))
);

/* Because of a probe another hop became the best to a leaf. */
TRACE_EVENT(conga_hop_changed,
	    TP_PROTO(const struct conga_leaf *leaf, const struct conga_port *from,
		     const struct conga_port *to, u8 utilisation),
	    TP_ARGS(leaf, from, to, utilisation),
	    TP_STRUCT__entry(__array(u8, leaf, sizeof(struct in6_addr))
			     __array(char, from, IFNAMSIZ)
			     __array(char, to, IFNAMSIZ)
			     __field(u8, utilisation)
	    ),
	    TP_fast_assign(memcpy(__entry->leaf, &leaf->addr, sizeof(struct in6_addr));
			   strscpy(__entry->from, from ? from->dev->name : "-", IFNAMSIZ);
			   strscpy(__entry->to, to->dev->name, IFNAMSIZ);
			   __entry->utilisation = utilisation;
	    ),
	    TP_printk("leaf %pI6c from %s to %s utilisation %u", __entry->leaf,
		      __entry->from, __entry->to, __entry->utilisation)
);

#endif /* _CONGA_TRACE_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
