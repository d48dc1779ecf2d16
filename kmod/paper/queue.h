/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_QUEUE_H
#define _CONGA_QUEUE_H

#include <linux/bits.h>
#include <linux/types.h>

#define CONGA_QUEUE_BITS	5	/* of a code */
#define CONGA_QUEUE_CODES	BIT(CONGA_QUEUE_BITS)
#define CONGA_QUEUE_UNIT_NS	256u

u64 conga_queue_time(u32 bytes, u32 mbits);
u8 conga_queue_code(u64 ns);
u32 conga_queue_ns(u8 code);

#endif /* _CONGA_QUEUE_H */
