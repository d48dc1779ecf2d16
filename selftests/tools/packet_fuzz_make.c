// SPDX-License-Identifier: GPL-2.0
/*
 * One packet, made of a seed and an index, and of nonces that the box told: what does
 * harm can be sent again without what came before it.
 *
 * Kinds take turns by the index, so that their sweeps, over each byte of the outer
 * headers and over each length, miss none.
 */
#include <string.h>
#include <sys/param.h>

#include "packet_fuzz_make.h"

#define CONTROL_HLEN	24
#define CONTROL_MAGIC	0x434e4741
#define CONTROL_RECORDS	16
#define LEAF_ID		0x5eaf
#define DSCP_EXEMPT	46
#define SEGMENT		600		/* bytes, of UDP_SEGMENT */

const char * const fuzz_doors[FUZZ_DOORS] = { "rx", "tx", "link", "control" };

const char * const fuzz_kinds[FUZZ_KINDS] = {
	[FUZZ_VALID]	 = "valid",
	[FUZZ_BYTE]	 = "byte",
	[FUZZ_BITS]	 = "bits",
	[FUZZ_TRUNCATED] = "truncated",
	[FUZZ_LENGTHS]	 = "lengths",
	[FUZZ_FRAGMENTS] = "fragments",
	[FUZZ_OPTIONS]	 = "options",
	[FUZZ_VLAN]	 = "vlan",
	[FUZZ_GSO]	 = "gso",
	[FUZZ_PARTIAL]	 = "partial",
	[FUZZ_BURST]	 = "burst",
	[FUZZ_STARVED]	 = "starved",
};

const char * const fuzz_ways[FUZZ_WAYS] = {
	[FUZZ_BY_TAP]	   = "tap",
	[FUZZ_BY_PACKET]   = "packet",
	[FUZZ_BY_RING]	   = "ring",
	[FUZZ_BY_SOCKET]   = "socket",
	[FUZZ_BY_ZEROCOPY] = "zerocopy",
	[FUZZ_BY_SEGMENT]  = "segment",
	[FUZZ_BY_CORK]	   = "cork",
};

/* Returns which kind is next, and how often it was used before. */
static const uint8_t fuzz_turns[] = {
	FUZZ_BYTE, FUZZ_TRUNCATED, FUZZ_VALID, FUZZ_BYTE, FUZZ_BITS, FUZZ_GSO, FUZZ_TRUNCATED,
	FUZZ_BYTE, FUZZ_FRAGMENTS, FUZZ_VALID, FUZZ_TRUNCATED, FUZZ_BYTE, FUZZ_LENGTHS,
	FUZZ_PARTIAL, FUZZ_VLAN, FUZZ_BYTE, FUZZ_TRUNCATED, FUZZ_VALID, FUZZ_OPTIONS,
	FUZZ_BYTE, FUZZ_BITS, FUZZ_TRUNCATED, FUZZ_BURST, FUZZ_BYTE, FUZZ_GSO, FUZZ_LENGTHS,
	FUZZ_TRUNCATED, FUZZ_BYTE, FUZZ_STARVED, FUZZ_FRAGMENTS, FUZZ_VALID, FUZZ_OPTIONS,
};

static uint64_t fuzz_nth(uint64_t index)
{
	unsigned int i, turn = index % ARRAY_SIZE(fuzz_turns), all = 0, before = 0;

	for (i = 0; i < ARRAY_SIZE(fuzz_turns); i++) {
		all += fuzz_turns[i] == fuzz_turns[turn];
		before += i < turn && fuzz_turns[i] == fuzz_turns[turn];
	}
	return index / ARRAY_SIZE(fuzz_turns) * all + before;
}

static uint8_t *fuzz_add(struct fuzz_maker *maker, size_t len)
{
	uint8_t *at = maker->frame->bytes + maker->frame->len;

	memset(at, 0, len);
	maker->frame->len += len;
	return at;
}

void fuzz_fill(struct fuzz_maker *maker, size_t len)
{
	uint8_t *at = fuzz_add(maker, len);
	uint64_t random;
	size_t part;

	for (; len; len -= part, at += part) {
		random = fuzz_random(&maker->rng);
		part = MIN(len, sizeof(random));
		memcpy(at, &random, part);
	}
}

/* ---- Ethernet and IP ---- */

