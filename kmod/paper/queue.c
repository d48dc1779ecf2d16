// SPDX-License-Identifier: GPL-2.0
/*
 * A queue in five bits
 *
 * Goal: a leaf learns how long a packet will wait at the node ahead (TR's sql/sqw), from
 * five bits that this node writes.
 *
 * Mechanism: the code is a time, bytes over the port's own rate, so that the leaf needs no
 * rate of another node's port. The code is logarithmic, two steps to an octave, since
 * queues range from a packet at 40 Gbit/s, 0.3 us, to a megabyte at 1 Gbit/s, 8 ms, and 32
 * equal steps cannot tell both from zero and from full scale. In units of 256 ns:
 *
 *	code	0 1 2 3 4 5 6  7  8  9 10 ...    30    31
 *	time	0 1 2 3 4 6 8 12 16 24 32 ... 32768 49152
 *
 * i.e. c for c < 2, else (2 + c mod 2) 2^(c/2 - 1). A time is rounded to the nearest of
 * them: it is off by at most a fifth of itself, or 128 ns; a time beyond the last, 12.6 ms,
 * has the last code. A longer queue never has a smaller code.
 *
 * Fixed point: times are in ns. Bytes have 32 bits, their product with 8,000 has 45; the
 * largest time has 24.
 */
#include <linux/bitops.h>
#include <linux/math64.h>

#include "paper/queue.h"

#define CONGA_QUEUE_NS_PER_BYTE	8000u	/* at 1 Mbit/s */

/* conga_queue_time - ns that @bytes take at a rate, which is not 0 */
u64 conga_queue_time(u32 bytes, u32 mbits)
{
	return div_u64((u64)bytes * CONGA_QUEUE_NS_PER_BYTE, mbits);
}

/* conga_queue_ns - the time in ns of a code */
u32 conga_queue_ns(u8 code)
{
	u32 units = code < 2 ? code : (2u + code % 2) << (code / 2 - 1);

	return units * CONGA_QUEUE_UNIT_NS;
}

/* The largest code whose time is at most @units. */
static u8 conga_queue_code_below(u64 ns)
{
	u64 units = div_u64(ns, CONGA_QUEUE_UNIT_NS);
	u32 bits = fls64(units), code;

	if (units < 2)
		return units;
	code = 2 * (bits - 1) + (units >> (bits - 2) & 1);
	return code < CONGA_QUEUE_CODES ? code : CONGA_QUEUE_CODES - 1;
}

/* conga_queue_code - the nearest code; of two equally near ones the larger */
u8 conga_queue_code(u64 ns)
{
	u8 code = conga_queue_code_below(ns);

	if (code == CONGA_QUEUE_CODES - 1)
		return code;
	return code + (2 * ns >= conga_queue_ns(code) + conga_queue_ns(code + 1));
}
