// SPDX-License-Identifier: GPL-2.0
/*
 * A network card for tests: what a device receives is injected again as a card
 * would deliver it that sums up every frame, with CHECKSUM_COMPLETE, which no
 * virtual device does. And a witness, who looks after all other LOCAL_IN hooks
 * whether that sum is still true.
 *
 *	echo "up0 [WORD]..." >/proc/net/conga_inject
 *	echo off >/proc/net/conga_inject
 *	cat /proc/net/conga_inject
 *
 *	paged	all but the Ethernet header in pages; the first border is within
 *		the first word of what follows the UDP header
 *	odd	headers, and that border, at odd addresses
 *	cloned	somebody else holds the same bytes, and they must not change
 *	corrupt	the last byte was damaged on the wire, before the card saw it
 *	lie	the sum is wrong
 *
 * Must be there before whatever it is to come after: of LOCAL_IN hooks of one
 * priority the last that was registered is the first that runs.
 */
#include <linux/bitops.h>
#include <linux/etherdevice.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/limits.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/netfilter_ipv4.h>
#include <linux/netfilter_ipv6.h>
#include <linux/netfilter_netdev.h>
#include <linux/proc_fs.h>
#include <linux/rtnetlink.h>
#include <linux/seq_file.h>
#include <linux/udp.h>
#include <net/checksum.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>

#define CONGA_INJECT_FILE	"conga_inject"
#define CONGA_INJECT_MODE	0644
#define CONGA_INJECT_BLANKS	"\n "
#define CONGA_INJECT_KEPT_MAX	1024	/* clones */
#define CONGA_INJECT_WITNESSES	2

enum conga_inject_shape {
	CONGA_INJECT_PAGED,
	CONGA_INJECT_ODD,
	CONGA_INJECT_CLONED,
	CONGA_INJECT_CORRUPT,
	CONGA_INJECT_LIE,
	CONGA_INJECT_SHAPES
};

static const char * const conga_inject_words[CONGA_INJECT_SHAPES] = {
	[CONGA_INJECT_PAGED]	= "paged",
	[CONGA_INJECT_ODD]	= "odd",
	[CONGA_INJECT_CLONED]	= "cloned",
	[CONGA_INJECT_CORRUPT]	= "corrupt",
	[CONGA_INJECT_LIE]	= "lie",
};

enum conga_inject_counter {
	CONGA_INJECT_INJECTED,
	CONGA_INJECT_UNFIT,	/* not injected: GSO, or no memory */
	CONGA_INJECT_OUTER_TRUE,	/* by the device itself */
	CONGA_INJECT_OUTER_FALSE,
	CONGA_INJECT_OUTER_NONE,	/* without a card's sum */
	CONGA_INJECT_INNER_TRUE,	/* by another, e.g. out of a tunnel */
	CONGA_INJECT_INNER_FALSE,
	CONGA_INJECT_INNER_NONE,
	CONGA_INJECT_COUNTERS
};

static const char * const conga_inject_names[CONGA_INJECT_COUNTERS] = {
	[CONGA_INJECT_INJECTED]		= "injected",
	[CONGA_INJECT_UNFIT]		= "unfit",
	[CONGA_INJECT_OUTER_TRUE]	= "outer_true",
	[CONGA_INJECT_OUTER_FALSE]	= "outer_false",
	[CONGA_INJECT_OUTER_NONE]	= "outer_none",
	[CONGA_INJECT_INNER_TRUE]	= "inner_true",
	[CONGA_INJECT_INNER_FALSE]	= "inner_false",
	[CONGA_INJECT_INNER_NONE]	= "inner_none",
};

/* Of a network namespace. Device and shape are written under RTNL, while the
 * ingress hook is not registered. The hook goes before the device does.
 */
struct conga_inject {
	struct net_device	*dev;
	unsigned long		shape;
	struct nf_hook_ops	ingress;
	struct nf_hook_ops	witness[CONGA_INJECT_WITNESSES];
	struct sk_buff_head	kept;
	atomic64_t		counter[CONGA_INJECT_COUNTERS];
};

static unsigned int conga_inject_net_id;

static struct conga_inject *conga_inject_of(const struct net *net)
{
	return net_generic(net, conga_inject_net_id);
}

static bool conga_inject_is(const struct conga_inject *inject,
			    enum conga_inject_shape shape)
{
	return inject->shape & BIT(shape);
}

static void conga_inject_count(struct conga_inject *inject,
			       enum conga_inject_counter counter)
{
	atomic64_inc(&inject->counter[counter]);
}

