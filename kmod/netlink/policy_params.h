/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_POLICY_PARAMS_H
#define _CONGA_POLICY_PARAMS_H

struct conga_params;
struct genl_info;
struct netlink_callback;
struct sk_buff;

void conga_netlink_policy_init(void);
int conga_netlink_read_policy(struct conga_params *params,
			      struct genl_info *info);
int conga_netlink_put_params(struct sk_buff *skb,
			     const struct conga_params *params);
int conga_netlink_policy_dump(struct sk_buff *skb, struct netlink_callback *cb);

#endif /* _CONGA_POLICY_PARAMS_H */
