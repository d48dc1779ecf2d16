// SPDX-License-Identifier: GPL-2.0
/*
 * packet_fuzz_watch.c - reads all packets that raw sockets receive and that leave by a
 * tap, judges them, and reports a wrong packet as a finding
 */
#include <err.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "packet_fuzz.h"

#define FUZZ_PRINTED	512		/* bytes of a frame, at most */
#define FUZZ_LAST_MS	30000		/* for a machine with other things to do */

struct fuzz_seen fuzz_seen;

static int fuzz_listener = -1;

/* A kernel thread may hold packets that are sent to the uplink with GRO: when this packet
 * arrives, all previous ones have passed.
 */
static struct fuzz_packet fuzz_last;
static bool fuzz_last_heard;

/* ---- findings ---- */

static void fuzz_print_frame(const char *what, const uint8_t *bytes, size_t len)
{
	printf("#  %s, %zu bytes:", what, len);
	fuzz_print_bytes(bytes, len < FUZZ_PRINTED ? len : FUZZ_PRINTED);
}

void fuzz_print(const struct fuzz_packet *packet, uint64_t index)
{
	unsigned int i;

	printf("# packet %" PRIu64 ": %s, %s, by %s %s, IPv%d, virtio flags %x gso %x size %u ",
	       index, fuzz_doors[packet->door], fuzz_kinds[packet->kind],
	       fuzz_ways[packet->way], fuzz_taps[packet->tap], packet->v6 ? 6 : 4,
	       packet->vnet.flags, packet->vnet.gso_type, packet->vnet.gso_size);
	printf("csum %u+%u hdr %u, %u pieces\n", packet->vnet.csum_start,
	       packet->vnet.csum_offset, packet->vnet.hdr_len, packet->pieces);
	for (i = 0; i < packet->count; i++)
		fuzz_print_frame("sent", packet->frame[i].bytes, packet->frame[i].len);
}

void fuzz_finding(const struct fuzz_packet *packet, uint64_t index, const char *what,
		  const uint8_t *got, size_t len)
{
	if (!fuzz_finding_begin(index, what))
		return;
	printf(" door %s\n", fuzz_doors[fuzz_seen.plan->door]);
	fuzz_print(packet, index);
	fuzz_print_frame("got", got, len);
	fflush(stdout);
}

/* ---- output ---- */

/* The bytes of the result are unknown, but it must have no stamp. */
static bool fuzz_is_merged(const struct fuzz_packet *packet)
{
	return packet->kind == FUZZ_BURST || packet->vnet.gso_type;
}

static bool fuzz_summed(const struct fuzz_packet *packet)
{
	return !packet->vnet.flags && !packet->vnet.gso_type;
}

/* Finds the frame, and returns the verdict of the best match. */
static const char *fuzz_match(const struct fuzz_packet *packet, const uint8_t *got, size_t len,
			      enum fuzz_change change, struct fuzz_view *view)
{
	const char *wrong = "nothing like it was sent", *found;
	unsigned int i, count = packet->whole.len ? packet->count + 1 : packet->count;
	const struct fuzz_frame *frame;

	for (i = 0; i < count; i++) {
		frame = i < packet->count ? &packet->frame[i] : &packet->whole;
		fuzz_look(view, frame);
		if (!view->ip || view->end - view->l4 != len)
			continue;
		found = fuzz_compare(view, frame, got, len, change, fuzz_summed(packet));
		if (!found)
			return NULL;
		wrong = found;
	}
	return wrong;
}

static void fuzz_count_model(const struct fuzz_view *view)
{
	if (!view->to_port)
		return;
	if (view->truncated)
		fuzz_seen.model.truncated++;
	else if (fuzz_stamped(view))
		fuzz_seen.model.stamped++;
	else if (!(view->word & 0x08000000))
		fuzz_seen.model.malformed++;
	else if (!fuzz_blank(view))
		fuzz_seen.model.foreign++;
}

/* Builds a frame around the packet that a raw socket received, to read it. */
static void fuzz_wrap(struct fuzz_frame *frame, const uint8_t *ip, size_t len)
{
	memset(frame->bytes, 0, ETH_HLEN);
	fuzz_put16(frame->bytes + ETH_HLEN - 2, ETHERTYPE_IP);
	memcpy(frame->bytes + ETH_HLEN, ip, len);
	frame->len = ETH_HLEN + len;
}

