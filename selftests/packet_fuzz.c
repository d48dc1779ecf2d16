// SPDX-License-Identifier: GPL-2.0
/*
 * packet_fuzz - hostile packets to each of the module's doors, and whether each becomes
 * what the manual says
 *
 *	packet_fuzz -o COMMAND...	run it with the taps, see below
 *	packet_fuzz -n NETNS -d rx|tx|link|control [-s SEED] [-c COUNT] [-i FIRST] [-S] [-v]
 *	packet_fuzz -n NETNS -b FLOWS	how many of these leave by each tap
 *
 * Packet i is made of the seed, i, and the nonces that the box told; -i begins later, so
 * that with -c 1 one is sent again. -S: none of them may teach anything. -v shows them.
 *
 * The taps are of the command and all that it starts: up0 (an uplink; packets lie in
 * pages, as they are handed over), up1 (an uplink with GRO), pass (a transit port), side
 * (no port), host (a tenant). All that a box would send by them is read here.
 *
 * Expected of each packet: what a raw socket hears of it, what is forwarded and what
 * leaves by a tunnel is as it was sent, but for the stamp; control packets are consumed;
 * no local process's stamp leaves. Counters are added up for packet_fuzz.sh.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "fuzz_progress.h"
#include "packet_fuzz.h"

#define FUZZ_SHOWN	10		/* findings, with all their bytes */
#define FUZZ_LINE	16		/* bytes */
#define FUZZ_LOG_EACH	1000		/* packets */
#define FUZZ_LAST_MS	30000		/* for a machine with other things to do */
#define FUZZ_LISTEN	512		/* packets; then as many that nobody listens to */

struct fuzz_counts {
	unsigned long sent, refused, came;
};

/* What the box must have counted of packets that it delivered. */
struct fuzz_model {
	unsigned long stamped, foreign, malformed, truncated, control, unsure;
};

static struct fuzz_run {
	const char *netns;
	struct fuzz_plan plan;
	uint64_t first, count;
	unsigned int flows;
	bool shows;
	int listener;
	struct fuzz_counts kinds[FUZZ_KINDS], ways[FUZZ_WAYS];
	bool swept[2][FUZZ_KINDS][FUZZ_SPAN];
	int span[2][FUZZ_KINDS];
	struct fuzz_model model;
	unsigned long findings, left[FUZZ_TAPS];
} fuzz = { .plan.seed = 1, .plan.door = FUZZ_DOORS, .count = 10000, .listener = -1 };

static struct fuzz_packet fuzz_packet;

/* A kernel thread may have what is sent to the uplink with GRO: when this is heard, all
 * before it came through.
 */
static struct fuzz_packet fuzz_last;
static bool fuzz_last_heard;

/* ---- findings ---- */

static void fuzz_print_bytes(const char *what, const uint8_t *bytes, size_t len)
{
	size_t i;

	printf("#  %s, %zu bytes:", what, len);
	for (i = 0; i < len && i < 32 * FUZZ_LINE; i++)
		printf("%s%02x", i % FUZZ_LINE ? " " : "\n#   ", bytes[i]);
	putchar('\n');
}

static void fuzz_print(const struct fuzz_packet *packet, uint64_t index)
{
	unsigned int i;

	printf("# packet %" PRIu64 ": %s, %s, by %s %s, IPv%d, virtio flags %x gso %x size %u ",
	       index, fuzz_doors[packet->door], fuzz_kinds[packet->kind],
	       fuzz_ways[packet->way], fuzz_taps[packet->tap], packet->v6 ? 6 : 4,
	       packet->vnet.flags, packet->vnet.gso_type, packet->vnet.gso_size);
	printf("csum %u+%u hdr %u, %u pieces\n", packet->vnet.csum_start,
	       packet->vnet.csum_offset, packet->vnet.hdr_len, packet->pieces);
	for (i = 0; i < packet->count; i++)
		fuzz_print_bytes("sent", packet->frame[i].bytes, packet->frame[i].len);
}

