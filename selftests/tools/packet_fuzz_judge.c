// SPDX-License-Identifier: GPL-2.0
/*
 * The contents of a packet, and its allowed results: both come from the manual, and share
 * no code with the module.
 */
#include <netinet/ip6.h>
#include <string.h>

#include "packet_fuzz.h"

#define IP4_HLEN	20
#define IP6_HLEN	40
#define UDP_HLEN	8
#define VXLAN_HLEN	8
#define WORD_AT		UDP_HLEN
#define VLANS_MAX	8		/* that are looked behind */
#define FLAGS_VXLAN	0x08
#define FLAGS_GPE	0x0c
#define MASK_STAMP	0x00ffff00
#define MASK_CE		0x000e0000
#define MASK_BYTE3	0x000000ff
#define PRESENT		0x00000100
#define VNI_AT		8		/* bits */

/* The node also sends its own packets from the addresses of its links. */
static uint8_t fuzz_who4(const uint8_t *at)
{
	static const uint8_t net[] = { 10, 0, 0 }, link[] = { 10, 1, 0 };

	if (!memcmp(at, link, sizeof(link)))
		return FUZZ_OWN;
	return memcmp(at, net, sizeof(net)) ? 0 : at[3];
}

static uint8_t fuzz_who6(const uint8_t *at)
{
	static const uint8_t net[15] = { 0xfd }, link[6] = { 0xfd, 1 };

	if (!memcmp(at, link, sizeof(link)))
		return FUZZ_OWN;
	return memcmp(at, net, sizeof(net)) ? 0 : at[15];
}

/* A frame may have a wrong length. */
static size_t fuzz_end(const struct fuzz_view *view, size_t len, size_t said)
{
	return said > len - view->network ? 0 : view->network + said;
}

static void fuzz_look4(struct fuzz_view *view, const struct fuzz_frame *frame)
{
	const uint8_t *ip = frame->bytes + view->network;
	uint16_t fragment;
	size_t hlen;

	if (frame->len < view->network + IP4_HLEN || ip[0] >> 4 != 4)
		return;
	hlen = (ip[0] & 15) * 4;
	view->end = fuzz_end(view, frame->len, fuzz_get16(ip + 2));
	if (hlen < IP4_HLEN || view->end < view->network + hlen)
		return;
	fragment = fuzz_get16(ip + 6);
	view->ip = true;
	view->odd = hlen > IP4_HLEN;
	view->fragment = fragment & 0x3fff;
	view->later = fragment & 0x1fff;
	view->ttl = ip[8];
	view->protocol = ip[9];
	view->source = fuzz_who4(ip + 12);
	view->party = fuzz_who4(ip + 16);
	view->to_link = fuzz_get32(ip + 16) == INADDR_ALLHOSTS_GROUP;
	view->l4 = view->network + hlen;
}

static bool fuzz_is_extension(uint8_t next)
{
	return next == IPPROTO_HOPOPTS || next == IPPROTO_ROUTING ||
	       next == IPPROTO_DSTOPTS || next == IPPROTO_FRAGMENT || next == IPPROTO_AH;
}

static void fuzz_look6(struct fuzz_view *view, const struct fuzz_frame *frame)
{
	static const uint8_t all_nodes[16] = { 0xff, 2, [15] = 1 };
	const uint8_t *ip = frame->bytes + view->network, *at;
	size_t hlen;

	if (frame->len < view->network + IP6_HLEN || ip[0] >> 4 != 6)
		return;
	view->end = fuzz_end(view, frame->len, IP6_HLEN + fuzz_get16(ip + 4));
	if (!view->end)
		return;
	view->ip = true;
	view->protocol = ip[6];
	view->ttl = ip[7];
	view->source = fuzz_who6(ip + 8);
	view->party = fuzz_who6(ip + 24);
	view->to_link = !memcmp(ip + 24, all_nodes, sizeof(all_nodes));
	view->l4 = view->network + IP6_HLEN;
	while (fuzz_is_extension(view->protocol) && !view->later &&
	       view->l4 + 8 <= view->end) {
		at = frame->bytes + view->l4;
		hlen = (at[1] + 1) * 8;
		if (view->protocol == IPPROTO_FRAGMENT) {
			hlen = 8;
			view->fragment = true;
			view->later = fuzz_get16(at + 2) & 0xfff8;
		} else if (view->protocol == IPPROTO_AH) {
			hlen = (at[1] + 2) * 4;
		}
		view->odd = true;
		view->protocol = at[0];
		view->l4 += hlen;
	}
	if (view->l4 > view->end)
		view->l4 = view->end;
}

