/* SPDX-License-Identifier: GPL-2.0 */
/* Everything on one screen. */
#ifndef CONGA_TOOL_OVERVIEW_H
#define CONGA_TOOL_OVERVIEW_H

/* conga_overview_show - a status */
int conga_overview_show(void);

#endif /* CONGA_TOOL_OVERVIEW_H */