static void fuzz_ethernet(struct fuzz_maker *maker, const uint8_t *to, const uint8_t *from,
			  uint16_t type)
{
	uint8_t *at = fuzz_add(maker, ETH_HLEN);

	memcpy(at, to, ETH_ALEN);
	memcpy(at + ETH_ALEN, from, ETH_ALEN);
	fuzz_put16(at + 2 * ETH_ALEN, type);
}

static void fuzz_address(uint8_t *at, bool v6, uint8_t party)
{
	at[0] = v6 ? 0xfd : 10;
	at[v6 ? 15 : 3] = party;
}

static void fuzz_ip(struct fuzz_maker *maker, bool v6, uint8_t from, uint8_t to, uint8_t ttl)
{
	uint8_t *ip = fuzz_add(maker, v6 ? 40 : 20);

	fuzz_address(ip + (v6 ? 8 : 12), v6, from);
	fuzz_address(ip + (v6 ? 24 : 16), v6, to);
	if (v6) {
		ip[0] = 0x60;
		ip[6] = IPPROTO_UDP;
		ip[7] = ttl;
		return;
	}
	ip[0] = 0x45;
	fuzz_put16(ip + 4, fuzz_random(&maker->rng));
	ip[8] = ttl;
	ip[9] = IPPROTO_UDP;
}

static void fuzz_to_link(struct fuzz_frame *frame, bool v6)
{
	static const uint8_t all6[16] = { 0xff, 2, [15] = 1 }, mac6[] = { 0x33, 0x33, 0, 0, 0, 1 },
			     mac4[] = { 1, 0, 0x5e, 0, 0, 1 };
	uint8_t *ip = frame->bytes + ETH_HLEN;

	memcpy(frame->bytes, v6 ? mac6 : mac4, ETH_ALEN);
	if (v6)
		memcpy(ip + 24, all6, sizeof(all6));
	else
		fuzz_put32(ip + 16, INADDR_ALLHOSTS_GROUP);
}

/* Computes the sum of an IPv4 header over its current contents. */
void fuzz_seal_ip(struct fuzz_frame *frame, size_t network)
{
	uint8_t *ip = frame->bytes + network;
	size_t hlen = (ip[0] & 15) * 4;

	if (ip[0] >> 4 != 4 || hlen < 20 || network + hlen > frame->len)
		return;
	fuzz_put16(ip + 10, 0);
	fuzz_put16(ip + 10, ~fuzz_sum(ip, hlen));
}

/* Sets lengths and sums of a datagram that begins at @udp; without @sum it has no checksum.
 */
void fuzz_seal(struct fuzz_frame *frame, size_t network, size_t udp, bool sum)
{
	uint8_t *ip = frame->bytes + network;
	struct fuzz_view view;

	fuzz_put16(frame->bytes + udp + 4, frame->len - udp);
	fuzz_put16(frame->bytes + udp + 6, 0);
	if (ip[0] >> 4 == 6)
		fuzz_put16(ip + 4, frame->len - network - 40);
	else
		fuzz_put16(ip + 2, frame->len - network);
	fuzz_seal_ip(frame, network);
	fuzz_look(&view, frame);
	if (!sum || !view.end || view.l4 != udp)
		return;
	fuzz_put16(frame->bytes + udp + 6, ~fuzz_udp_sum(&view, frame) ? : 0xffff);
}

/* ---- packets of a tenant ---- */

static void fuzz_inner(struct fuzz_maker *maker, size_t data)
{
	static const uint8_t to[] = { 2, 0, 0, 0, 3, 1 }, from[] = { 2, 0, 0, 0, 3, 2 };
	bool v6 = fuzz_chance(&maker->rng, 30), tcp = fuzz_chance(&maker->rng, 50);
	size_t network = maker->frame->len + ETH_HLEN, l4;
	uint8_t *at;

	fuzz_ethernet(maker, to, from, v6 ? ETHERTYPE_IPV6 : ETHERTYPE_IP);
	fuzz_ip(maker, v6, 1, 2, 64);
	l4 = maker->frame->len;
	at = fuzz_add(maker, tcp ? 20 : 8);
	fuzz_put16(at, fuzz_random(&maker->rng));
	fuzz_put16(at + 2, 9);
	if (tcp) {
		at[12] = 5 << 4;
		at[13] = 0x10;
		fuzz_put32(at + 4, fuzz_random(&maker->rng));
	}
	fuzz_fill(maker, data);
	at = maker->frame->bytes + network;
	if (!v6 && fuzz_chance(&maker->rng, 10))
		at[1] = DSCP_EXEMPT << 2;
	at[v6 ? 6 : 9] = tcp ? IPPROTO_TCP : IPPROTO_UDP;
	if (!tcp)
		fuzz_put16(maker->frame->bytes + l4 + 4, maker->frame->len - l4);
	fuzz_put16(at + (v6 ? 4 : 2), maker->frame->len - network - (v6 ? 40 : 0));
	fuzz_seal_ip(maker->frame, network);
}

