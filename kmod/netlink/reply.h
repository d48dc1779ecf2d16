/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_REPLY_H
#define _CONGA_REPLY_H

#include <net/genetlink.h>

struct conga_fabric;
struct conga_leaf;

typedef int (*conga_netlink_fill_t)(struct sk_buff *skb,
				    struct conga_fabric *fabric,
				    struct genl_info *info);

int conga_netlink_reply(struct genl_info *info, conga_netlink_fill_t fill);

/* The place at which a dump continues, in cb->ctx */
struct conga_netlink_cursor {
	unsigned long	object;	/* leaf index, port or policy number, entry */
	u32		tag;
	bool		more;	/* there are more entries, after a step */
};

/* The number of entries of a flowlet table in one step: after a step others may have the
 * processor, and the fabric's lock.
 */
#define CONGA_NETLINK_STEP	4096

typedef int (*conga_netlink_dump_t)(struct sk_buff *skb,
				    struct netlink_callback *cb,
				    struct conga_fabric *fabric);

struct conga_netlink_cursor *conga_netlink_cursor(struct netlink_callback *cb);
int conga_netlink_dump(struct sk_buff *skb, struct netlink_callback *cb,
		       conga_netlink_dump_t dump);
void *conga_netlink_begin(struct sk_buff *skb, struct netlink_callback *cb,
			  u8 command);
int conga_netlink_end(struct sk_buff *skb, void *header, int err);
int conga_netlink_put_addr(struct sk_buff *skb, int v4, int v6,
			   const struct conga_leaf *leaf);
int conga_netlink_put_limit(struct sk_buff *skb, int attr, const struct conga_fabric *fabric);

#endif /* _CONGA_REPLY_H */
