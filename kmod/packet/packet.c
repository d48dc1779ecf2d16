// SPDX-License-Identifier: GPL-2.0
/*
 * Packets: find the VXLAN header, make it writable, edit the word, fix the
 * checksum. Only this file, and packet.h for what every packet needs, touches the
 * bytes of an skb. No field is trusted: every header is read by skb_header_pointer() within
 * its packet.
 */
#include <linux/if_ether.h>
#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/tcp.h>
#include <linux/udp.h>
#include <net/addrconf.h>
#include <net/checksum.h>
#include <net/dsfield.h>
#include <net/gso.h>
#include <net/inet_ecn.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <net/vxlan.h>

#include "packet/packet.h"
#include "paper/wire.h"

/* The offset of the UDP header; negative if this packet has none. */
static int conga_packet_udp4(const struct sk_buff *skb, int network)
{
	const struct iphdr *ip;
	struct iphdr buffer;

	ip = skb_header_pointer(skb, network, sizeof(buffer), &buffer);
	if (!ip || ip->version != 4 || ip->ihl * 4 < sizeof(buffer) ||
	    ip->protocol != IPPROTO_UDP ||
	    ip->frag_off & htons(IP_OFFSET))
		return -ENOENT;
	return network + ip->ihl * 4;
}

static int conga_packet_udp6(const struct sk_buff *skb, int network)
{
	const struct ipv6hdr *ip;
	struct ipv6hdr buffer;
	__be16 fragment = 0;
	u8 next;
	int udp;

	ip = skb_header_pointer(skb, network, sizeof(buffer), &buffer);
	if (!ip || ip->version != 6)
		return -ENOENT;
	next = ip->nexthdr;
	udp = network + sizeof(buffer);
	if (next != IPPROTO_UDP)
		udp = ipv6_skip_exthdr(skb, udp, &next, &fragment);
	if (next != IPPROTO_UDP || fragment & htons(IP6_OFFSET))
		return -ENOENT;
	return udp;
}

/* conga_packet_read - reads the VXLAN header at @offset; false if it is cut off */
bool conga_packet_read(const struct sk_buff *skb, int offset,
		       struct conga_packet *packet)
{
	const struct conga_vxlan *vxlan;
	struct conga_vxlan buffer;

	vxlan = skb_header_pointer(skb, offset, sizeof(buffer), &buffer);
	if (!vxlan)
		return false;
	packet->word = be32_to_cpu(vxlan->word);
	packet->vni = be32_to_cpu(vxlan->vni);
	return true;
}

/* conga_packet_find_any - finds VXLAN in packets with options, extension headers, several
 * pieces or frags
 */
enum conga_packet_kind
conga_packet_find_any(struct conga_packet *packet, const struct sk_buff *skb,
		      __be16 protocol, const struct conga_dstports *ports)
{
	const struct conga_vxlan *vxlan;
	struct conga_vxlan vxlan_buffer;
	const struct udphdr *udp;
	struct udphdr udp_buffer;

	if (packet->v6)
		packet->udp = conga_packet_udp6(skb, packet->network);
	else if (protocol == htons(ETH_P_IP))
		packet->udp = conga_packet_udp4(skb, packet->network);
	else
		return CONGA_PACKET_OTHER;
	if (packet->udp < 0)
		return CONGA_PACKET_OTHER;
	udp = skb_header_pointer(skb, packet->udp, sizeof(udp_buffer),
				 &udp_buffer);
	if (!udp)
		return CONGA_PACKET_OTHER;
	vxlan = skb_header_pointer(skb, conga_packet_vxlan(packet),
				   sizeof(vxlan_buffer), &vxlan_buffer);
	return conga_packet_judge(packet, udp, vxlan, ports);
}

/* Does the checksum field hold only the pseudo header's sum? Then the payload is not in it:
 * hardware or segmentation adds the payload later. Datagrams of a fraglist keep their
 * received checksums; a fraglist within a tunnel does not matter for the outer checksum.
 */
static bool conga_packet_csum_pseudo(const struct sk_buff *skb,
				     const struct conga_packet *packet)
{
	if (skb_is_gso(skb) && !(conga_packet_is_joined(skb) &&
				 skb_shinfo(skb)->gso_type & SKB_GSO_FRAGLIST))
		return true;
	return skb->ip_summed == CHECKSUM_PARTIAL &&
	       skb_checksum_start_offset(skb) == packet->udp;
}

/*
 * conga_packet_fix_csum - a word behind the outer IP header was replaced
 *
 * If the packet has a checksum, its sum does not change, so that CHECKSUM_COMPLETE stays
 * true; otherwise skb->csum must be updated. An inner CHECKSUM_PARTIAL has a complete outer
 * checksum, which inet_proto_csum_replace4() would leave alone.
 */