/* ---- VXLAN and control ---- */

/* The word is stamped, blank, or random. */
static uint32_t fuzz_word(struct fuzz_maker *maker)
{
	uint32_t word = 0x08000000, random = fuzz_random(&maker->rng);

	switch (fuzz_below(&maker->rng, 10)) {
	case 0:
		return word;
	case 1:
		return random;
	case 2:
		return random & ~0x08000000;
	case 3:
		return word | (random & 0xffffff);
	case 4:
		return 0x0c000103 | (random & 0x00fffe00);
	case 5:
		return word | 0x100 | (random & 0x00fffeff);
	case 6:
		return word | 0x100 | (random & 0x00fffe7c) | 0x80;
	}
	return word | 0x100 | (random & 0x00fffe00);
}

static uint16_t fuzz_dport(struct fuzz_maker *maker)
{
	switch (fuzz_below(&maker->rng, 10)) {
	case 0:
		return FUZZ_PORT_GPE;
	case 1:
		return 53;
	case 2:
	case 3:
		return FUZZ_PORT_OTHER;
	}
	return FUZZ_PORT;
}

static void fuzz_vxlan(struct fuzz_maker *maker, uint32_t word, uint32_t vni)
{
	uint8_t *at;

	maker->udp = maker->frame->len;
	at = fuzz_add(maker, 16);
	fuzz_put16(at, 0xc000 | fuzz_random(&maker->rng));
	fuzz_put16(at + 2, maker->plan->door == FUZZ_CONTROL ? FUZZ_PORT : fuzz_dport(maker));
	fuzz_put32(at + 8, word);
	fuzz_put32(at + 12, vni);
	maker->headers = maker->frame->len;
}

static uint64_t fuzz_echo(struct fuzz_maker *maker)
{
	const struct fuzz_heard *heard = &maker->plan->heard;

	if (fuzz_chance(&maker->rng, 30))
		return (uint64_t)fuzz_random(&maker->rng) << 32 | fuzz_random(&maker->rng);
	return (maker->packet->v6 ? heard->nonce6 : heard->nonce)[maker->packet->party];
}

/* The upper halves of nonces, and the padding of a hello of full size. */
static void fuzz_upper(struct fuzz_maker *maker, uint64_t echo)
{
	uint8_t *at = fuzz_add(maker, 8);

	fuzz_put32(at, fuzz_random(&maker->rng));
	fuzz_put32(at + 4, echo >> 32);
	if (fuzz_chance(&maker->rng, 10))
		fuzz_add(maker, fuzz_below(&maker->rng, 1000));
}

static void fuzz_probe(struct fuzz_maker *maker)
{
	uint8_t *at = fuzz_add(maker, 20), who;

	who = fuzz_one_of(maker, FUZZ_FRIEND, FUZZ_FRIEND, FUZZ_AUTO, FUZZ_PLAIN, FUZZ_ASTRAY,
			  FUZZ_STRANGER, FUZZ_OWN);
	if (fuzz_chance(&maker->rng, 30)) {
		fuzz_address(at, true, who);
	} else {
		fuzz_put16(at + 10, 0xffff);
		fuzz_address(at + 12, false, who);
	}
	at[16] = fuzz_random(&maker->rng);
	at[17] = fuzz_one_of(maker, 0, 1, 2, 8, 255);
}

/* Types, versions and counts are mostly valid. Most packets are hellos that ask, since these
 * have a limit.
 */
