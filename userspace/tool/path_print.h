/* SPDX-License-Identifier: GPL-2.0 */
/* A path, as "path" and the overview print it. */
#ifndef CONGA_TOOL_PATH_PRINT_H
#define CONGA_TOOL_PATH_PRINT_H

#include <netlink/attr.h>

/* conga_path_print_tail - all but the leaf, which the overview has printed already */
void conga_path_print_tail(struct nlattr **attrs);

#endif /* CONGA_TOOL_PATH_PRINT_H */