void conga_packet_fix_csum(struct sk_buff *skb, const struct conga_packet *packet,
			   struct udphdr *udp, __be32 from, __be32 to)
{
	if (!udp->check) {
		if (skb->ip_summed == CHECKSUM_COMPLETE)
			skb->csum = csum_add(csum_sub(skb->csum,
						      (__force __wsum)from),
					     (__force __wsum)to);
		return;
	}
	if (conga_packet_csum_pseudo(skb, packet))
		return;
	csum_replace4(&udp->check, from, to);
	if (!udp->check)
		udp->check = CSUM_MANGLED_0;
}

/*
 * conga_packet_make_private - makes the header writable where conga_packet_writable() is
 * false
 *
 * An skb with several owners (pktgen holds what it sends) cannot be reallocated;
 * tunnels write their headers in place, and so does this function.
 */
bool conga_packet_make_private(struct sk_buff *skb, int length)
{
	return !skb_shared(skb) && !skb_ensure_writable(skb, length);
}

/*
 * conga_packet_sport_range - UDP source ports that a local tunnel may use
 *
 * The range is from *@min to below *@max, as the kernel has it: the vxlan device's own
 * range if it has one, otherwise the node's. Under a VRF the packet no longer belongs to
 * the vxlan device.
 */
void conga_packet_sport_range(const struct sk_buff *skb, const struct net *net,
			      int *min, int *max)
{
	const struct vxlan_dev *vxlan;

	if (skb->dev && netif_is_vxlan(skb->dev)) {
		vxlan = netdev_priv(skb->dev);
		*min = vxlan->cfg.port_min;
		*max = vxlan->cfg.port_max;
		if (*min < *max)
			return;
		net = dev_net(skb->dev);
	}
	inet_get_local_port_range(net, min, max);
}

/* The header has no sum of its own that a change would leave as it is: where skb->csum is of
 * the whole packet, it changes with the header.
 */
static void conga_packet_change_ecn6(struct sk_buff *skb, struct ipv6hdr *ip, u8 ecn)
{
	const __be32 *word = (const __be32 *)ip;
	__be32 from = *word, to;

	ipv6_change_dsfield(ip, (u8)~INET_ECN_MASK, ecn);
	to = *word;
	if (skb->ip_summed == CHECKSUM_COMPLETE)
		skb->csum = csum_add(csum_sub(skb->csum, (__force __wsum)from),
				     (__force __wsum)to);
}

/* conga_packet_write_ecn_any - conga_packet_write_ecn() of packets of IPv6, with options or
 * shared
 */
bool conga_packet_write_ecn_any(struct sk_buff *skb, const struct conga_packet *packet, u8 ecn)
{
	int header = packet->v6 ? sizeof(struct ipv6hdr) : sizeof(struct iphdr);
	void *ip;

	if (!conga_packet_writable(skb, packet->network + header))
		return false;
	ip = skb->data + packet->network;
	if (packet->v6)
		conga_packet_change_ecn6(skb, ip, ecn);
	else
		ipv4_change_dsfield(ip, (u8)~INET_ECN_MASK, ecn);
	return true;
}

/*
 * conga_packet_write_held - replace the first word of a VXLAN header that GRO holds
 *
 * GRO writes into these headers, too: they are linear, and GRO owns them. A complete
 * checksum in the packet keeps skb->csum as it is; a checksum that covers only the pseudo
 * header does not contain the word yet. Both can be the case in GSO packets.
 */
void conga_packet_write_held(struct sk_buff *held, struct udphdr *udp,
			     __be32 word)
{
	struct conga_vxlan *vxlan = (void *)(udp + 1);

	if (udp->check) {
		if (held->ip_summed != CHECKSUM_PARTIAL ||
		    skb_checksum_start(held) != (unsigned char *)udp)
			csum_replace4(&udp->check, vxlan->word, word);
		if (!udp->check)
			udp->check = CSUM_MANGLED_0;
	} else if (held->ip_summed == CHECKSUM_COMPLETE) {
		held->csum = csum_add(csum_sub(held->csum,
					       (__force __wsum)vxlan->word),
				      (__force __wsum)word);
	}
	vxlan->word = word;
}

/* Reads an address at its offset in the header of IPv4 or in that of IPv6. */
static void conga_packet_address_any(const struct sk_buff *skb,
				     const struct conga_packet *packet,
				     int offset4, int offset6, struct in6_addr *addr)
{
	__be32 found = 0;

	if (packet->v6) {
		if (skb_copy_bits(skb, packet->network + offset6, addr, sizeof(*addr)))
			*addr = in6addr_any;
		return;
	}
	skb_copy_bits(skb, packet->network + offset4, &found, sizeof(found));
	ipv6_addr_set_v4mapped(found, addr);
}