static void fuzz_finding(uint64_t index, const char *what, const uint8_t *got, size_t len)
{
	if (fuzz.findings++ >= FUZZ_SHOWN)
		return;
	printf("# finding: %s; seed %" PRIu64 " index %" PRIu64 " door %s\n", what,
	       fuzz.plan.seed, index, fuzz_doors[fuzz.plan.door]);
	fuzz_print(&fuzz_packet, index);
	fuzz_print_bytes("got", got, len);
	fflush(stdout);
}

/* ---- what comes out ---- */

/* Nobody can say which bytes these become; that no stamp is left can be said. */
static bool fuzz_is_merged(const struct fuzz_packet *packet)
{
	return packet->kind == FUZZ_BURST || packet->vnet.gso_type;
}

static bool fuzz_summed(const struct fuzz_packet *packet)
{
	return !packet->vnet.flags && !packet->vnet.gso_type;
}

/* Which frame is it? The verdict of the best that there is. */
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
		fuzz.model.truncated++;
	else if (fuzz_stamped(view))
		fuzz.model.stamped++;
	else if (!(view->word & 0x08000000))
		fuzz.model.malformed++;
	else if (!fuzz_blank(view))
		fuzz.model.foreign++;
}

/* A frame around what a raw socket hears, to look at. */
static void fuzz_wrap(struct fuzz_frame *frame, const uint8_t *ip, size_t len)
{
	memset(frame->bytes, 0, ETH_HLEN);
	fuzz_put16(frame->bytes + ETH_HLEN - 2, ETHERTYPE_IP);
	memcpy(frame->bytes + ETH_HLEN, ip, len);
	frame->len = ETH_HLEN + len;
}

/* LOCAL_IN sees fragments of IPv6, and if the VXLAN header is in none, none is VXLAN. */
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
		fuzz.model.unsure += packet->count;
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
			fuzz_finding(index, wrong, got, len);
	}
	return came;
}

/* Its own nonces are in each hello. */
static void fuzz_learn(const struct fuzz_view *view, const struct fuzz_frame *frame)
{
	struct fuzz_heard *heard = &fuzz.plan.heard;
	uint32_t nonce;

	if (view->end < view->l4 + 40)
		return;
	nonce = fuzz_get32(frame->bytes + view->l4 + 32);
	if (nonce)
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
			fuzz.left[tap]++;
		wrong = tap == FUZZ_HOST ? NULL : fuzz_wrong_left(packet, frame, &view);
		if (wrong)
			fuzz_finding(index, wrong, frame->bytes, frame->len);
	}
	return left;
}

static unsigned int fuzz_look_around(const struct fuzz_packet *packet, uint64_t index)
{
	unsigned int came = 0;
	char nothing[1];
	int tap;

	for (tap = 0; tap < FUZZ_TAPS; tap++)
		came += fuzz_look_at(packet, index, tap);
	came += fuzz_hear(packet, index, false) + fuzz_hear(packet, index, true);
	while (fuzz.listener >= 0 &&
	       recv(fuzz.listener, nothing, sizeof(nothing), MSG_DONTWAIT) >= 0)
		;
	return came;
}

/* All that became of a packet, also of one that a kernel thread still has. */
static unsigned int fuzz_await(const struct fuzz_packet *packet, uint64_t index)
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

/* ---- one after the other ---- */

/* With somebody who listens, every packet has a second owner. */
static void fuzz_listen(bool on)
{
	bool listens = fuzz.listener >= 0;

	if (on == listens)
		return;
	if (on) {
		fuzz.listener = fuzz_socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK, htons(ETH_P_ALL));
		return;
	}
	close(fuzz.listener);
	fuzz.listener = -1;
}

