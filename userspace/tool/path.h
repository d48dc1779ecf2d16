/* SPDX-License-Identifier: GPL-2.0 */
/* A path is a leaf by an uplink, with the reason if it is unusable. */
#ifndef CONGA_TOOL_PATH_H
#define CONGA_TOOL_PATH_H

#include "tool/grammar.h"

extern const struct conga_object conga_path_object;

#endif /* CONGA_TOOL_PATH_H */
