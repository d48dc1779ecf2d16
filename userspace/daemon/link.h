/* SPDX-License-Identifier: GPL-2.0 */
/* These functions read and find the devices of a view. */
#ifndef CONGA_DAEMON_LINK_H
#define CONGA_DAEMON_LINK_H

#include <stdbool.h>
#include "common/link.h"
#include "daemon/view.h"

/* congad_link_read - read all devices into @view; returns a status */
int congad_link_read(struct congad_view *view);

/* congad_link_find - find a device; returns NULL if there is none */
const struct conga_link *congad_link_find(const struct congad_view *view, int ifindex);

/* congad_link_name - the device's name, valid until the next call; "if" and the number if the
 * device was removed
 */
const char *congad_link_name(const struct congad_view *view, int ifindex);

/* congad_link_is_uplink - may the device be an uplink if it is a nexthop? */
bool congad_link_is_uplink(const struct congad_view *view, int ifindex);

bool congad_link_is_bridge(const struct congad_view *view, int ifindex);

/* congad_link_vrf - the VRF that a device is, or is in; 0: none */
int congad_link_vrf(const struct congad_view *view, int ifindex);

#endif /* CONGA_DAEMON_LINK_H */
