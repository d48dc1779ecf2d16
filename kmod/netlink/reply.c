// SPDX-License-Identifier: GPL-2.0
/*
 * One reply, and dumps of many messages. Both hold the mutex. A dump continues in its next
 * message at a cursor that stays valid when objects come and go; the fabric's generation
 * reports such a change (NLM_F_DUMP_INTR).
 */
#include "netlink/family.h"
#include "netlink/reply.h"
#include "netlink/request.h"
#include "objects/fabric.h"
#include "objects/leaf.h"

struct conga_netlink_cursor *conga_netlink_cursor(struct netlink_callback *cb)
{
	BUILD_BUG_ON(sizeof(struct conga_netlink_cursor) > sizeof(cb->ctx));
	return (struct conga_netlink_cursor *)cb->ctx;
}

void *conga_netlink_begin(struct sk_buff *skb, struct netlink_callback *cb,
			  u8 command)
{
	void *header = genlmsg_put(skb, NETLINK_CB(cb->skb).portid,
				   cb->nlh->nlmsg_seq, &conga_netlink_family,
				   NLM_F_MULTI, command);

	if (header)
		genl_dump_check_consistent(cb, header);
	return header;
}

int conga_netlink_end(struct sk_buff *skb, void *header, int err)
{
	if (err)
		genlmsg_cancel(skb, header);
	else
		genlmsg_end(skb, header);
	return err;
}

int conga_netlink_put_addr(struct sk_buff *skb, int v4, int v6,
			   const struct conga_leaf *leaf)
{
	if (conga_leaf_is_v4(leaf))
		return nla_put_in_addr(skb, v4, leaf->addr.s6_addr32[3]);
	return nla_put_in6_addr(skb, v6, &leaf->addr);
}

/* --- one reply --- */

static int conga_netlink_fill(struct sk_buff *reply, struct genl_info *info,
			      conga_netlink_fill_t fill)
{
	struct net *net = genl_info_net(info);
	struct conga_fabric *fabric;
	int err = -ENOENT;

	mutex_lock(&conga_net(net)->lock);
	fabric = conga_netlink_fabric(net, info->extack);
	if (fabric)
		err = fill(reply, fabric, info);
	mutex_unlock(&conga_net(net)->lock);
	return err;
}

int conga_netlink_reply(struct genl_info *info, conga_netlink_fill_t fill)
{
	struct sk_buff *reply = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	void *header;
	int err;

	if (!reply)
		return conga_netlink_out_of_memory(info);
	header = genlmsg_put_reply(reply, info, &conga_netlink_family, 0,
				   info->genlhdr->cmd);
	err = conga_netlink_fill(reply, info, fill);
	if (err) {
		nlmsg_free(reply);
		return err;
	}
	genlmsg_end(reply, header);
	return genlmsg_reply(reply, info);
}

/* A full message ends a round of the dump, but not the dump. */
int conga_netlink_dump(struct sk_buff *skb, struct netlink_callback *cb,
		       conga_netlink_dump_t dump)
{
	struct net *net = sock_net(skb->sk);
	struct conga_fabric *fabric;
	int err = -ENOENT;

	mutex_lock(&conga_net(net)->lock);
	fabric = conga_netlink_fabric(net, cb->extack);
	if (fabric) {
		cb->seq = fabric->generation;
		err = dump(skb, cb, fabric);
	}
	mutex_unlock(&conga_net(net)->lock);
	if (err == -EMSGSIZE && skb->len)
		return skb->len;
	return err ? err : skb->len;
}

/* conga_netlink_put_limit - put the full scale of metrics as @attr; process context */
int conga_netlink_put_limit(struct sk_buff *skb, int attr, const struct conga_fabric *fabric)
{
	u8 q;

	rcu_read_lock();
	q = conga_fabric_params(fabric)->q;
	rcu_read_unlock();
	return nla_put_u32(skb, attr, BIT(q) - 1);
}
