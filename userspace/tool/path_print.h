/* SPDX-License-Identifier: GPL-2.0 */
/* A path is printed alike by "path" and by the overview. */
#ifndef CONGA_TOOL_PATH_PRINT_H
#define CONGA_TOOL_PATH_PRINT_H

#include <netlink/attr.h>
#include <netlink/msg.h>

/* conga_path_print_tail - print all but the leaf, which the overview has already printed; @attrs
 * are those of @reply
 */
void conga_path_print_tail(struct nlattr **attrs, struct nl_msg *reply);

/* conga_path_print_brief - add the cells of a path to a table */
void conga_path_print_brief(struct nlattr **attrs);

#endif /* CONGA_TOOL_PATH_PRINT_H */
