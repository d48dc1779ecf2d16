/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_COMMANDS_H
#define _CONGA_COMMANDS_H

int conga_netlink_init(void);
void conga_netlink_exit(void);

#endif /* _CONGA_COMMANDS_H */