/* LOCAL_IN sees fragments of IPv6; if no fragment has the VXLAN header, none is VXLAN. */
static bool fuzz_is_split(const struct fuzz_packet *packet)
{
	struct fuzz_view view;
	unsigned int i;

	if (packet->kind != FUZZ_FRAGMENTS || !packet->v6)
		return false;
	for (i = 0; i < packet->count; i++) {
		fuzz_look(&view, &packet->frame[i]);
		if (view.to_port && view.truncated)
			return true;
	}
	return false;
}

static const char *fuzz_wrong_heard(const struct fuzz_packet *packet, const uint8_t *got,
				    size_t len, bool v6)
{
	static struct fuzz_frame frame;
	struct fuzz_view view;
	const char *wrong;

	if (!v6) {
		fuzz_wrap(&frame, got, len);
		fuzz_look(&view, &frame);
		if (fuzz_stamped(&view) && packet->kind != FUZZ_STARVED)
			return "delivered with its stamp";
		got = frame.bytes + view.l4;
		len = frame.len - view.l4;
	}
	if (fuzz_is_merged(packet)) {
		fuzz_seen.model.unsure += packet->count;
		return NULL;
	}
	wrong = fuzz_match(packet, got, len, FUZZ_CLEARED, &view);
	if (wrong && (packet->kind == FUZZ_STARVED || fuzz_is_split(packet)))
		wrong = fuzz_match(packet, got, len, FUZZ_SAME, &view);
	if (wrong || fuzz_is_split(packet))
		return wrong;
	fuzz_count_model(&view);
	return fuzz_control(&view) ? "a control packet was delivered" : NULL;
}

static bool fuzz_is_last(const uint8_t *got, size_t len)
{
	const struct fuzz_frame *frame = &fuzz_last.frame[0];

	return frame->len == len + ETH_HLEN && !memcmp(frame->bytes + ETH_HLEN, got, len);
}

static unsigned int fuzz_hear(const struct fuzz_packet *packet, uint64_t index, bool v6)
{
	static uint8_t got[FUZZ_BYTES];
	unsigned int came = 0;
	const char *wrong;
	ssize_t len;

	while ((len = recv(fuzz_fds.raw[v6], got, sizeof(got), 0)) >= 0) {
		if (fuzz_is_last(got, len)) {
			fuzz_last_heard = true;
			continue;
		}
		if (packet->door == FUZZ_TX)
			continue;
		came++;
		wrong = fuzz_wrong_heard(packet, got, len, v6);
		if (wrong)
			fuzz_finding(packet, index, wrong, got, len);
	}
	return came;
}

/* Each hello contains the node's own nonces. */
static void fuzz_learn(const struct fuzz_view *view, const struct fuzz_frame *frame)
{
	struct fuzz_heard *heard = &fuzz_seen.plan->heard;
	uint64_t nonce;

	if (view->end < view->l4 + 48)
		return;
	nonce = fuzz_get32(frame->bytes + view->l4 + 32);
	if (!nonce)
		return;
	nonce |= (uint64_t)fuzz_get32(frame->bytes + view->l4 + 40) << 32;
	(view->v6 ? heard->nonce6 : heard->nonce)[view->party] = nonce;
}

/* A datagram of a local process, the first part of one, or one of many. */
static const char *fuzz_wrong_local(const struct fuzz_packet *packet,
				    const struct fuzz_frame *got, const struct fuzz_view *view)
{
	const struct fuzz_frame *sent = &packet->frame[0];
	size_t size = packet->segment ? packet->segment : sent->len, at, len;
	const uint8_t *payload = got->bytes + view->l4 + 8;
	struct fuzz_view was = { .to_port = view->to_port };

	if (view->later || view->protocol != IPPROTO_UDP || view->dport != packet->port)
		return NULL;
	if (!view->fragment && !view->partial && view->sum && fuzz_udp_sum(view, got) != 0xffff)
		return "its checksum is wrong";
	len = view->end - view->l4 - 8;
	for (at = 0; at <= sent->len && len <= sent->len - at; at += size ? : 1) {
		uint32_t word;

		if (len < 8) {
			if (!memcmp(payload, sent->bytes + at, len))
				return NULL;
			continue;
		}
		was.word = fuzz_get32(sent->bytes + at);
		was.vni = fuzz_get32(sent->bytes + at + 4);
		word = fuzz_stamped(&was) ? fuzz_clear(was.word) : was.word;
		if (fuzz_get32(payload) == word &&
		    !memcmp(payload + 4, sent->bytes + at + 4, len - 4))
			return NULL;
	}
	return "a local process's datagram is not as it was, or has a stamp";
}

