/* SPDX-License-Identifier: GPL-2.0 */
/* These functions find the tunnels that the daemon cannot serve, and what would help. */
#ifndef CONGA_DAEMON_TUNNEL_H
#define CONGA_DAEMON_TUNNEL_H

#include "daemon/fabric.h"
#include "daemon/view.h"

/* congad_tunnel_check - add a warning for each tunnel, and each way to a leaf, that the daemon
 * does not serve; @view and @fabric are of the same look
 */
void congad_tunnel_check(const struct congad_view *view, const struct congad_fabric *fabric,
			 struct conga_array *warnings);

#endif /* CONGA_DAEMON_TUNNEL_H */
