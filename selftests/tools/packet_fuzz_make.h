/* SPDX-License-Identifier: GPL-2.0 */
/* A packet in the making, which packet_fuzz_make.c and packet_fuzz_break.c share. */
#ifndef PACKET_FUZZ_MAKE_H
#define PACKET_FUZZ_MAKE_H

#include "packet_fuzz.h"

struct fuzz_maker {
	struct fuzz_packet *packet;
	const struct fuzz_plan *plan;
	struct fuzz_rng rng;
	uint64_t nth;			/* of its kind */
	struct fuzz_frame *frame;
	size_t network, udp;		/* where headers begin, and */
	size_t headers;			/* where they end */
};

static inline uint8_t fuzz_pick(struct fuzz_maker *maker, const uint8_t *from, size_t count)
{
	return from[fuzz_below(&maker->rng, count)];
}

#define fuzz_one_of(maker, ...)	({					\
		static const uint8_t choices_[] = { __VA_ARGS__ };	\
		fuzz_pick(maker, choices_, ARRAY_SIZE(choices_));	\
	})

/* Returns whether it is a tunnel's packet, and not a tenant's frame. */
static inline bool fuzz_tunnelled(const struct fuzz_maker *maker)
{
	return maker->packet->door != FUZZ_TX;
}

void fuzz_fill(struct fuzz_maker *maker, size_t len);
void fuzz_seal_ip(struct fuzz_frame *frame, size_t network);
void fuzz_seal(struct fuzz_frame *frame, size_t network, size_t udp, bool sum);
void fuzz_reseal(struct fuzz_maker *maker);
void fuzz_break(struct fuzz_maker *maker);

#endif
