/* SPDX-License-Identifier: GPL-2.0 */
/* Devices of a view. */
#ifndef CONGA_DAEMON_LINK_H
#define CONGA_DAEMON_LINK_H

#include <stdbool.h>
#include "common/link.h"
#include "daemon/view.h"

/* congad_link_read - all devices into @view; a status */
int congad_link_read(struct congad_view *view);

/* congad_link_find - NULL if there is no such device */
const struct conga_link *congad_link_find(const struct congad_view *view, int ifindex);

/* congad_link_name - valid until the next call; "if" and the number if the device has gone */
const char *congad_link_name(const struct congad_view *view, int ifindex);

/* congad_link_is_uplink - may it be one, if it is a nexthop? */
bool congad_link_is_uplink(const struct congad_view *view, int ifindex);

/* congad_link_vrf - the VRF that a device is, or is in; 0: none */
int congad_link_vrf(const struct congad_view *view, int ifindex);

#endif /* CONGA_DAEMON_LINK_H */
