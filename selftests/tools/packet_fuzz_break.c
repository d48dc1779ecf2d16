// SPDX-License-Identifier: GPL-2.0
/* The ways to break a packet: one for each kind. */
#include <string.h>
#include <sys/param.h>

#include "packet_fuzz_make.h"

#define GSO_UDP_L4	5		/* VIRTIO_NET_HDR_GSO_UDP_L4 */

/* The header that is broken: the outer one, or that of a tenant. */
static bool fuzz_is_v6(const struct fuzz_maker *maker)
{
	return maker->frame->bytes[maker->network] >> 4 == 6;
}

/* fuzz_reseal - makes lengths and sums right; half of the IPv4 packets have a sum */
void fuzz_reseal(struct fuzz_maker *maker)
{
	fuzz_seal(maker->frame, maker->network, maker->udp,
		  fuzz_is_v6(maker) || fuzz_chance(&maker->rng, 50));
}

/* Most packets have right sums again: otherwise the module would not read the rest. */
static void fuzz_resum(struct fuzz_maker *maker)
{
	if (fuzz_chance(&maker->rng, 80))
		fuzz_seal_ip(maker->frame, maker->network);
}

/* Takes the bytes one after the other, and sometimes one behind the headers. */
static void fuzz_swap_byte(struct fuzz_maker *maker)
{
	struct fuzz_packet *packet = maker->packet;
	size_t behind = maker->frame->len - maker->headers;

	if (behind && fuzz_chance(&maker->rng, 30))
		maker->frame->bytes[maker->headers + fuzz_below(&maker->rng, behind)] ^= 1 +
			fuzz_below(&maker->rng, 255);
	packet->span = MIN(maker->headers - maker->network, FUZZ_SPAN);
	packet->swept = (maker->nth / 2) % packet->span;
	maker->frame->bytes[maker->network + packet->swept] ^= 1 + fuzz_below(&maker->rng, 255);
	fuzz_resum(maker);
}

static void fuzz_turn_bits(struct fuzz_maker *maker)
{
	unsigned int i, bits = 1 + fuzz_below(&maker->rng, 8), bit;

	for (i = 0; i < bits; i++) {
		bit = 8 * maker->network +
		      fuzz_below(&maker->rng, 8 * (maker->frame->len - maker->network));
		maker->frame->bytes[bit / 8] ^= 1 << bit % 8;
	}
	fuzz_resum(maker);
}

/* Changes the frame alone, or the length of IP with it, or that of UDP, too. */
static void fuzz_truncate(struct fuzz_maker *maker)
{
	struct fuzz_packet *packet = maker->packet;
	struct fuzz_frame *frame = maker->frame;
	uint8_t *ip = frame->bytes + maker->network;
	unsigned int what = fuzz_below(&maker->rng, 3);
	bool v6 = fuzz_is_v6(maker);

	packet->span = MIN(maker->headers + 8, FUZZ_SPAN);
	packet->swept = (maker->nth / 2) % packet->span;
	frame->len = MIN(frame->len, (size_t)packet->swept);
	if (!what || frame->len < maker->network + (v6 ? 40 : 20))
		return;
	if (v6)
		fuzz_put16(ip + 4, frame->len - maker->network - 40);
	else
		fuzz_put16(ip + 2, frame->len - maker->network);
	fuzz_seal_ip(frame, maker->network);
	if (what == 2 && fuzz_tunnelled(maker) && frame->len >= maker->udp + 8)
		fuzz_reseal(maker);
}

static void fuzz_lie_of_length(struct fuzz_maker *maker)
{
	uint8_t *ip = maker->frame->bytes + maker->network;
	uint16_t lie = fuzz_chance(&maker->rng, 50) ? fuzz_below(&maker->rng, 80) :
						      fuzz_random(&maker->rng);

	if (fuzz_chance(&maker->rng, 50) || !fuzz_tunnelled(maker))
		fuzz_put16(ip + (fuzz_is_v6(maker) ? 4 : 2), lie);
	else
		fuzz_put16(maker->frame->bytes + maker->udp + 4, lie);
	fuzz_seal_ip(maker->frame, maker->network);
}

/* Moves the bytes after the first @at of the frame to make room for @len more. */
static uint8_t *fuzz_insert(struct fuzz_frame *frame, size_t at, size_t len)
{
	memmove(frame->bytes + at + len, frame->bytes + at, frame->len - at);
	memset(frame->bytes + at, 0, len);
	frame->len += len;
	return frame->bytes + at;
}

static void fuzz_insert_tags(struct fuzz_maker *maker)
{
	unsigned int i, tags = 1 + fuzz_below(&maker->rng, 3);
	struct fuzz_frame *frame = maker->frame;
	uint8_t *at;

	/* A tag may also look like the beginning of an IP header. */
	for (i = 0; i < tags; i++) {
		at = fuzz_insert(frame, 2 * ETH_ALEN, 4);
		fuzz_put16(at, fuzz_chance(&maker->rng, 50) ? ETHERTYPE_VLAN : 0x88a8);
		fuzz_put16(at + 2, fuzz_chance(&maker->rng, 40) ? 0x4500 :
				   fuzz_chance(&maker->rng, 40) ? 0 :
				   fuzz_chance(&maker->rng, 40) ? 5 :
				   fuzz_random(&maker->rng));
	}
}

