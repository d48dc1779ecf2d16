/* SPDX-License-Identifier: GPL-2.0 */
/*
 * packet_fuzz - hostile packets to each of the module's hooks
 *
 * packet_fuzz.c sends one after the other and counts, packet_fuzz_make.c makes a packet of
 * a seed and an index, packet_fuzz_break.c breaks it, packet_fuzz_send.c hands it over,
 * packet_fuzz_watch.c reads the output, and packet_fuzz_judge.c implements the wire format
 * a second time, and knows the allowed results. packet_fuzz.sh sets up the world that they
 * share.
 */
#ifndef PACKET_FUZZ_H
#define PACKET_FUZZ_H

#include <linux/virtio_net.h>
#include <net/ethernet.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "fuzz_driver.h"
#include "fuzz_random.h"

#define FUZZ_FRAMES	6		/* of a packet in fragments, or of a burst */
#define FUZZ_BYTES	65600		/* of a frame */
#define FUZZ_PIECES	8		/* in which a frame is handed over */
#define FUZZ_SPAN	176		/* header bytes that are swept, at most */

/* ---- the world ---- */

enum fuzz_tap {
	FUZZ_UP0,			/* an uplink, whose packets lie in pages */
	FUZZ_UP1,			/* an uplink with GRO */
	FUZZ_PASS,			/* a transit port */
	FUZZ_SIDE,			/* no port */
	FUZZ_HOST,			/* a tenant, on the bridge with the tunnels */
	FUZZ_TAPS
};

/* Addresses are given by the last byte: IPv4 10.0.0.N and IPv6 fd00::N. */
enum fuzz_party {
	FUZZ_OWN	= 11,
	FUZZ_FRIEND	= 21,		/* a conga leaf */
	FUZZ_AUTO,
	FUZZ_PLAIN,
	FUZZ_ASTRAY,			/* a conga leaf, whose route is by no port */
	FUZZ_SECRET,			/* a leaf behind IPsec, only IPv4 */
	FUZZ_STRANGER	= 77,		/* no leaf */
	FUZZ_BEYOND	= 99,		/* a leaf for who passes, behind the transit port */
};

#define FUZZ_PORT	4789		/* the tunnels' */
#define FUZZ_PORT_GPE	4790		/* of the fabric, but of no tunnel */
#define FUZZ_PORT_OTHER	8472		/* the same */
#define FUZZ_PORT_LAST	9		/* of no fabric */
#define FUZZ_VNI	100
#define FUZZ_VNI_CONTROL 0xfffffe

/* ---- packets ---- */

enum fuzz_door { FUZZ_RX, FUZZ_TX, FUZZ_LINK, FUZZ_CONTROL, FUZZ_DOORS };

enum fuzz_kind {
	FUZZ_VALID,
	FUZZ_BYTE,			/* one of the outer headers is another */
	FUZZ_BITS,			/* some are turned over */
	FUZZ_TRUNCATED,
	FUZZ_LENGTHS,			/* that say something else than there is */
	FUZZ_FRAGMENTS,
	FUZZ_OPTIONS,			/* or extension headers */
	FUZZ_VLAN,			/* tags, one or more */
	FUZZ_GSO,			/* larger than a frame, also wrongly so */
	FUZZ_PARTIAL,			/* a checksum is left to others, also wrongly */
	FUZZ_BURST,			/* of a flow, as GRO merges it */
	FUZZ_STARVED,			/* allocations fail by chance */
	FUZZ_KINDS
};

enum fuzz_way {
	FUZZ_BY_TAP,
	FUZZ_BY_PACKET,			/* AF_PACKET, with a virtio header */
	FUZZ_BY_RING,			/* AF_PACKET, PACKET_TX_RING */
	FUZZ_BY_SOCKET,			/* UDP */
	FUZZ_BY_ZEROCOPY,		/* UDP, MSG_ZEROCOPY */
	FUZZ_BY_SEGMENT,		/* UDP, UDP_SEGMENT */
	FUZZ_BY_CORK,			/* UDP, MSG_MORE */
	FUZZ_WAYS
};

struct fuzz_frame {
	size_t len;
	uint8_t bytes[FUZZ_BYTES];
};

struct fuzz_packet {
	enum fuzz_door door;
	enum fuzz_kind kind;
	enum fuzz_way way;
	enum fuzz_tap tap;
	bool v6;
	enum fuzz_party party;		/* at the other end */
	uint16_t port;			/* of a socket's packet */
	unsigned int segment;		/* bytes, of FUZZ_BY_SEGMENT */
	unsigned int mark;		/* of FUZZ_BY_PACKET */
	int swept;			/* the byte or length of a sweep; -1: none */
	int span;			/* of how many */
	struct virtio_net_hdr vnet;
	unsigned int pieces;
	uint16_t piece[FUZZ_PIECES];
	unsigned int count;		/* of frames */
	struct fuzz_frame frame[FUZZ_FRAMES];
	struct fuzz_frame whole;	/* of fragments; else empty */
};