static const char *fuzz_wrong_left(const struct fuzz_packet *packet,
				   const struct fuzz_frame *got, const struct fuzz_view *view)
{
	bool own = view->source == FUZZ_OWN;
	struct fuzz_view was;

	if (packet->door == FUZZ_LINK && packet->way != FUZZ_BY_TAP && packet->count == 1 &&
	    !packet->vnet.gso_type && got->len == packet->frame[0].len &&
	    !memcmp(got->bytes, packet->frame[0].bytes, got->len))
		return NULL;
	if (own && fuzz_control(view)) {
		fuzz_learn(view, got);
		return NULL;
	}
	if (own && packet->door == FUZZ_TX)
		return packet->way >= FUZZ_BY_SOCKET ? fuzz_wrong_local(packet, got, view) :
		       view->to_port && !view->fragment ?
		       fuzz_wrong_tunnel(packet, got, view) : NULL;
	if (own || packet->door == FUZZ_TX || fuzz_is_merged(packet) || packet->vnet.flags ||
	    view->protocol == IPPROTO_ICMP || view->protocol == IPPROTO_ICMPV6)
		return NULL;
	return fuzz_match(packet, got->bytes + view->l4, view->end - view->l4, FUZZ_RAISED,
			  &was);
}

static unsigned int fuzz_look_at(const struct fuzz_packet *packet, uint64_t index, int tap)
{
	static struct { struct virtio_net_hdr vnet; struct fuzz_frame frame; } got;
	struct fuzz_frame *frame = &got.frame;
	struct iovec parts[] = {
		{ &got.vnet, sizeof(got.vnet) }, { frame->bytes, sizeof(frame->bytes) },
	};
	struct fuzz_view view;
	unsigned int left = 0;
	const char *wrong;
	ssize_t len;

	while ((len = readv(FUZZ_FD + tap, parts, ARRAY_SIZE(parts))) >= 0) {
		frame->len = len - sizeof(got.vnet);
		fuzz_look(&view, frame);
		if (!view.ip)
			continue;
		view.partial = got.vnet.flags & VIRTIO_NET_HDR_F_NEEDS_CSUM;
		left++;
		if (view.to_port && view.source == FUZZ_OWN)
			fuzz_seen.left[tap]++;
		wrong = tap == FUZZ_HOST ? NULL : fuzz_wrong_left(packet, frame, &view);
		if (wrong)
			fuzz_finding(packet, index, wrong, frame->bytes, frame->len);
	}
	return left;
}

unsigned int fuzz_look_around(const struct fuzz_packet *packet, uint64_t index)
{
	unsigned int came = 0;
	char nothing[1];
	int tap;

	for (tap = 0; tap < FUZZ_TAPS; tap++)
		came += fuzz_look_at(packet, index, tap);
	came += fuzz_hear(packet, index, false) + fuzz_hear(packet, index, true);
	while (fuzz_listener >= 0 &&
	       recv(fuzz_listener, nothing, sizeof(nothing), MSG_DONTWAIT) >= 0)
		;
	return came;
}

/* Reads all results of a packet, also of one that a kernel thread still holds. */
unsigned int fuzz_await(const struct fuzz_packet *packet, uint64_t index)
{
	struct pollfd raw = { .fd = fuzz_fds.raw[false], .events = POLLIN };
	unsigned int came = 0;
	const char *wrong;

	if (packet->way == FUZZ_BY_TAP && packet->tap == FUZZ_UP1) {
		fuzz_last_heard = false;
		fuzz_send(&fuzz_last, &wrong);
		while (!fuzz_last_heard) {
			if (poll(&raw, 1, FUZZ_LAST_MS) <= 0)
				errx(EXIT_FAILURE, "what is sent to up1 does not come through");
			came += fuzz_look_around(packet, index);
		}
	}
	return came + fuzz_look_around(packet, index);
}

/* ---- preparation ---- */

/* While a socket listens, every packet has a second owner. */
void fuzz_listen(bool on)
{
	bool listens = fuzz_listener >= 0;

	if (on == listens)
		return;
	if (on) {
		fuzz_listener = fuzz_socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK, htons(ETH_P_ALL));
		return;
	}
	close(fuzz_listener);
	fuzz_listener = -1;
}

/* Packets that arrived before the first one are ignored. */
void fuzz_watch(struct fuzz_plan *plan)
{
	static uint8_t nothing[FUZZ_BYTES];
	int i;

	fuzz_seen.plan = plan;
	fuzz_make_last(&fuzz_last);
	for (i = 0; i < FUZZ_TAPS; i++)
		while (read(FUZZ_FD + i, nothing, sizeof(nothing)) >= 0)
			;
	for (i = 0; i < 2; i++)
		while (recv(fuzz_fds.raw[i], nothing, sizeof(nothing), 0) >= 0)
			;
}
