// SPDX-License-Identifier: GPL-2.0
/*
 * Packets that are left to the kernel on any path: another part of this node keeps state
 * for them per output device, or binds them to a device.
 *
 * - NAT of the outer packet: a connection that was translated for one device is dropped,
 *   and forgotten, when it leaves by another. Its first packet is translated only after
 *   this hook, so that the first packet is left as well, if there is NAT.
 * - IPsec: a policy may be about the output device. The kernel is asked about the packet
 *   as it would be; if an IPsec policy applies to it, the packet stays on its own route.
 * - Packets of a vxlan device or FDB entry that names a device stay on that device. Such a
 *   vxlan device has a lower device; the kernel reports such an entry by a notifier.
 */
#include <linux/etherdevice.h>
#include <linux/netfilter_ipv4.h>
#include <linux/netfilter_ipv6.h>
#include <linux/rtnetlink.h>
#include <net/flow.h>
#include <net/l3mdev.h>
#include <net/netfilter/nf_conntrack.h>
#include <net/route.h>
#include <net/switchdev.h>
#include <net/vxlan.h>
#include <net/xfrm.h>

#include "datapath/leave.h"
#include "objects/fabric.h"
#include "packet/packet.h"
#include "paper/wire.h"

/* --- NAT --- */

#if IS_ENABLED(CONFIG_NF_CONNTRACK)
/* Are source addresses translated in this namespace? */
static bool conga_leave_has_nat(const struct net *net, u8 pf)
{
	const struct nf_hook_entries *hooks;
	struct nf_hook_ops **ops;
	unsigned int i;

	if (pf == NFPROTO_IPV6)
		hooks = rcu_dereference(net->nf.hooks_ipv6[NF_INET_POST_ROUTING]);
	else
		hooks = rcu_dereference(net->nf.hooks_ipv4[NF_INET_POST_ROUTING]);
	if (!hooks)
		return false;
	ops = nf_hook_entries_get_hook_ops(hooks);
	for (i = 0; i < hooks->num_hook_entries; i++)
		if (READ_ONCE(ops[i])->priority == NF_IP_PRI_NAT_SRC)
			return true;
	return false;
}

/* conga_leave_translated - is the outer packet translated, or could it still be? */
bool conga_leave_translated(const struct sk_buff *skb, const struct net *net, u8 pf)
{
	enum ip_conntrack_info info;
	const struct nf_conn *connection = nf_ct_get(skb, &info);
	unsigned long status;

	if (!connection)
		return false;
	status = READ_ONCE(connection->status);
	if (status & IPS_NAT_MASK)
		return true;
	return !(status & IPS_SRC_NAT_DONE) && conga_leave_has_nat(net, pf);
}
#else
bool conga_leave_translated(const struct sk_buff *skb, const struct net *net, u8 pf)
{
	return false;
}
#endif

/* --- IPsec --- */

static void conga_leave_flow4(const struct sk_buff *skb, const struct conga_packet *packet,
			      const struct udphdr *udp, int oif, struct flowi *flow)
{
	const struct iphdr *ip;
	struct iphdr buffer;

	ip = skb_header_pointer(skb, packet->network, sizeof(buffer), &buffer);
	if (!ip)
		return;
	flow->u.ip4 = (struct flowi4) {
		.flowi4_oif	= oif,
		.flowi4_mark	= skb->mark,
		.flowi4_proto	= IPPROTO_UDP,
		.saddr		= ip->saddr,
		.daddr		= ip->daddr,
		.fl4_sport	= udp->source,
		.fl4_dport	= udp->dest,
	};
	conga_route_set_dscp(&flow->u.ip4, ip->tos & CONGA_ROUTE_DSCP_MASK);
}

static void conga_leave_flow6(const struct sk_buff *skb, const struct conga_packet *packet,
			      const struct udphdr *udp, int oif, struct flowi *flow)
{
	const struct ipv6hdr *ip;
	struct ipv6hdr buffer;

	ip = skb_header_pointer(skb, packet->network, sizeof(buffer), &buffer);
	if (!ip)
		return;
	flow->u.ip6 = (struct flowi6) {
		.flowi6_oif	= oif,
		.flowi6_mark	= skb->mark,
		.flowi6_proto	= IPPROTO_UDP,
		.flowlabel	= ip6_flowinfo(ip),
		.saddr		= ip->saddr,
		.daddr		= ip->daddr,
		.fl6_sport	= udp->source,
		.fl6_dport	= udp->dest,
	};
}

/*
 * conga_leave_transformed - does an IPsec policy apply to the packet, if it leaves by @dst?
 *
 * The look-up is the same as the tunnel's for the packet's own route.
 */
bool conga_leave_transformed(const struct sk_buff *skb, const struct conga_packet *packet,
			     struct net *net, struct dst_entry *dst)
{
	struct udphdr *udp, buffer;
	struct dst_entry *answer;
	struct flowi flow = {};

	udp = skb_header_pointer(skb, packet->udp, sizeof(buffer), &buffer);
	if (!udp)
		return true;
	if (packet->v6)
		conga_leave_flow6(skb, packet, udp, dst->dev->ifindex, &flow);
	else
		conga_leave_flow4(skb, packet, udp, dst->dev->ifindex, &flow);
	dst_hold(dst);
	answer = xfrm_lookup(net, dst, &flow, NULL, 0);
	if (IS_ERR(answer))
		return true;
	dst_release(answer);
	return answer != dst;
}

