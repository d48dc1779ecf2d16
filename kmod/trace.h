/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracepoints, /sys/kernel/tracing/events/conga: what single packets did, where counters
 * say only how many. They cost nothing while nobody looks.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM conga

#if !defined(_CONGA_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define _CONGA_TRACE_H

#include <linux/in6.h>
#include <linux/tracepoint.h>
#include <uapi/linux/conga.h>

#include "leaf.h"
#include "port.h"

#define conga_trace_verdicts					\
	{ CONGA_A_STATS_PROBE_TAKEN,		"taken" },	\
	{ CONGA_A_STATS_PROBE_NO_BETTER,	"no_better" },	\
	{ CONGA_A_STATS_PROBE_UNWANTED,		"unwanted" },	\
	{ CONGA_A_STATS_PROBE_DISTANT,		"distant" },	\
	{ CONGA_A_STATS_PROBE_MALFORMED,	"malformed" },	\
	{ CONGA_A_STATS_PROBE_OWN,		"own" },	\
	{ CONGA_A_STATS_PROBE_UNKNOWN_LEAF,	"unknown_leaf" }, \
	{ CONGA_A_STATS_PROBE_NOT_PATH,		"not_path" }

/* A probe came by a port: about which leaf, how utilised the way there is with this
 * box's own link, and what became of it, by the name of the counter. Of what is
 * refused before it is read through, leaf and utilisation say nothing.
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

/* By a probe another hop became the best to a leaf. */
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
