/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_DSTPORTS_H
#define _CONGA_DSTPORTS_H

/* Inline, because every hook function calls conga_packet_find() for every UDP packet. */
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/types.h>
#include <uapi/linux/conga.h>

/* The UDP ports at which a fabric takes VXLAN */
struct conga_dstports {
	__be16	port[CONGA_DSTPORTS_MAX];	/* 0: none */
	u8	count;
};

/* conga_dstports_bit - a bit for the port that equals @dest, or 0; any context. Most
 * fabrics have one port.
 */
static inline u8 conga_dstports_bit(const struct conga_dstports *ports, __be16 dest)
{
	int i;

	if (likely(ports->port[0] == dest))
		return BIT(0);
	for (i = 1; i < ports->count; i++)
		if (ports->port[i] == dest)
			return BIT(i);
	return 0;
}

#endif /* _CONGA_DSTPORTS_H */