static void fuzz_message(struct fuzz_maker *maker, bool probe)
{
	uint8_t *at = fuzz_add(maker, CONTROL_HLEN);
	unsigned int count;
	uint64_t echo;
	bool wide;

	fuzz_put32(at, fuzz_chance(&maker->rng, 97) ? CONTROL_MAGIC : fuzz_random(&maker->rng));
	at[4] = fuzz_chance(&maker->rng, 95) ? 1 : fuzz_random(&maker->rng);
	at[5] = fuzz_one_of(maker, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 3, 4, 5, 0, 255);
	if (at[5] == 3 && !fuzz_chance(&maker->rng, 20))
		at[5] = 1;
	if (probe && fuzz_chance(&maker->rng, 90))
		at[5] = 4;
	at[6] = fuzz_one_of(maker, 5, 5, 5, 5, 5, 4, 0, 1, 6, 7, 255);
	wide = at[6] & 4;
	at[7] = at[5] != 2 ? 0 : fuzz_below(&maker->rng, CONTROL_RECORDS + 2);
	count = at[7];
	fuzz_put32(at + 8, fuzz_chance(&maker->rng, 70) ? 77 :
		   fuzz_chance(&maker->rng, 70) ? 78 : LEAF_ID);
	at[12] = fuzz_chance(&maker->rng, 95) ? 3 : fuzz_random(&maker->rng);
	at[13] = fuzz_chance(&maker->rng, 90) ? 0 : fuzz_below(&maker->rng, 4);
	fuzz_put32(at + 16, fuzz_random(&maker->rng));
	echo = fuzz_echo(maker);
	fuzz_put32(at + 20, echo);
	maker->headers = maker->frame->len;
	if (at[5] == 4)
		fuzz_probe(maker);
	while (count--) {
		at = fuzz_add(maker, 4);
		at[0] = fuzz_below(&maker->rng, 18);
		at[1] = fuzz_random(&maker->rng);
	}
	if (wide && fuzz_chance(&maker->rng, 95))
		fuzz_upper(maker, echo);
}

/* ---- a valid packet for each hook ---- */

static const uint8_t fuzz_mac_box[] = { 2, 0, 0, 0, 0, 1 }, fuzz_mac_peer[] = { 2, 0, 0, 0, 0, 2 };

static uint8_t fuzz_sender(struct fuzz_maker *maker)
{
	if (maker->plan->strange && maker->packet->tap != FUZZ_SIDE)
		return fuzz_one_of(maker, FUZZ_PLAIN, FUZZ_STRANGER, FUZZ_OWN + 1);
	return fuzz_one_of(maker, FUZZ_FRIEND, FUZZ_FRIEND, FUZZ_FRIEND, FUZZ_AUTO, FUZZ_AUTO,
			   FUZZ_PLAIN, FUZZ_STRANGER);
}

static void fuzz_make_control(struct fuzz_maker *maker)
{
	struct fuzz_packet *packet = maker->packet;
	bool probe = fuzz_chance(&maker->rng, 30);
	uint32_t word = 0x08000100 | (fuzz_random(&maker->rng) & 0x00fe0000);

	packet->party = fuzz_sender(maker);
	fuzz_ethernet(maker, fuzz_mac_box, fuzz_mac_peer,
		      packet->v6 ? ETHERTYPE_IPV6 : ETHERTYPE_IP);
	maker->network = maker->frame->len;
	fuzz_ip(maker, packet->v6, packet->party, FUZZ_OWN,
		probe && fuzz_chance(&maker->rng, 80) ? 255 : 64);
	if (probe)
		fuzz_to_link(maker->frame, packet->v6);
	fuzz_vxlan(maker, word, (uint32_t)FUZZ_VNI_CONTROL << 8);
	fuzz_message(maker, probe);
}

static void fuzz_make_data(struct fuzz_maker *maker, uint8_t from, uint8_t to)
{
	struct fuzz_packet *packet = maker->packet;
	uint32_t vni = FUZZ_VNI << 8;

	if (fuzz_chance(&maker->rng, 5))
		vni |= 1 + fuzz_below(&maker->rng, 255);
	packet->party = from;
	fuzz_ethernet(maker, fuzz_mac_box, fuzz_mac_peer,
		      packet->v6 ? ETHERTYPE_IPV6 : ETHERTYPE_IP);
	maker->network = maker->frame->len;
	fuzz_ip(maker, packet->v6, from, to, 64);
	fuzz_vxlan(maker, fuzz_word(maker), vni);
	fuzz_inner(maker, fuzz_below(&maker->rng, 200));
}

static void fuzz_make_tenant(struct fuzz_maker *maker, size_t data)
{
	uint8_t to[ETH_ALEN] = { 2, 0, 0, 0, 1, 0 };
	static const uint8_t from[] = { 2, 0, 0, 0, 2, 2 };

	to[4] = maker->packet->v6 ? 6 : fuzz_chance(&maker->rng, 5) ? 12 : 1;
	to[5] = fuzz_one_of(maker, FUZZ_FRIEND, FUZZ_FRIEND, FUZZ_FRIEND, FUZZ_AUTO, FUZZ_PLAIN,
			    FUZZ_ASTRAY, FUZZ_SECRET, FUZZ_STRANGER);
	if (to[5] > FUZZ_PLAIN && to[4] != 1)
		to[5] = FUZZ_FRIEND;
	maker->packet->party = to[5];
	fuzz_inner(maker, data);
	memcpy(maker->frame->bytes, to, ETH_ALEN);
	memcpy(maker->frame->bytes + ETH_ALEN, from, ETH_ALEN);
	maker->network = ETH_HLEN;
	maker->headers = MIN(maker->frame->len, ETH_HLEN + 60);
}