/* The sum of everything after the Ethernet header: skb->data is there. */
static __wsum conga_inject_sum(const struct sk_buff *skb)
{
	return skb_checksum(skb, 0, skb->len, 0);
}

static bool conga_inject_true(const struct sk_buff *skb)
{
	return csum_fold(skb->csum) == csum_fold(conga_inject_sum(skb));
}

/* --- injecting --- */

/* Where the first page ends: one or two bytes after the outer UDP header. */
static unsigned int conga_inject_border(const struct conga_inject *inject,
					const struct sk_buff *skb)
{
	unsigned int ip = skb->protocol == htons(ETH_P_IPV6) ?
			  sizeof(struct ipv6hdr) : sizeof(struct iphdr);

	return ip + sizeof(struct udphdr) +
	       (conga_inject_is(inject, CONGA_INJECT_ODD) ? 1 : 2);
}

/* Bytes of @from, from @offset on, into a page of @to. */
static bool conga_inject_page(struct sk_buff *to, const struct sk_buff *from,
			      unsigned int offset, unsigned int len,
			      unsigned int align)
{
	struct page *page = alloc_page(GFP_ATOMIC);

	if (!page)
		return false;
	skb_add_rx_frag(to, skb_shinfo(to)->nr_frags, page, align, len,
			PAGE_SIZE);
	return !skb_copy_bits(from, offset, page_address(page) + align, len);
}

static bool conga_inject_pages(const struct conga_inject *inject,
			       struct sk_buff *to, const struct sk_buff *from)
{
	unsigned int align = conga_inject_is(inject, CONGA_INJECT_ODD);
	unsigned int offset = 0;
	unsigned int len = min(conga_inject_border(inject, from), from->len);

	while (len) {
		if (skb_shinfo(to)->nr_frags == MAX_SKB_FRAGS ||
		    !conga_inject_page(to, from, offset, len, align))
			return false;
		offset += len;
		len = min_t(unsigned int, from->len - offset,
			    PAGE_SIZE - align);
	}
	return true;
}

static bool conga_inject_copy(const struct conga_inject *inject,
			      struct sk_buff *to, const struct sk_buff *from)
{
	skb_reserve(to, conga_inject_is(inject, CONGA_INJECT_ODD));
	skb_put_data(to, skb_mac_header(from), ETH_HLEN);
	if (conga_inject_is(inject, CONGA_INJECT_PAGED))
		return conga_inject_pages(inject, to, from);
	return !skb_copy_bits(from, 0, skb_put(to, from->len), from->len);
}

static void conga_inject_corrupt(struct sk_buff *skb)
{
	u8 last;

	skb_copy_bits(skb, skb->len - 1, &last, sizeof(last));
	last = ~last;
	skb_store_bits(skb, skb->len - 1, &last, sizeof(last));
}

/* NULL without memory. */
static struct sk_buff *conga_inject_frame(const struct conga_inject *inject,
					  const struct sk_buff *from)
{
	struct net_device *dev = from->dev;
	struct sk_buff *skb;

	skb = netdev_alloc_skb(dev, ETH_HLEN + from->len + 1);
	if (!skb)
		return NULL;
	if (!conga_inject_copy(inject, skb, from)) {
		kfree_skb(skb);
		return NULL;
	}
	if (conga_inject_is(inject, CONGA_INJECT_CORRUPT))
		conga_inject_corrupt(skb);
	skb->protocol = eth_type_trans(skb, dev);
	skb->ip_summed = CHECKSUM_COMPLETE;
	skb->csum = conga_inject_sum(skb);
	if (conga_inject_is(inject, CONGA_INJECT_LIE))
		skb->csum = csum_add(skb->csum, (__force __wsum)1);
	return skb;
}

/* The clone goes on; the first owner stays here, and looks when it is asked. */
static struct sk_buff *conga_inject_share(struct conga_inject *inject,
					  struct sk_buff *skb)
{
	struct sk_buff *clone = skb_clone(skb, GFP_ATOMIC);

	if (clone && skb_queue_len(&inject->kept) < CONGA_INJECT_KEPT_MAX) {
		skb_queue_tail(&inject->kept, skb);
		return clone;
	}
	kfree_skb(clone);
	kfree_skb(skb);
	return NULL;
}

