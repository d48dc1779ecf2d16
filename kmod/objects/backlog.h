/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_BACKLOG_H
#define _CONGA_BACKLOG_H

#include <linux/types.h>

struct conga_backlog;
struct net_device;

struct conga_backlog *conga_backlog_create(const struct net_device *dev);
void conga_backlog_free(struct conga_backlog *backlog);
u32 conga_backlog_read(struct conga_backlog *backlog, u64 now);

#endif /* _CONGA_BACKLOG_H */
