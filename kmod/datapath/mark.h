/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CONGA_MARK_H
#define _CONGA_MARK_H

#include "paper/wire.h"
#include "policies/policy.h"

struct conga_control_source;
struct conga_port;
struct sk_buff;

void conga_mark_packet(const struct conga_port *port, struct sk_buff *skb, u64 now);
void conga_mark_learn(const struct conga_control_source *source, u64 now);

/* conga_mark_bits - the bits of a packet's first word that a mark may change */
static inline u32 conga_mark_bits(const struct conga_policy *policy, u32 word)
{
	if (!policy->extension.mark)
		return 0;
	return conga_wire_reserved(word) & CONGA_WIRE_BYTE3_MASK;
}

#endif /* _CONGA_MARK_H */