static bool fuzz_is_port(uint16_t port)
{
	return port == FUZZ_PORT || port == FUZZ_PORT_GPE || port == FUZZ_PORT_OTHER;
}

static void fuzz_look_udp(struct fuzz_view *view, const struct fuzz_frame *frame)
{
	const uint8_t *udp = frame->bytes + view->l4;
	size_t len = view->end - view->l4;

	if (!view->ip || view->protocol != IPPROTO_UDP || view->later || len < UDP_HLEN)
		return;
	view->sport = fuzz_get16(udp);
	view->dport = fuzz_get16(udp + 2);
	view->sum = fuzz_get16(udp + 6);
	view->to_port = fuzz_is_port(view->dport);
	view->truncated = len < UDP_HLEN + VXLAN_HLEN ||
			  (fuzz_get16(udp + 4) < UDP_HLEN + VXLAN_HLEN &&
			   fuzz_get16(udp + 4));
	if (view->truncated)
		return;
	view->word = fuzz_get32(udp + WORD_AT);
	view->vni = fuzz_get32(udp + WORD_AT + 4);
}

/* fuzz_look - reads a frame, behind VLAN tags, too */
void fuzz_look(struct fuzz_view *view, const struct fuzz_frame *frame)
{
	uint16_t type;
	int i;

	memset(view, 0, sizeof(*view));
	view->network = ETH_HLEN;
	if (frame->len < ETH_HLEN)
		return;
	type = fuzz_get16(frame->bytes + ETH_HLEN - 2);
	for (i = 0; i < VLANS_MAX && (type == ETHERTYPE_VLAN || type == 0x88a8); i++) {
		if (frame->len < view->network + 4)
			return;
		type = fuzz_get16(frame->bytes + view->network + 2);
		view->network += 4;
	}
	if (type == ETHERTYPE_IP)
		fuzz_look4(view, frame);
	view->v6 = type == ETHERTYPE_IPV6;
	if (view->v6)
		fuzz_look6(view, frame);
	fuzz_look_udp(view, frame);
}

static uint8_t fuzz_flags(uint32_t word)
{
	return word >> 24;
}

static bool fuzz_ours(uint32_t word)
{
	return fuzz_flags(word) == FLAGS_VXLAN || fuzz_flags(word) == FLAGS_GPE;
}

bool fuzz_stamped(const struct fuzz_view *view)
{
	return view->to_port && !view->truncated && fuzz_ours(view->word) &&
	       view->word & PRESENT && !(view->vni & 0xff);
}

bool fuzz_control(const struct fuzz_view *view)
{
	return fuzz_stamped(view) && view->vni >> VNI_AT == FUZZ_VNI_CONTROL;
}

/* fuzz_clear - returns a stamped word without its stamp */
uint32_t fuzz_clear(uint32_t word)
{
	word &= ~MASK_STAMP;
	return fuzz_flags(word) == FLAGS_GPE ? word : word & ~MASK_BYTE3;
}

bool fuzz_blank(const struct fuzz_view *view)
{
	return fuzz_ours(view->word) && fuzz_clear(view->word) == view->word &&
	       !(view->vni & 0xff);
}

/* Returns whether the sender may teach: a conga leaf or a neighbour, by a port. An address
 * at any place of the packet counts, since random changes may move it.
 */
bool fuzz_teaches(const struct fuzz_packet *packet)
{
	const struct fuzz_frame *frame;
	struct fuzz_view view;
	unsigned int i;

	if (packet->way != FUZZ_BY_TAP)
		return false;
	for (i = 0; i <= packet->count; i++) {
		frame = i < packet->count ? &packet->frame[i] : &packet->whole;
		fuzz_look(&view, frame);
		if (view.to_link || view.source == FUZZ_FRIEND ||
		    view.source == FUZZ_AUTO || view.source == FUZZ_ASTRAY)
			return packet->tap != FUZZ_SIDE;
	}
	return false;
}

/* ---- sums ---- */

uint32_t fuzz_sum(const uint8_t *bytes, size_t len)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i + 1 < len; i += 2)
		sum += fuzz_get16(bytes + i);
	if (len & 1)
		sum += bytes[len - 1] << 8;
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