/* Packets that may have been counted, and were not heard. */
static void fuzz_count_unsure(const struct fuzz_packet *packet, unsigned int came)
{
	struct fuzz_view view;
	unsigned int i;

	for (i = 0; i < packet->count; i++) {
		fuzz_look(&view, &packet->frame[i]);
		if (packet->kind == FUZZ_STARVED || (view.v6 && (view.odd || view.fragment)))
			fuzz.model.unsure++;
		else if (!came && fuzz_control(&view))
			fuzz.model.control++;
	}
}

static void fuzz_note(const struct fuzz_packet *packet, bool sent, unsigned int came)
{
	struct fuzz_counts *counts[] = { &fuzz.kinds[packet->kind], &fuzz.ways[packet->way] };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(counts); i++) {
		counts[i]->sent++;
		counts[i]->refused += !sent;
		counts[i]->came += came > 0;
	}
	if (packet->swept >= 0 && packet->way < FUZZ_BY_SOCKET) {
		fuzz.swept[packet->v6][packet->kind][packet->swept] = true;
		if (packet->span > fuzz.span[packet->v6][packet->kind])
			fuzz.span[packet->v6][packet->kind] = packet->span;
	}
	fuzz_count_unsure(packet, came);
}

static void fuzz_one(uint64_t index)
{
	struct fuzz_packet *packet = &fuzz_packet;
	const char *wrong = NULL;
	unsigned int came;
	bool sent;

	fuzz_make(packet, &fuzz.plan, index);
	if (fuzz.shows)
		fuzz_print(packet, index);
	fuzz_listen(index / FUZZ_LISTEN % 2);
	fuzz_starve(packet->kind == FUZZ_STARVED);
	sent = fuzz_send(packet, &wrong);
	fuzz_starve(false);
	if (wrong)
		fuzz_finding(index, wrong, packet->frame[0].bytes, packet->frame[0].len);
	came = fuzz_await(packet, index);
	fuzz_note(packet, sent, came);
	fuzz_sent(packet);
}

/* What came before the first packet is of nobody's. */
static void fuzz_drain(void)
{
	static uint8_t nothing[FUZZ_BYTES];
	int i;

	for (i = 0; i < FUZZ_TAPS; i++)
		while (read(FUZZ_FD + i, nothing, sizeof(nothing)) >= 0)
			;
	for (i = 0; i < 2; i++)
		while (recv(fuzz_fds.raw[i], nothing, sizeof(nothing), 0) >= 0)
			;
}