void conga_packet_source_any(const struct sk_buff *skb,
			     const struct conga_packet *packet,
			     struct in6_addr *addr)
{
	conga_packet_address_any(skb, packet, offsetof(struct iphdr, saddr),
				 offsetof(struct ipv6hdr, saddr), addr);
}

void conga_packet_destination_any(const struct sk_buff *skb,
				  const struct conga_packet *packet,
				  struct in6_addr *addr)
{
	conga_packet_address_any(skb, packet, offsetof(struct iphdr, daddr),
				 offsetof(struct ipv6hdr, daddr), addr);
}

bool conga_packet_whole_any(const struct sk_buff *skb,
			    const struct conga_packet *packet)
{
	int begin = packet->network + (packet->v6 ? sizeof(struct ipv6hdr) : 0);
	__be16 length = 0;

	skb_copy_bits(skb, packet->network +
			   (packet->v6 ? offsetof(struct ipv6hdr, payload_len) :
					 offsetof(struct iphdr, tot_len)),
		      &length, sizeof(length));
	return conga_packet_reaches(packet, begin, length);
}

/* conga_packet_to_link - is the outer destination the group of all systems on a link? */
bool conga_packet_to_link(const struct sk_buff *skb,
			  const struct conga_packet *packet)
{
	struct in6_addr addr;

	conga_packet_destination(skb, packet, &addr);
	if (packet->v6)
		return ipv6_addr_is_ll_all_nodes(&addr);
	return addr.s6_addr32[3] == htonl(INADDR_ALLHOSTS_GROUP);
}

/* conga_packet_hops - TTL or hop limit of the outer header */
u8 conga_packet_hops(const struct sk_buff *skb,
		     const struct conga_packet *packet)
{
	u8 hops = 0;

	skb_copy_bits(skb, packet->network +
			   (packet->v6 ? offsetof(struct ipv6hdr, hop_limit) :
					 offsetof(struct iphdr, ttl)),
		      &hops, sizeof(hops));
	return hops;
}

u8 conga_packet_tos_any(const struct sk_buff *skb, const struct conga_packet *packet)
{
	struct iphdr *ip, buffer;

	ip = skb_header_pointer(skb, packet->network, sizeof(buffer), &buffer);
	if (!ip)
		return 0;
	return packet->v6 ? ipv6_get_dsfield((struct ipv6hdr *)ip) : ip->tos;
}

/* conga_packet_sport - the outer UDP source port */
u16 conga_packet_sport(const struct sk_buff *skb, const struct conga_packet *packet)
{
	__be16 port = 0;

	skb_copy_bits(skb, packet->udp + offsetof(struct udphdr, source), &port,
		      sizeof(port));
	return ntohs(port);
}

/* conga_packet_segments_fit - do the segments of a packet fit that is too large itself? */
bool conga_packet_segments_fit(const struct sk_buff *skb, unsigned int mtu)
{
	return skb_is_gso(skb) && skb_gso_validate_network_len(skb, mtu);
}

/* The bytes of headers that every segment of a GSO packet repeats. */
static u32 conga_packet_gso_headers(const struct sk_buff *skb)
{
	int transport = skb->encapsulation ? skb_inner_transport_offset(skb) :
					     skb_transport_offset(skb);
	const struct tcphdr *tcp;
	struct tcphdr buffer;

	if (transport <= 0)
		return 0;
	if (!(skb_shinfo(skb)->gso_type & (SKB_GSO_TCPV4 | SKB_GSO_TCPV6)))
		return transport + sizeof(struct udphdr);
	tcp = skb_header_pointer(skb, transport, sizeof(buffer), &buffer);
	return transport + (tcp ? tcp->doff * 4 : sizeof(buffer));
}

/*
 * conga_packet_segments - the number of frames and bytes of a GSO packet on the wire
 *
 * The packet leaves as segments that each carry all headers. The pkt_len of the qdisc does
 * not count the inner headers of VXLAN, and is some per cent too low.
 */
struct conga_on_wire conga_packet_segments(const struct sk_buff *skb)
{
	struct conga_on_wire wire = { .frames = 1, .bytes = skb->len };
	u32 headers = conga_packet_gso_headers(skb);

	if (skb->len > headers) {
		wire.frames = DIV_ROUND_UP(skb->len - headers, skb_shinfo(skb)->gso_size);
		wire.bytes += (wire.frames - 1) * headers;
	}
	return wire;
}