/* A process sends this by a socket: a VXLAN header, and its payload. */
static void fuzz_make_local(struct fuzz_maker *maker)
{
	struct fuzz_packet *packet = maker->packet;
	unsigned int i, parts = 1;
	size_t len = 16 + fuzz_below(&maker->rng, 1200);

	packet->party = fuzz_one_of(maker, FUZZ_FRIEND, FUZZ_PLAIN, FUZZ_STRANGER);
	packet->port = fuzz_dport(maker);
	if (packet->way == FUZZ_BY_SEGMENT) {
		parts = 1 + fuzz_below(&maker->rng, 20);
		len = SEGMENT;
		packet->segment = SEGMENT;
	}
	if (packet->way == FUZZ_BY_ZEROCOPY || packet->way == FUZZ_BY_CORK)
		len += fuzz_below(&maker->rng, 20000);
	for (i = 0; i < parts; i++) {
		uint8_t *at = fuzz_add(maker, 8);

		fuzz_put32(at, fuzz_word(maker));
		fuzz_put32(at + 4, fuzz_chance(&maker->rng, 20) ? (uint32_t)FUZZ_VNI_CONTROL << 8 :
							   FUZZ_VNI << 8);
		fuzz_fill(maker, len - 8);
	}
	if (packet->kind == FUZZ_TRUNCATED) {
		packet->swept = maker->nth % 24;
		packet->span = 24;
		maker->frame->len = packet->swept;
	}
}

static void fuzz_make_base(struct fuzz_maker *maker)
{
	struct fuzz_packet *packet = maker->packet;
	bool there = fuzz_chance(&maker->rng, 50);

	switch (packet->door) {
	case FUZZ_CONTROL:
		fuzz_make_control(maker);
		return;
	case FUZZ_TX:
		if (packet->way >= FUZZ_BY_SOCKET)
			fuzz_make_local(maker);
		else
			fuzz_make_tenant(maker, fuzz_below(&maker->rng, 100) < 80 ?
					 fuzz_below(&maker->rng, 200) : 1500);
		return;
	case FUZZ_LINK:
		if (packet->way == FUZZ_BY_TAP)
			packet->tap = there ? FUZZ_PASS : FUZZ_UP0;
		fuzz_make_data(maker, there ? FUZZ_BEYOND : FUZZ_FRIEND,
			       there ? fuzz_one_of(maker, FUZZ_FRIEND, FUZZ_AUTO, FUZZ_PLAIN,
						   FUZZ_STRANGER) : FUZZ_BEYOND);
		return;
	default:
		fuzz_make_data(maker, fuzz_sender(maker), FUZZ_OWN);
	}
}

/* ---- the way to hand it over ---- */

static enum fuzz_way fuzz_draw_way(struct fuzz_maker *maker)
{
	if (maker->packet->kind == FUZZ_FRAGMENTS || maker->packet->kind == FUZZ_BURST)
		return FUZZ_BY_TAP;
	switch (maker->plan->door) {
	case FUZZ_TX:
		return fuzz_one_of(maker, FUZZ_BY_TAP, FUZZ_BY_TAP, FUZZ_BY_TAP, FUZZ_BY_TAP,
				   FUZZ_BY_TAP, FUZZ_BY_PACKET, FUZZ_BY_RING, FUZZ_BY_SOCKET,
				   FUZZ_BY_SOCKET, FUZZ_BY_ZEROCOPY, FUZZ_BY_SEGMENT,
				   FUZZ_BY_CORK);
	case FUZZ_LINK:
		return fuzz_one_of(maker, FUZZ_BY_TAP, FUZZ_BY_TAP, FUZZ_BY_PACKET,
				   FUZZ_BY_RING);
	default:
		return FUZZ_BY_TAP;
	}
}