static void fuzz_insert_options4(struct fuzz_maker *maker)
{
	size_t len = 4 * (1 + fuzz_below(&maker->rng, 10));
	uint8_t *at = fuzz_insert(maker->frame, maker->network + 20, len);
	bool nops = fuzz_chance(&maker->rng, 50);
	size_t i;

	for (i = 0; i < len; i++)
		at[i] = nops ? 1 : fuzz_random(&maker->rng);
	maker->frame->bytes[maker->network] = 0x45 + len / 4;
}

static void fuzz_insert_extensions(struct fuzz_maker *maker)
{
	unsigned int i, count = 1 + fuzz_below(&maker->rng, 4);
	uint8_t *next = maker->frame->bytes + maker->network + 6, *at;
	size_t len;

	for (i = 0; i < count; i++) {
		len = 8 * (1 + fuzz_below(&maker->rng, 3));
		at = fuzz_insert(maker->frame, maker->network + 40, len);
		at[0] = *next;
		at[1] = len / 8 - 1;
		at[2] = 1;		/* PadN */
		at[3] = len - 4;
		*next = fuzz_one_of(maker, IPPROTO_DSTOPTS, IPPROTO_DSTOPTS, IPPROTO_HOPOPTS,
				    IPPROTO_ROUTING, IPPROTO_AH);
		if (fuzz_chance(&maker->rng, 10))
			at[fuzz_below(&maker->rng, len)] = fuzz_random(&maker->rng);
	}
}

static void fuzz_insert_options(struct fuzz_maker *maker)
{
	size_t before = maker->frame->len;

	if (!fuzz_tunnelled(maker))
		return;
	if (fuzz_is_v6(maker))
		fuzz_insert_extensions(maker);
	else
		fuzz_insert_options4(maker);
	maker->udp += maker->frame->len - before;
	fuzz_reseal(maker);
}

/* Cuts the packet into pieces of eight bytes or more, in any order, some twice. */
static void fuzz_cut(struct fuzz_maker *maker)
{
	bool v6 = fuzz_is_v6(maker);
	size_t hlen = v6 ? 40 : 20, first = maker->network + hlen, piece, at = 0;
	struct fuzz_packet *packet = maker->packet;
	struct fuzz_frame *whole = &packet->whole, *frame;
	size_t left = maker->frame->len - first;
	uint32_t id = fuzz_random(&maker->rng);
	uint8_t *ip;

	*whole = *maker->frame;
	for (packet->count = 0; left && packet->count < FUZZ_FRAMES; packet->count++) {
		piece = 8 * (1 + fuzz_below(&maker->rng, left / 8 + 1));
		if (piece >= left || packet->count == FUZZ_FRAMES - 1)
			piece = left;
		frame = &packet->frame[packet->count];
		memcpy(frame->bytes, whole->bytes, first);
		frame->len = first;
		left -= piece;
		ip = frame->bytes + maker->network;
		if (v6) {
			uint8_t *more = fuzz_insert(frame, frame->len, 8);

			more[0] = ip[6];
			fuzz_put16(more + 2, at | (left ? 1 : 0));
			fuzz_put32(more + 4, id);
			ip[6] = IPPROTO_FRAGMENT;
			fuzz_put16(ip + 4, 8 + piece);
		} else {
			fuzz_put16(ip + 2, hlen + piece);
			fuzz_put16(ip + 6, at / 8 | (left ? 0x2000 : 0));
		}
		memcpy(frame->bytes + frame->len, whole->bytes + first + at, piece);
		frame->len += piece;
		fuzz_seal_ip(frame, maker->network);
		at += piece;
	}
	if (packet->count > 1 && fuzz_chance(&maker->rng, 40)) {
		static struct fuzz_frame other;

		other = packet->frame[0];
		packet->frame[0] = packet->frame[packet->count - 1];
		packet->frame[packet->count - 1] = other;
	}
}

/* A checksum that is left to the device may start anywhere, but not before the UDP header.
 * In that case the kernel takes the sum of the addresses for the place, without this module,
 * too (6.1, __skb_checksum_validate_complete()), and warns when the inner packet leaves.
 */
static unsigned int fuzz_any_start(struct fuzz_maker *maker, unsigned int end)
{
	unsigned int start = fuzz_below(&maker->rng, end);

	return fuzz_tunnelled(maker) && start < maker->udp ? maker->udp : start;
}

