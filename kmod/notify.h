/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_NOTIFY_H
#define _CONGA_NOTIFY_H

int conga_notify_init(void);
void conga_notify_exit(void);

#endif /* _CONGA_NOTIFY_H */