static enum fuzz_tap fuzz_draw_tap(struct fuzz_maker *maker)
{
	if (maker->plan->door == FUZZ_TX)
		return FUZZ_HOST;
	if (maker->plan->door == FUZZ_LINK)
		return fuzz_one_of(maker, FUZZ_UP0, FUZZ_PASS);
	return fuzz_one_of(maker, FUZZ_UP0, FUZZ_UP0, FUZZ_UP0, FUZZ_UP1, FUZZ_UP1, FUZZ_PASS,
			   FUZZ_SIDE);
}

/* The first piece is linear, and the others lie in pages. */
static void fuzz_draw_pieces(struct fuzz_maker *maker)
{
	struct fuzz_packet *packet = maker->packet;

	if (packet->tap != FUZZ_UP0 || packet->way != FUZZ_BY_TAP || packet->count != 1 ||
	    fuzz_chance(&maker->rng, 20))
		return;
	packet->pieces = 1 + fuzz_below(&maker->rng, FUZZ_PIECES - 1);
	packet->piece[0] = ETH_HLEN + fuzz_below(&maker->rng, 80);
	for (unsigned int i = 1; i < packet->pieces; i++)
		packet->piece[i] = 1 + fuzz_below(&maker->rng,
						  fuzz_chance(&maker->rng, 50) ? 12 : 300);
}

static void fuzz_begin(struct fuzz_maker *maker)
{
	struct fuzz_packet *packet = maker->packet;

	packet->count = 1;
	packet->swept = -1;
	packet->span = 0;
	packet->pieces = 0;
	packet->segment = 0;
	packet->mark = fuzz_chance(&maker->rng, 20);
	packet->frame[0].len = 0;
	packet->whole.len = 0;
	packet->vnet = (struct virtio_net_hdr) {};
	maker->frame = &packet->frame[0];
}

static void fuzz_draw(struct fuzz_maker *maker)
{
	struct fuzz_packet *packet = maker->packet;

	fuzz_begin(maker);
	packet->way = fuzz_draw_way(maker);
	packet->tap = fuzz_draw_tap(maker);
	fuzz_make_base(maker);
	if (packet->way >= FUZZ_BY_SOCKET)
		return;
	if (fuzz_tunnelled(maker))
		fuzz_reseal(maker);
	fuzz_break(maker);
	fuzz_draw_pieces(maker);
}

/* fuzz_make - draws until the packet is not a teacher's, if the plan allows none */
void fuzz_make(struct fuzz_packet *packet, const struct fuzz_plan *plan, uint64_t index)
{
	struct fuzz_maker maker = {
		.packet = packet,
		.plan = plan,
		.rng = { .state = plan->seed * 0x2545f4914f6cdd1dULL + index },
		.nth = fuzz_nth(index),
	};

	packet->door = plan->door;
	packet->kind = fuzz_turns[index % ARRAY_SIZE(fuzz_turns)];
	packet->v6 = maker.nth & 1;
	do
		fuzz_draw(&maker);
	while (plan->strange && fuzz_teaches(packet));
}

/* fuzz_make_flow - makes a packet of a tenant, as a working fabric has them */
void fuzz_make_flow(struct fuzz_packet *packet, unsigned int flow)
{
	const struct fuzz_plan plan = { .door = FUZZ_TX };
	struct fuzz_maker maker = { .packet = packet, .plan = &plan };

	packet->door = FUZZ_TX;
	packet->kind = FUZZ_VALID;
	packet->way = FUZZ_BY_TAP;
	packet->tap = FUZZ_HOST;
	packet->v6 = false;
	fuzz_begin(&maker);
	maker.rng.state = flow;
	do {
		packet->frame[0].len = 0;
		fuzz_make_tenant(&maker, 64);
	} while (packet->party != FUZZ_FRIEND || packet->frame[0].bytes[4] != 1);
}

/* fuzz_make_last - makes a datagram by the uplink with GRO, to a port that is used only for
 * it
 */
void fuzz_make_last(struct fuzz_packet *packet)
{
	struct fuzz_maker maker = { .packet = packet };

	packet->kind = FUZZ_VALID;
	packet->way = FUZZ_BY_TAP;
	packet->tap = FUZZ_UP1;
	fuzz_begin(&maker);
	fuzz_ethernet(&maker, fuzz_mac_box, fuzz_mac_peer, ETHERTYPE_IP);
	fuzz_ip(&maker, false, FUZZ_STRANGER, FUZZ_OWN, 64);
	fuzz_put16(fuzz_add(&maker, 8) + 2, FUZZ_PORT_LAST);
	fuzz_fill(&maker, 16);
	fuzz_seal(maker.frame, ETH_HLEN, ETH_HLEN + 20, true);
}
