// SPDX-License-Identifier: GPL-2.0
/*
 * Datagrams joined into one skb: find the VXLAN header of each, and write it.
 *
 * The datagrams lie one behind the other, in the linear part, in frags or in a frag list,
 * and only the first has its outer headers in place. Fraglist GRO keeps the headers of the
 * others too, each before the data of its own skb of the frag list. The kernel cuts the skb
 * again later, so that its shape must stay: no data is pulled out of a frag list.
 *
 * Bytes are written in place only if this skb alone owns them. Clones share their frags,
 * and pages may belong to a sender (MSG_ZEROCOPY, splice): these are copied first.
 */
#include <linux/minmax.h>
#include <net/dsfield.h>
#include <net/inet_ecn.h>

#include "packet/joined.h"
#include "paper/wire.h"

/* Is each datagram an skb of its own, as fraglist GRO leaves them? The kernel makes the
 * same check for a frag list that was changed, and then cuts by size.
 */
static bool conga_joined_is_list(const struct sk_buff *skb,
				 const struct conga_packet *first)
{
	return skb_shinfo(skb)->gso_type & SKB_GSO_FRAGLIST &&
	       skb_has_frag_list(skb) &&
	       skb_pagelen(skb) ==
	       conga_packet_vxlan(first) + skb_shinfo(skb)->gso_size;
}

static unsigned int conga_joined_left(const struct conga_joined *joined)
{
	return joined->skb->len - conga_packet_vxlan(&joined->packet);
}

/**
 * conga_joined_begin - walk over the VXLAN headers of a packet
 * @joined: set to the first datagram
 * @skb: the packet
 * @first: its first VXLAN header, as found
 *
 * Return: false if the packet is cut into datagrams too short for a header.
 */
bool conga_joined_begin(struct conga_joined *joined, struct sk_buff *skb,
			const struct conga_packet *first)
{
	*joined = (struct conga_joined) {
		.skb	 = skb,
		.packet	 = *first,
		.headers = conga_packet_vxlan(first) - first->network,
		.ecn	 = conga_packet_tos(skb, first) & INET_ECN_MASK,
	};
	joined->size = conga_joined_left(joined);
	if (conga_packet_is_joined(skb)) {
		joined->size = skb_shinfo(skb)->gso_size;
		joined->list = conga_joined_is_list(skb, first);
	}
	joined->length = min(joined->size, conga_joined_left(joined));
	return joined->length >= CONGA_VXLAN_HLEN;
}

static struct sk_buff *conga_joined_part_after(const struct conga_joined *joined)
{
	return joined->part ? joined->part->next :
			      skb_shinfo(joined->skb)->frag_list;
}

static void conga_joined_step(struct conga_joined *joined)
{
	joined->index++;
	joined->packet.udp += joined->length;
	if (joined->list) {
		joined->part = conga_joined_part_after(joined);
		joined->length = joined->part ? joined->part->len : 0;
	} else {
		joined->length = min(joined->size, conga_joined_left(joined));
	}
}

/* conga_joined_next - moves to the next datagram. False if there is none; if .length is not
 * 0 then, the datagram is too short for a header.
 */
bool conga_joined_next(struct conga_joined *joined)
{
	conga_joined_step(joined);
	if (joined->length < CONGA_VXLAN_HLEN)
		return false;
	if (joined->part)
		return conga_packet_read(joined->part, 0, &joined->packet);
	return conga_packet_read(joined->skb,
				 conga_packet_vxlan(&joined->packet),
				 &joined->packet);
}

/* --- whose bytes --- */

/* May another owner write these bytes? */
static bool conga_joined_is_open(const struct sk_buff *skb)
{
	return skb_zcopy((struct sk_buff *)skb) || skb_has_shared_frag(skb);
}

/* Checks all of an skb but its frag list. Not every kernel marks pages that were spliced to
 * a UDP socket as shared, so that all frags of a local socket are copied.
 */
static bool conga_joined_own_frags(const struct conga_joined *joined,
				   struct sk_buff *skb)
{
	if (skb_shared(skb))
		return false;
	if (!joined->local && !skb_cloned(skb) && !conga_joined_is_open(skb))
		return true;
	if (skb_copy_ubufs(skb, GFP_ATOMIC))
		return false;
	/* Checks an skb and its frag list. */
	if (!skb_has_frag_list(skb))
		skb_shinfo(skb)->flags &= ~SKBFL_SHARED_FRAG;
	return true;
}

/* In a fraglist only the headers are written; they are made writable one by one. */
static bool conga_joined_own_one(const struct conga_joined *joined,
				 struct sk_buff *skb)
{
	if (!joined->list)
		return conga_joined_own_frags(joined, skb);
	return !skb_shared(skb) && !skb_unclone(skb, GFP_ATOMIC);
}

/* The frag list of a clone has the original's skbs: each is replaced by a copy. */
static bool conga_joined_unshare(struct sk_buff **link)
{
	struct sk_buff *part = *link;
	struct sk_buff *own;

	if (!skb_shared(part))
		return true;
	own = skb_clone(part, GFP_ATOMIC);
	if (!own)
		return false;
	own->next = part->next;
	*link = own;
	consume_skb(part);
	return true;
}

static bool conga_joined_own_list(const struct conga_joined *joined)
{
	struct sk_buff **link = &skb_shinfo(joined->skb)->frag_list;

	for (; *link; link = &(*link)->next)
		if (!conga_joined_unshare(link) ||
		    !conga_joined_own_one(joined, *link))
			return false;
	return true;
}