/* A machine that goes down leaves nothing else behind. */
static void fuzz_log(uint64_t index)
{
	int fd = open("/dev/kmsg", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	dprintf(fd, "packet_fuzz: %s, seed %" PRIu64 ", from packet %" PRIu64 " on\n",
		fuzz_doors[fuzz.plan.door], fuzz.plan.seed, index);
	close(fd);
}

static void fuzz_all(void)
{
	uint64_t i;

	fuzz_make_last(&fuzz_last);
	fuzz_drain();
	for (i = fuzz.first; i < fuzz.first + fuzz.count; i++) {
		if ((i - fuzz.first) % FUZZ_LOG_EACH == 0)
			fuzz_log(i);
		fuzz_progress(i - fuzz.first, fuzz.count, "packets");
		fuzz_one(i);
	}
}

/* ---- the report ---- */

static void fuzz_report_counts(const char *what, const char *name, const struct fuzz_counts *counts)
{
	if (counts->sent)
		printf("# %s %s: %lu sent, %lu refused, of %lu something was seen\n", what, name,
		       counts->sent, counts->refused, counts->came);
}

static void fuzz_report_sweep(enum fuzz_kind kind)
{
	int v6, i, hit;

	for (v6 = 0; v6 < 2; v6++) {
		for (i = 0, hit = 0; i < fuzz.span[v6][kind]; i++)
			hit += fuzz.swept[v6][kind][i];
		printf("# sweep %s %s IPv%d: %d of %d\n", fuzz_doors[fuzz.plan.door],
		       fuzz_kinds[kind], v6 ? 6 : 4, hit, fuzz.span[v6][kind]);
	}
}

static void fuzz_report(void)
{
	const struct fuzz_model *model = &fuzz.model;
	int i;

	for (i = 0; i < FUZZ_KINDS; i++)
		fuzz_report_counts("kind", fuzz_kinds[i], &fuzz.kinds[i]);
	for (i = 0; i < FUZZ_WAYS; i++)
		fuzz_report_counts("way", fuzz_ways[i], &fuzz.ways[i]);
	fuzz_report_sweep(FUZZ_BYTE);
	fuzz_report_sweep(FUZZ_TRUNCATED);
	printf("# model rx_stamped=%lu rx_foreign=%lu rx_malformed=%lu rx_truncated=%lu ",
	       model->stamped, model->foreign, model->malformed, model->truncated);
	printf("rx_control=%lu unsure=%lu\n", model->control, model->unsure);
	printf("# door %s, seed %" PRIu64 ", packets %" PRIu64 " to %" PRIu64 ": %lu findings\n",
	       fuzz_doors[fuzz.plan.door], fuzz.plan.seed, fuzz.first,
	       fuzz.first + fuzz.count - 1, fuzz.findings);
}

/* As of a fabric that works: a packet of each flow. */
static void fuzz_balance(void)
{
	const char *wrong;
	unsigned int i;

	fuzz.plan.door = FUZZ_TX;
	fuzz_drain();
	for (i = 0; i < fuzz.flows; i++) {
		fuzz_make_flow(&fuzz_packet, i);
		fuzz_send(&fuzz_packet, &wrong);
		fuzz_look_around(&fuzz_packet, i);
	}
	for (i = 0; i < FUZZ_TAPS; i++)
		printf("%s=%lu\n", fuzz_taps[i], fuzz.left[i]);
}

static void fuzz_usage(void)
{
	fputs("usage: packet_fuzz -n NETNS -d rx|tx|link|control [-s SEED] [-c COUNT]\n"
	      "                   [-i FIRST] [-Sv]\n"
	      "       packet_fuzz -n NETNS -b FLOWS\n"
	      "       packet_fuzz -o COMMAND...\n", stderr);
	exit(2);
}

static enum fuzz_door fuzz_door(const char *name)
{
	int i;

	for (i = 0; i < FUZZ_DOORS && strcmp(name, fuzz_doors[i]); i++)
		;
	return i;
}

static void fuzz_options(int argc, char **argv)
{
	int option;

	while ((option = getopt(argc, argv, "+on:d:s:c:i:b:Sv")) != -1)
		switch (option) {
		case 'o':
			if (optind == argc)
				fuzz_usage();
			fuzz_open_taps(argv + optind);
			break;
		case 'n':
			fuzz.netns = optarg;
			break;
		case 'd':
			fuzz.plan.door = fuzz_door(optarg);
			break;
		case 's':
			fuzz.plan.seed = strtoull(optarg, NULL, 0);
			break;
		case 'c':
			fuzz.count = strtoull(optarg, NULL, 0);
			break;
		case 'i':
			fuzz.first = strtoull(optarg, NULL, 0);
			break;
		case 'b':
			fuzz.flows = strtoul(optarg, NULL, 0);
			break;
		case 'S':
			fuzz.plan.strange = true;
			break;
		case 'v':
			fuzz.shows = true;
			break;
		default:
			fuzz_usage();
		}
	if (!fuzz.netns || optind != argc || (!fuzz.flows && fuzz.plan.door == FUZZ_DOORS))
		fuzz_usage();
}

int main(int argc, char **argv)
{
	fuzz_options(argc, argv);
	fuzz_open(fuzz.netns);
	if (fuzz.flows) {
		fuzz_balance();
		return EXIT_SUCCESS;
	}
	fuzz_all();
	fuzz_report();
	return fuzz.findings ? EXIT_FAILURE : EXIT_SUCCESS;
}