/* The packet is larger than any frame, or claims to be. */
static void fuzz_make_super(struct fuzz_maker *maker)
{
	struct virtio_net_hdr *vnet = &maker->packet->vnet;
	size_t more = fuzz_chance(&maker->rng, 90) ? fuzz_below(&maker->rng, 4000) :
						     fuzz_below(&maker->rng, 50000);
	size_t l4 = maker->network + (fuzz_is_v6(maker) ? 40 : 20);

	fuzz_fill(maker, more);
	if (fuzz_tunnelled(maker)) {
		fuzz_reseal(maker);
		vnet->gso_type = fuzz_one_of(maker, 3, 3, GSO_UDP_L4, 1);
		vnet->csum_offset = 6;
	} else {
		uint8_t *ip = maker->frame->bytes + ETH_HLEN;
		bool v6 = fuzz_is_v6(maker);

		fuzz_put16(ip + (v6 ? 4 : 2), maker->frame->len - ETH_HLEN - (v6 ? 40 : 0));
		fuzz_seal_ip(maker->frame, ETH_HLEN);
		vnet->gso_type = ip[v6 ? 6 : 9] == IPPROTO_TCP ? (v6 ? 4 : 1) : 3;
		vnet->csum_offset = ip[v6 ? 6 : 9] == IPPROTO_TCP ? 16 : 6;
	}
	vnet->flags = fuzz_chance(&maker->rng, 80) ? VIRTIO_NET_HDR_F_NEEDS_CSUM : 0;
	vnet->gso_size = 100 + fuzz_below(&maker->rng, 1400);
	vnet->csum_start = l4;
	vnet->hdr_len = l4 + 20;
	if (!fuzz_chance(&maker->rng, 40))
		return;
	switch (fuzz_below(&maker->rng, 6)) {
	case 0:
		vnet->gso_size = fuzz_below(&maker->rng, 30);
		return;
	case 1:
		vnet->gso_type = fuzz_random(&maker->rng);
		return;
	case 2:
		vnet->hdr_len = fuzz_random(&maker->rng);
		return;
	case 3:
		vnet->csum_start = fuzz_any_start(maker, 200);
		return;
	case 4:
		vnet->csum_offset = fuzz_random(&maker->rng);
		return;
	}
	vnet->gso_size = fuzz_random(&maker->rng);
}

/* The place is the outer UDP header, the inner one, or any other. */
static void fuzz_leave_sum(struct fuzz_maker *maker)
{
	struct virtio_net_hdr *vnet = &maker->packet->vnet;
	struct fuzz_frame *frame = maker->frame;

	vnet->flags = VIRTIO_NET_HDR_F_NEEDS_CSUM;
	vnet->csum_offset = fuzz_one_of(maker, 6, 6, 6, 16, 0, 255);
	vnet->csum_start = fuzz_tunnelled(maker) ? maker->udp : ETH_HLEN + 20;
	if (fuzz_tunnelled(maker) && fuzz_chance(&maker->rng, 40))
		vnet->csum_start += 16 + ETH_HLEN + 20;
	if (fuzz_chance(&maker->rng, 20))
		vnet->csum_start = fuzz_any_start(maker, frame->len + 20);
}

static void fuzz_make_burst(struct fuzz_maker *maker)
{
	struct fuzz_packet *packet = maker->packet;
	struct fuzz_frame *frame;
	size_t word = maker->udp + 8;

	packet->tap = packet->tap == FUZZ_UP0 ? FUZZ_UP1 : packet->tap;
	for (packet->count = 1; packet->count < FUZZ_FRAMES; packet->count++) {
		frame = &packet->frame[packet->count];
		*frame = packet->frame[0];
		fuzz_put16(frame->bytes + maker->network + 4,
			   fuzz_get16(frame->bytes + maker->network + 4) +
			   (fuzz_is_v6(maker) ? 0 : packet->count));
		if (!fuzz_tunnelled(maker) || fuzz_chance(&maker->rng, 60))
			continue;
		fuzz_put32(frame->bytes + word, fuzz_get32(frame->bytes + word) ^
			   (fuzz_random(&maker->rng) & 0x000e0000));
		if (fuzz_get16(frame->bytes + maker->udp + 6))
			fuzz_seal(frame, maker->network, maker->udp, true);
	}
}

/* fuzz_break - breaks a packet according to its kind */
void fuzz_break(struct fuzz_maker *maker)
{
	static void (*const ways[FUZZ_KINDS])(struct fuzz_maker *) = {
		[FUZZ_BYTE]	 = fuzz_swap_byte,
		[FUZZ_BITS]	 = fuzz_turn_bits,
		[FUZZ_TRUNCATED] = fuzz_truncate,
		[FUZZ_LENGTHS]	 = fuzz_lie_of_length,
		[FUZZ_OPTIONS]	 = fuzz_insert_options,
		[FUZZ_VLAN]	 = fuzz_insert_tags,
		[FUZZ_GSO]	 = fuzz_make_super,
		[FUZZ_PARTIAL]	 = fuzz_leave_sum,
		[FUZZ_BURST]	 = fuzz_make_burst,
		[FUZZ_FRAGMENTS] = fuzz_cut,
	};

	if (ways[maker->packet->kind])
		ways[maker->packet->kind](maker);
}
