/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_HASH_H
#define _CONGA_HASH_H

/* The hash of a flow's 128 bits. Inline, because tx and forward hash every packet. */
#include <linux/hash.h>
#include <linux/types.h>

/* All bits of the words reach all bits of the result: the product of two words has as many bits
 * as both, and the upper half is folded onto the lower one.
 */
static inline u64 conga_hash_mix(u64 one, u64 other)
{
	unsigned __int128 product = (unsigned __int128)one * other;

	return (u64)product ^ (u64)(product >> 64);
}

/* conga_hash - 32 bits of 128 bits and a seed
 *
 * The second product spreads what the first one found, so that the lower bits, which select the
 * entry of the flowlet table, and the upper bits, which policies compare with shares, are
 * equally good.
 */
static inline u32 conga_hash(u64 one, u64 other, u32 seed)
{
	u64 key = GOLDEN_RATIO_64 ^ seed;

	return conga_hash_mix(conga_hash_mix(one ^ key, other ^ ~key), key) >> 16;
}

#endif /* _CONGA_HASH_H */