/* What is for this box, and not what it has injected. */
static bool conga_inject_wants(const struct sk_buff *skb)
{
	return skb->ip_summed != CHECKSUM_COMPLETE &&
	       skb->pkt_type == PACKET_HOST &&
	       (skb->protocol == htons(ETH_P_IP) ||
		skb->protocol == htons(ETH_P_IPV6));
}

/* A card sees no sums that are yet to be made, and no GSO packets. */
static struct sk_buff *conga_inject_make(struct conga_inject *inject,
					 struct sk_buff *from)
{
	struct sk_buff *skb;

	if (skb_is_gso(from) ||
	    (from->ip_summed == CHECKSUM_PARTIAL && skb_checksum_help(from)))
		return NULL;
	skb = conga_inject_frame(inject, from);
	if (skb && conga_inject_is(inject, CONGA_INJECT_CLONED))
		skb = conga_inject_share(inject, skb);
	return skb;
}

static unsigned int conga_inject_ingress(void *priv, struct sk_buff *from,
					 const struct nf_hook_state *state)
{
	struct conga_inject *inject = priv;
	struct sk_buff *skb;

	if (!conga_inject_wants(from))
		return NF_ACCEPT;
	skb = conga_inject_make(inject, from);
	if (!skb) {
		conga_inject_count(inject, CONGA_INJECT_UNFIT);
		return NF_ACCEPT;
	}
	conga_inject_count(inject, CONGA_INJECT_INJECTED);
	consume_skb(from);
	netif_rx(skb);
	return NF_STOLEN;
}

/* --- the witness --- */

static enum conga_inject_counter
conga_inject_testimony(const struct sk_buff *skb, bool outer)
{
	/* What software had to sum up is no better than no sum. */
	if (skb->ip_summed != CHECKSUM_COMPLETE || skb->csum_complete_sw)
		return outer ? CONGA_INJECT_OUTER_NONE :
			       CONGA_INJECT_INNER_NONE;
	if (conga_inject_true(skb))
		return outer ? CONGA_INJECT_OUTER_TRUE :
			       CONGA_INJECT_INNER_TRUE;
	return outer ? CONGA_INJECT_OUTER_FALSE : CONGA_INJECT_INNER_FALSE;
}

static unsigned int conga_inject_witness(void *priv, struct sk_buff *skb,
					 const struct nf_hook_state *state)
{
	struct conga_inject *inject = priv;
	bool outer = state->in == READ_ONCE(inject->dev);

	conga_inject_count(inject, conga_inject_testimony(skb, outer));
	return NF_ACCEPT;
}

static const struct nf_hook_ops
conga_inject_witnesses[CONGA_INJECT_WITNESSES] = {
	{ .pf = NFPROTO_IPV4, .hooknum = NF_INET_LOCAL_IN },
	{ .pf = NFPROTO_IPV6, .hooknum = NF_INET_LOCAL_IN },
};

static int conga_inject_call_witness(struct net *net,
				     struct conga_inject *inject)
{
	int i;

	for (i = 0; i < CONGA_INJECT_WITNESSES; i++) {
		inject->witness[i] = conga_inject_witnesses[i];
		inject->witness[i].hook = conga_inject_witness;
		inject->witness[i].priv = inject;
		inject->witness[i].priority = INT_MAX;
	}
	return nf_register_net_hooks(net, inject->witness,
				     CONGA_INJECT_WITNESSES);
}

/* --- the file --- */

/* Clones whose bytes are as they were, and others. */
static void conga_inject_show_kept(struct seq_file *file,
				   struct conga_inject *inject)
{
	unsigned int same = 0, changed = 0;
	struct sk_buff *skb;

	spin_lock_bh(&inject->kept.lock);
	skb_queue_walk(&inject->kept, skb) {
		if (conga_inject_true(skb))
			same++;
		else
			changed++;
	}
	spin_unlock_bh(&inject->kept.lock);
	seq_printf(file, " kept_same=%u kept_changed=%u\n", same, changed);
}

static int conga_inject_show(struct seq_file *file, void *unused)
{
	struct conga_inject *inject = conga_inject_of(seq_file_single_net(file));
	int i;

	for (i = 0; i < CONGA_INJECT_COUNTERS; i++)
		seq_printf(file, "%s%s=%lld", i ? " " : "",
			   conga_inject_names[i],
			   atomic64_read(&inject->counter[i]));
	conga_inject_show_kept(file, inject);
	return 0;
}