/* --- tunnels that are bound to a device --- */

/* A VRF device binds the tunnel only to an L3 domain, which is part of its packets' key. */
static bool conga_leave_has_lower(struct net_device *dev)
{
	struct net_device *lower;
	struct list_head *iter;

	netdev_for_each_lower_dev(dev, lower, iter)
		if (!netif_is_l3_master(lower))
			return true;
	return false;
}

/* An FDB entry decides for its MAC; the device decides for flooded and unknown ones. */
static bool conga_leave_entry_bound(const struct sk_buff *skb,
				    const struct conga_packet *packet,
				    struct net_device *dev)
{
	struct switchdev_notifier_vxlan_fdb_info info;
	const struct ethhdr *eth;
	struct ethhdr buffer;

	if (!conga_wire_gpe(packet->word)) {
		eth = skb_header_pointer(skb, conga_inner_start(packet), sizeof(buffer),
					 &buffer);
		if (eth && !vxlan_fdb_find_uc(dev, eth->h_dest,
					      cpu_to_be32(packet->vni >> CONGA_VNI_SHIFT),
					      &info))
			return info.remote_ifindex;
	}
	return conga_leave_has_lower(dev);
}

/*
 * conga_leave_bound - must the packet stay on the device that its tunnel named?
 *
 * A packet that a userspace queue gave back holds no reference to the device; where a
 * tunnel is bound, such packets are left to the kernel. Under a VRF the device is the
 * VRF's.
 */
bool conga_leave_bound(const struct sk_buff *skb, const struct conga_packet *packet,
		       bool requeued)
{
	if (requeued)
		return true;
	if (!skb->dev || !netif_is_vxlan(skb->dev))
		return false;
	return conga_leave_entry_bound(skb, packet, skb->dev);
}

/* From now on packets are checked for this, until the fabric dies. */
static void conga_leave_note(struct conga_fabric *fabric)
{
	if (READ_ONCE(fabric->bound))
		return;
	WRITE_ONCE(fabric->bound, true);
	conga_fabric_invalidate_paths(fabric);
}

static int conga_leave_fdb_event(struct notifier_block *self, unsigned long event, void *info)
{
	const struct switchdev_notifier_vxlan_fdb_info *entry = info;
	const struct net_device *dev = switchdev_notifier_info_to_dev(info);
	struct conga_fabric *fabric;

	if (event != SWITCHDEV_VXLAN_FDB_ADD_TO_DEVICE || !entry->remote_ifindex)
		return NOTIFY_DONE;
	rcu_read_lock();
	fabric = rcu_dereference(conga_net(dev_net(dev))->fabric);
	if (fabric)
		conga_leave_note(fabric);
	rcu_read_unlock();
	return NOTIFY_DONE;
}

static struct notifier_block conga_leave_fdb_notifier = {
	.notifier_call = conga_leave_fdb_event,
};

static int conga_leave_device_event(struct notifier_block *self, unsigned long event,
				    void *info)
{
	struct net_device *dev = netdev_notifier_info_to_dev(info);
	struct conga_fabric *fabric;

	if (!netif_is_vxlan(dev) || !conga_leave_has_lower(dev))
		return NOTIFY_DONE;
	rcu_read_lock();
	fabric = rcu_dereference(conga_net(dev_net(dev))->fabric);
	if (fabric)
		conga_leave_note(fabric);
	rcu_read_unlock();
	return NOTIFY_DONE;
}

static struct notifier_block conga_leave_device_notifier = {
	.notifier_call = conga_leave_device_event,
};

/* conga_leave_must_look - does nothing else tell that a tunnel has got bound? Any context
 *
 * The notifications about FDB entries are those of switchdev, which Debian's cloud kernel lacks.
 */
bool conga_leave_must_look(const struct conga_fabric *fabric)
{
	return !IS_ENABLED(CONFIG_NET_SWITCHDEV) && !READ_ONCE(fabric->bound);
}

/* conga_leave_look - find the bound tunnels that exist: when the fabric is new, and later every
 * second, if it must look
 */
void conga_leave_look(struct conga_fabric *fabric)
{
	struct net_device *dev;

	ASSERT_RTNL();
	for_each_netdev(fabric->net, dev) {
		if (!netif_is_vxlan(dev))
			continue;
		if (conga_leave_has_lower(dev))
			conga_leave_note(fabric);
		vxlan_fdb_replay(dev, ((struct vxlan_dev *)netdev_priv(dev))->cfg.vni,
				 &conga_leave_fdb_notifier, NULL);
	}
}

int conga_leave_init(void)
{
	int err = register_switchdev_notifier(&conga_leave_fdb_notifier);

	if (err)
		return err;
	err = register_netdevice_notifier(&conga_leave_device_notifier);
	if (err)
		unregister_switchdev_notifier(&conga_leave_fdb_notifier);
	return err;
}

void conga_leave_exit(void)
{
	unregister_netdevice_notifier(&conga_leave_device_notifier);
	unregister_switchdev_notifier(&conga_leave_fdb_notifier);
}