/* Finds the skb of the datagram at hand again, which may have been replaced. */
static void conga_joined_find_part(struct conga_joined *joined)
{
	unsigned int i;

	joined->part = NULL;
	for (i = 0; joined->list && i < joined->index; i++)
		joined->part = conga_joined_part_after(joined);
}

/* Makes all bytes ours, once. False without memory; the packet is unchanged then. */
static bool conga_joined_own(struct conga_joined *joined)
{
	if (joined->owned)
		return true;
	joined->owned = conga_joined_own_one(joined, joined->skb) &&
			conga_joined_own_list(joined);
	conga_joined_find_part(joined);
	return joined->owned;
}

/* --- writing --- */

/* Writes in a fraglist: the headers stand before the data of the datagram's own skb. */
static bool conga_joined_write_part(struct sk_buff *part, __be32 word)
{
	if (skb_headroom(part) < sizeof(struct udphdr) ||
	    skb_ensure_writable(part, CONGA_VXLAN_HLEN))
		return false;
	conga_packet_write_held(part, (struct udphdr *)part->data - 1, word);
	return true;
}

/* The checksum is computed when the datagrams are cut. */
static bool conga_joined_write_bytes(const struct conga_joined *joined,
				     __be32 word)
{
	return !skb_store_bits(joined->skb, conga_packet_vxlan(&joined->packet),
			       &word, sizeof(word));
}

/*
 * conga_joined_write - replace the first word of the VXLAN header at hand
 *
 * False if it cannot be made writable. Pointers into the packet are void afterwards.
 */
bool conga_joined_write(struct conga_joined *joined, u32 word)
{
	if (word == joined->packet.word)
		return true;
	if (!joined->index)
		return conga_packet_write(joined->skb, &joined->packet, word);
	if (!conga_joined_own(joined))
		return false;
	if (!(joined->part ?
	      conga_joined_write_part(joined->part, cpu_to_be32(word)) :
	      conga_joined_write_bytes(joined, cpu_to_be32(word))))
		return false;
	joined->packet.word = word;
	return true;
}

/* --- the outer ECN field --- */

/* The outer IP header of a datagram in a fraglist, which the kernel uses when it cuts the list */
static void *conga_joined_part_ip(const struct conga_joined *joined)
{
	struct sk_buff *part = joined->part;

	if (skb_headroom(part) < joined->headers ||
	    skb_network_offset(part) + (int)joined->headers)
		return NULL;
	return skb_network_header(part);
}

/* conga_joined_ecn - the outer ECN field of the datagram at hand
 *
 * The datagrams of a fraglist have one each. All others share that of the first, as it was
 * at the beginning.
 */
u8 conga_joined_ecn(const struct conga_joined *joined)
{
	const void *ip = joined->part ? conga_joined_part_ip(joined) : NULL;

	if (!ip)
		return joined->ecn;
	return (joined->packet.v6 ? ipv6_get_dsfield(ip) : ipv4_get_dsfield(ip)) &
	       INET_ECN_MASK;
}

/* conga_joined_write_ecn - replace it; false if it cannot be made writable */
bool conga_joined_write_ecn(struct conga_joined *joined, u8 ecn)
{
	const struct conga_packet *packet = &joined->packet;
	struct sk_buff *skb = joined->skb;
	void *ip;

	if (!joined->part)
		return conga_packet_write_ecn(skb, packet,
					      conga_packet_tos(skb, packet) & INET_ECN_MASK, ecn);
	if (!conga_joined_own(joined))
		return false;
	ip = conga_joined_part_ip(joined);
	if (!ip)
		return false;
	if (joined->packet.v6)
		ipv6_change_dsfield(ip, (u8)~INET_ECN_MASK, ecn);
	else
		ipv4_change_dsfield(ip, (u8)~INET_ECN_MASK, ecn);
	return true;
}

/*
 * conga_joined_clear - clear every stamp in a packet
 *
 * False if one could not be made writable. *@cleared is set if there was any.
 */
bool conga_joined_clear(struct sk_buff *skb, const struct conga_packet *first,
			bool *cleared)
{
	struct conga_joined joined;

	*cleared = false;
	if (!conga_joined_begin(&joined, skb, first))
		return true;
	do {
		u32 word = joined.packet.word;

		if (!conga_wire_stamped(word, joined.packet.vni))
			continue;
		*cleared = true;
		if (!conga_joined_write(&joined, conga_wire_clear(word)))
			return false;
	} while (conga_joined_next(&joined));
	return true;
}

/*
 * conga_joined_take - copy every VXLAN header that its sender may still write
 *
 * The packet is one of a local socket. The kernel owns the linear part; frags may be pages
 * of the process (MSG_ZEROCOPY) or of a file (splice). Returns 1 if bytes were copied, and
 * pointers into the packet are void then; 0 if no copy was needed; a negative value without
 * memory.
 */
int conga_joined_take(struct sk_buff *skb, const struct conga_packet *first)
{
	int length = conga_inner_start(first);
	struct conga_joined joined;

	if (!conga_packet_is_joined(skb)) {
		if (length <= skb_headlen(skb))
			return 0;
		return !skb_shared(skb) && pskb_may_pull(skb, length) ? 1 :
									-ENOMEM;
	}
	if (!skb_is_nonlinear(skb) || !conga_joined_begin(&joined, skb, first))
		return 0;
	joined.local = true;
	return conga_joined_own(&joined) ? 1 : -ENOMEM;
}