extern const char * const fuzz_doors[FUZZ_DOORS];
extern const char * const fuzz_kinds[FUZZ_KINDS];
extern const char * const fuzz_ways[FUZZ_WAYS];

/* Nonces that the node sent, by the last byte of the receiver. */
struct fuzz_heard {
	uint64_t nonce[256];
	uint64_t nonce6[256];
};

/* The rules by which packets are drawn at random. */
struct fuzz_plan {
	enum fuzz_door door;
	uint64_t seed;
	bool strange;			/* none of them may teach anything */
	struct fuzz_heard heard;
};

void fuzz_make(struct fuzz_packet *packet, const struct fuzz_plan *plan, uint64_t index);
void fuzz_make_flow(struct fuzz_packet *packet, unsigned int flow);
void fuzz_make_last(struct fuzz_packet *packet);

/* ---- handing it over ---- */

#define FUZZ_FD		20		/* of the first tap */

struct fuzz_fds {
	int raw[2], udp[2];		/* of IPv4, IPv6 */
	int packet, ring;
	int starve;			/* -1: the kernel cannot */
};

extern const char * const fuzz_taps[FUZZ_TAPS];
extern struct fuzz_fds fuzz_fds;

void fuzz_open_taps(char **command);
void fuzz_open(const char *netns);
int fuzz_socket(int family, int type, int protocol);
void fuzz_starve(bool on);
bool fuzz_send(const struct fuzz_packet *packet, const char **wrong);
void fuzz_sent(const struct fuzz_packet *packet);

/* ---- the judge ---- */

/* A frame as the wire format defines it. */
struct fuzz_view {
	bool ip, v6, fragment, later, odd;	/* odd: options or extension headers */
	size_t network, l4, end;		/* offsets; end is where IP says */
	uint8_t protocol, ttl;
	uint8_t source, party;			/* last bytes of addresses of the world, or 0 */
	bool to_link;
	bool partial;				/* its sum is left to the device */
	uint16_t sport, dport, sum;
	bool to_port;				/* UDP to one of the fabric's */
	bool truncated;				/* and too short for a VXLAN header */
	uint32_t word, vni;
};

enum fuzz_change {
	FUZZ_SAME,
	FUZZ_CLEARED,			/* a stamp is gone, all else is as it was */
	FUZZ_RAISED,			/* CE may be higher, byte 3 another */
};

void fuzz_look(struct fuzz_view *view, const struct fuzz_frame *frame);
bool fuzz_stamped(const struct fuzz_view *view);
bool fuzz_control(const struct fuzz_view *view);
bool fuzz_blank(const struct fuzz_view *view);
bool fuzz_teaches(const struct fuzz_packet *packet);
const char *fuzz_compare(const struct fuzz_view *view, const struct fuzz_frame *sent,
			 const uint8_t *got, size_t len, enum fuzz_change change, bool summed);
const char *fuzz_wrong_tunnel(const struct fuzz_packet *packet, const struct fuzz_frame *got,
			      const struct fuzz_view *view);
uint32_t fuzz_clear(uint32_t word);
uint32_t fuzz_sum(const uint8_t *bytes, size_t len);
uint16_t fuzz_udp_sum(const struct fuzz_view *view, const struct fuzz_frame *frame);

static inline uint16_t fuzz_get16(const uint8_t *at)
{
	return at[0] << 8 | at[1];
}

static inline uint32_t fuzz_get32(const uint8_t *at)
{
	return (uint32_t)fuzz_get16(at) << 16 | fuzz_get16(at + 2);
}

static inline void fuzz_put16(uint8_t *at, uint16_t value)
{
	at[0] = value >> 8;
	at[1] = value;
}

static inline void fuzz_put32(uint8_t *at, uint32_t value)
{
	fuzz_put16(at, value >> 16);
	fuzz_put16(at + 2, value);
}

/* ---- results ---- */

/* The node must have counted these packets that it delivered. */
struct fuzz_model {
	unsigned long stamped, foreign, malformed, truncated, control, unsure;
};

struct fuzz_seen {
	struct fuzz_plan *plan;		/* learns the nonces that are told */
	struct fuzz_model model;
	unsigned long left[FUZZ_TAPS];	/* of the box's own to one of the fabric's ports */
};

extern struct fuzz_seen fuzz_seen;

void fuzz_watch(struct fuzz_plan *plan);
void fuzz_listen(bool on);
void fuzz_print(const struct fuzz_packet *packet, uint64_t index);
void fuzz_finding(const struct fuzz_packet *packet, uint64_t index, const char *what,
		  const uint8_t *got, size_t len);
unsigned int fuzz_look_around(const struct fuzz_packet *packet, uint64_t index);
unsigned int fuzz_await(const struct fuzz_packet *packet, uint64_t index);

#endif