/* fuzz_udp_sum - returns the sum of a datagram with its pseudo header: 0xffff if it is right
 */
uint16_t fuzz_udp_sum(const struct fuzz_view *view, const struct fuzz_frame *frame)
{
	const uint8_t *ip = frame->bytes + view->network;
	size_t len = view->end - view->l4;
	uint32_t sum;

	sum = view->v6 ? fuzz_sum(ip + 8, 32) : fuzz_sum(ip + 12, 8);
	sum += len + IPPROTO_UDP + fuzz_sum(frame->bytes + view->l4, len);
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

/* ---- comparing ---- */

static bool fuzz_raised(uint32_t from, uint32_t to)
{
	uint32_t may = MASK_CE;

	if (fuzz_flags(from) != FLAGS_GPE)
		may |= MASK_BYTE3;
	return !((from ^ to) & ~may) && (to & MASK_CE) >= (from & MASK_CE);
}

static bool fuzz_word_right(const struct fuzz_view *view, uint32_t got,
			    enum fuzz_change change)
{
	if (change == FUZZ_SAME || !fuzz_stamped(view))
		return got == view->word;
	if (change == FUZZ_CLEARED)
		return got == fuzz_clear(view->word);
	return fuzz_raised(view->word, got);
}

/* The sum over all bytes stays unchanged, if the packet has one. */
static bool fuzz_sum_kept(const uint8_t *sent, const uint8_t *got, size_t len)
{
	return fuzz_sum(sent, len) % 0xffff == fuzz_sum(got, len) % 0xffff;
}

/*
 * fuzz_compare - a packet, from its transport header on, with what was sent
 *
 * @summed: its checksum is whole, and nobody had to complete it. NULL: it is as it has
 * to be.
 */
const char *fuzz_compare(const struct fuzz_view *view, const struct fuzz_frame *sent,
			 const uint8_t *got, size_t len, enum fuzz_change change, bool summed)
{
	const uint8_t *from = sent->bytes + view->l4;
	size_t whole = view->end - view->l4, behind = UDP_HLEN + 4;

	if (len != whole)
		return "its length is another";
	if (!view->to_port || view->truncated || view->later)
		return memcmp(from, got, len) ? "not ours, and changed" : NULL;
	if (!fuzz_word_right(view, fuzz_get32(got + WORD_AT), change))
		return "its first word is wrong";
	if (memcmp(from, got, 6) || memcmp(from + behind, got + behind, len - behind))
		return "more than its first word is changed";
	if (!summed)
		return NULL;
	if (!view->sum || fuzz_get32(got + WORD_AT) == view->word)
		return fuzz_get16(got + 6) == view->sum ? NULL : "its checksum is changed";
	return fuzz_get16(got + 6) && fuzz_sum_kept(from, got, len) ? NULL :
	       "its checksum does not follow";
}

/* fuzz_wrong_tunnel - compares a tenant's packet with the tunnel's; returns NULL if it is
 * right
 */
const char *fuzz_wrong_tunnel(const struct fuzz_packet *packet, const struct fuzz_frame *got,
			      const struct fuzz_view *view)
{
	const uint8_t *inner = got->bytes + view->l4 + UDP_HLEN + VXLAN_HLEN;
	size_t len = view->end - view->l4 - UDP_HLEN - VXLAN_HLEN;
	unsigned int i;

	if (view->truncated)
		return "a tunnel's packet without its header";
	/* The kernel ignores an inner sum that begins or lies at an odd byte. */
	if (view->sum && !view->partial && !(packet->vnet.csum_start & 1) &&
	    !(packet->vnet.csum_offset & 1) && fuzz_udp_sum(view, got) != 0xffff)
		return "the outer checksum is wrong";
	if (fuzz_stamped(view) && view->party != FUZZ_FRIEND && view->party != FUZZ_AUTO &&
	    view->party != FUZZ_ASTRAY)
		return "stamped for one who is no conga leaf";
	if (!fuzz_stamped(view) && !fuzz_blank(view))
		return "reserved bits are set, and it is not stamped";
	if (packet->vnet.gso_type || packet->vnet.flags)
		return NULL;
	for (i = 0; i < packet->count; i++)
		if (len == packet->frame[i].len && !memcmp(inner, packet->frame[i].bytes, len))
			return NULL;
	return "the tenant's frame is changed";
}
