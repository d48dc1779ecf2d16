/* SPDX-License-Identifier: GPL-2.0 */
/* The overview shows everything on one screen. */
#ifndef CONGA_TOOL_OVERVIEW_H
#define CONGA_TOOL_OVERVIEW_H

/* conga_overview_show - print the overview; returns a status */
int conga_overview_show(void);

#endif /* CONGA_TOOL_OVERVIEW_H */