static void conga_inject_detach(struct net *net, struct conga_inject *inject)
{
	int i;

	ASSERT_RTNL();
	if (inject->dev) {
		nf_unregister_net_hook(net, &inject->ingress);
		WRITE_ONCE(inject->dev, NULL);
		synchronize_net();
	}
	inject->shape = 0;
	skb_queue_purge(&inject->kept);
	for (i = 0; i < CONGA_INJECT_COUNTERS; i++)
		atomic64_set(&inject->counter[i], 0);
}

static int conga_inject_attach(struct net *net, struct conga_inject *inject,
			       struct net_device *dev)
{
	int err;

	inject->ingress = (struct nf_hook_ops) {
		.hook		= conga_inject_ingress,
		.pf		= NFPROTO_NETDEV,
		.hooknum	= NF_NETDEV_INGRESS,
		.dev		= dev,
		.priv		= inject,
	};
	WRITE_ONCE(inject->dev, dev);
	err = nf_register_net_hook(net, &inject->ingress);
	if (err)
		WRITE_ONCE(inject->dev, NULL);
	return err;
}

static int conga_inject_parse(char *text, unsigned long *shape)
{
	char *word;
	int i;

	while ((word = strsep(&text, CONGA_INJECT_BLANKS))) {
		if (!*word)
			continue;
		i = match_string(conga_inject_words, CONGA_INJECT_SHAPES, word);
		if (i < 0)
			return i;
		*shape |= BIT(i);
	}
	return 0;
}

static int conga_inject_set(struct net *net, char *text)
{
	struct conga_inject *inject = conga_inject_of(net);
	char *name = strsep(&text, CONGA_INJECT_BLANKS);
	struct net_device *dev;
	unsigned long shape = 0;
	int err;

	err = conga_inject_parse(text, &shape);
	if (err)
		return err;
	conga_inject_detach(net, inject);
	if (!strcmp(name, "off"))
		return 0;
	dev = __dev_get_by_name(net, name);
	if (!dev)
		return -ENODEV;
	inject->shape = shape;
	return conga_inject_attach(net, inject, dev);
}

static int conga_inject_write(struct file *file, char *text, size_t size)
{
	int err;

	rtnl_lock();
	err = conga_inject_set(seq_file_single_net(file->private_data), text);
	rtnl_unlock();
	return err;
}

/* --- life --- */

static int conga_inject_event(struct notifier_block *unused,
			      unsigned long event, void *info)
{
	struct net_device *dev = netdev_notifier_info_to_dev(info);
	struct conga_inject *inject = conga_inject_of(dev_net(dev));

	if (event == NETDEV_UNREGISTER && inject->dev == dev)
		conga_inject_detach(dev_net(dev), inject);
	return NOTIFY_DONE;
}

static struct notifier_block conga_inject_notifier = {
	.notifier_call = conga_inject_event,
};

static int __net_init conga_inject_net_init(struct net *net)
{
	struct conga_inject *inject = conga_inject_of(net);
	int err;

	skb_queue_head_init(&inject->kept);
	err = conga_inject_call_witness(net, inject);
	if (err)
		return err;
	if (proc_create_net_single_write(CONGA_INJECT_FILE, CONGA_INJECT_MODE,
					 net->proc_net, conga_inject_show,
					 conga_inject_write, NULL))
		return 0;
	nf_unregister_net_hooks(net, inject->witness, CONGA_INJECT_WITNESSES);
	return -ENOMEM;
}

static void __net_exit conga_inject_net_exit(struct net *net)
{
	struct conga_inject *inject = conga_inject_of(net);

	remove_proc_entry(CONGA_INJECT_FILE, net->proc_net);
	nf_unregister_net_hooks(net, inject->witness, CONGA_INJECT_WITNESSES);
	rtnl_lock();
	conga_inject_detach(net, inject);
	rtnl_unlock();
}

static struct pernet_operations conga_inject_net_ops = {
	.init	= conga_inject_net_init,
	.exit	= conga_inject_net_exit,
	.id	= &conga_inject_net_id,
	.size	= sizeof(struct conga_inject),
};

static int __init conga_inject_init(void)
{
	int err = register_pernet_device(&conga_inject_net_ops);

	if (err)
		return err;
	err = register_netdevice_notifier(&conga_inject_notifier);
	if (err)
		unregister_pernet_device(&conga_inject_net_ops);
	return err;
}

static void __exit conga_inject_exit(void)
{
	unregister_netdevice_notifier(&conga_inject_notifier);
	unregister_pernet_device(&conga_inject_net_ops);
}

module_init(conga_inject_init);
module_exit(conga_inject_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Injects what a device received, with CHECKSUM_COMPLETE");
