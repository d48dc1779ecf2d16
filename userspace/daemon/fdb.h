/* SPDX-License-Identifier: GPL-2.0 */
/*
 * VTEPs are the addresses that vxlan devices forward to. All of them are in the
 * devices' forwarding tables: static entries, those of EVPN (for an L3VNI the routers'
 * MACs), those of devices that serve several VNIs, the default destination of a
 * point-to-point device (as the entry of MAC zero), and learnt ones. An entry of EVPN
 * multihoming has a nexthop group instead. Leaves that an operator added are VTEPs,
 * too.
 */
#ifndef CONGA_DAEMON_FDB_H
#define CONGA_DAEMON_FDB_H

#include "daemon/fabric.h"
#include "daemon/view.h"

/* congad_fdb_read - read all VTEPs into @view, which has links and nexthops; returns a status */
int congad_fdb_read(struct congad_view *view, const struct congad_fabric *fabric);

#endif /* CONGA_DAEMON_FDB_H */
