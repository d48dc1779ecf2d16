/* SPDX-License-Identifier: GPL-2.0 */
/* Ports are the devices that are links of the fabric. */
#ifndef CONGA_TOOL_PORT_H
#define CONGA_TOOL_PORT_H

#include "tool/grammar.h"

extern const struct conga_object conga_port_object;

#endif /* CONGA_TOOL_PORT_H */
