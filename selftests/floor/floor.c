// SPDX-License-Identifier: GPL-2.0
/*
 * The least that the module's doors can cost: hooks where conga has its own, in every
 * network namespace, which look at the clock and nothing else.
 *
 * EGRESS on the devices whose name begins with "up", as there are when it is loaded.
 */
#include <linux/ktime.h>
#include <linux/limits.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/netfilter_ipv4.h>
#include <linux/netfilter_ipv6.h>
#include <linux/netfilter_netdev.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <net/net_namespace.h>

#define CONGA_FLOOR_PORT	"up"

struct conga_floor_port {
	struct list_head	list;
	struct net		*net;
	struct nf_hook_ops	egress;
};

static LIST_HEAD(conga_floor_ports);	/* RTNL */

static unsigned int conga_floor_hook(void *priv, struct sk_buff *skb,
				     const struct nf_hook_state *state)
{
	/* The clock is asked for, whatever it says. */
	return ktime_get_ns() ? NF_ACCEPT : NF_DROP;
}

static const struct nf_hook_ops conga_floor_hooks[] = {
	{ .hook = conga_floor_hook, .pf = NFPROTO_IPV4,
	  .hooknum = NF_INET_LOCAL_OUT, .priority = INT_MAX },
	{ .hook = conga_floor_hook, .pf = NFPROTO_IPV6,
	  .hooknum = NF_INET_LOCAL_OUT, .priority = INT_MAX },
	{ .hook = conga_floor_hook, .pf = NFPROTO_IPV4,
	  .hooknum = NF_INET_LOCAL_IN, .priority = INT_MAX },
	{ .hook = conga_floor_hook, .pf = NFPROTO_IPV6,
	  .hooknum = NF_INET_LOCAL_IN, .priority = INT_MAX },
};

static int __net_init conga_floor_net_init(struct net *net)
{
	return nf_register_net_hooks(net, conga_floor_hooks,
				     ARRAY_SIZE(conga_floor_hooks));
}

static void __net_exit conga_floor_net_exit(struct net *net)
{
	nf_unregister_net_hooks(net, conga_floor_hooks,
				ARRAY_SIZE(conga_floor_hooks));
}

static struct pernet_operations conga_floor_net_ops = {
	.init	= conga_floor_net_init,
	.exit	= conga_floor_net_exit,
};

static int conga_floor_add(struct net *net, struct net_device *dev)
{
	struct conga_floor_port *port;
	int err;

	if (strncmp(dev->name, CONGA_FLOOR_PORT, strlen(CONGA_FLOOR_PORT)))
		return 0;
	port = kzalloc(sizeof(*port), GFP_KERNEL);
	if (!port)
		return -ENOMEM;
	port->net = net;
	port->egress = (struct nf_hook_ops) {
		.hook		= conga_floor_hook,
		.pf		= NFPROTO_NETDEV,
		.hooknum	= NF_NETDEV_EGRESS,
		.priority	= INT_MAX,
		.dev		= dev,
	};
	err = nf_register_net_hook(net, &port->egress);
	if (err)
		kfree(port);
	else
		list_add(&port->list, &conga_floor_ports);
	return err;
}

/* The bench removes it before its devices. */
static void conga_floor_remove(void)
{
	struct conga_floor_port *port, *next;

	list_for_each_entry_safe(port, next, &conga_floor_ports, list) {
		nf_unregister_net_hook(port->net, &port->egress);
		kfree(port);
	}
	unregister_pernet_subsys(&conga_floor_net_ops);
}

static int conga_floor_add_all(void)
{
	struct net_device *dev;
	struct net *net;
	int err;

	for_each_net(net)
		for_each_netdev(net, dev) {
			err = conga_floor_add(net, dev);
			if (err)
				return err;
		}
	return 0;
}

static int __init conga_floor_init(void)
{
	int err = register_pernet_subsys(&conga_floor_net_ops);

	if (err)
		return err;
	down_read(&net_rwsem);
	rtnl_lock();
	err = conga_floor_add_all();
	rtnl_unlock();
	up_read(&net_rwsem);
	if (err)
		conga_floor_remove();
	return err;
}

static void __exit conga_floor_exit(void)
{
	conga_floor_remove();
}

module_init(conga_floor_init);
module_exit(conga_floor_exit);

MODULE_DESCRIPTION("conga: the least that hooks cost, for the bench");
MODULE_LICENSE("GPL");
