// SPDX-License-Identifier: GPL-2.0
/*
 * lia_window - after how many acknowledged packets a coupled window grows by one.
 *
 * RFC 6356 says, for each acknowledged packet of subflow i (windows in packets,
 * all segments of one size, as its section 4.2 allows),
 *
 *	cwnd_i += min(alpha / cwnd_total, 1 / cwnd_i)
 *
 *	                           max_i(cwnd_i / rtt_i^2)
 *	alpha = cwnd_total * ------------------------------
 *	                      (sum_i (cwnd_i / rtt_i))^2
 *
 * cwnd_total cancels out. With b the subflow that has the maximum, the window of i
 * grows by one in so many packets:
 *
 *	max(sum^2 / cwnd_b, cwnd_i),	sum = sum_i (cwnd_i * rtt_b / rtt_i)
 *
 * Fixed point: terms of the sum are in units of 2^-16 packets, rounded down. The
 * one of b is exact and at least a packet, so that the sum of n subflows is less
 * than n * 2^-16 of itself too small, and the result twice that. A single subflow
 * is its own b: sum^2 / cwnd_b is its window exactly, as Reno has it.
 *
 * No overflow, whatever the windows and round-trip times: since b has the maximum,
 * rtt_b / rtt_i is at most the root of cwnd_b / cwnd_i, so that a term is at most
 * the root of cwnd_i * cwnd_b, which is less than 2^32 packets or 2^48 units. The
 * sum of 16 is less than 2^52 units. The divisor, cwnd_b in units of 2^-32, is less
 * than 2^64, and the quotient at most the square of the sum of the windows' roots,
 * which is less than 2^40 packets. Products have 128 bits.
 */
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include "lia_window.h"

#define LIA_SHIFT	16	/* of the sum's terms: 2^-16 packets */

/* Whether a's cwnd / rtt^2 is larger than b's. */
static bool lia_window_exceeds(const struct lia_flow *a, const struct lia_flow *b)
{
	return (__uint128_t)((u64)b->rtt * b->rtt) * a->cwnd >
	       (__uint128_t)((u64)a->rtt * a->rtt) * b->cwnd;
}

static const struct lia_flow *lia_window_best(const struct lia_flow *flows, unsigned int count)
{
	const struct lia_flow *best = flows;
	unsigned int i;

	for (i = 1; i < count; i++)
		if (lia_window_exceeds(&flows[i], best))
			best = &flows[i];
	return best;
}

/**
 * lia_window() - in how many acknowledged packets the first flow's window grows by one
 * @flows: all that count; the first is the one that was acknowledged
 * @count: from 1 to LIA_FLOWS_MAX
 */
u32 lia_window(const struct lia_flow *flows, unsigned int count)
{
	const struct lia_flow *best = lia_window_best(flows, count);
	u64 sum = 0, window;
	unsigned int i;

	for (i = 0; i < count; i++)
		sum += mul_u64_u64_div_u64((u64)flows[i].cwnd << LIA_SHIFT, best->rtt,
					   flows[i].rtt);
	window = mul_u64_u64_div_u64(sum, sum, (u64)best->cwnd << (2 * LIA_SHIFT));
	return clamp_t(u64, window, flows[0].cwnd, U32_MAX);
}
